// Decides how the formulas of a model are evaluated in a run: interpreted, compiled, or with the whole step
// specialised. All give the same trajectory to rounding.
#pragma once

#include <taut/contract/backend_use.hpp>
#include <taut/contract/request.hpp>
#include <taut/contract/summary.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/model/model.hpp>

namespace taut {

struct FormulaSystem;  // model/formula_system.hpp

// Asks whether a system is small enough for a step that is compiled for it. Larger ones take the compiler
// long and gain little: their linear algebra is more than a few operations.
bool is_small(const FormulaSystem& system);
inline constexpr const char* too_large_to_specialise = "the model is too large for it";

// Returns what is worth while for so many steps, if the request says `automatic`. It depends on the model,
// the method and the number of steps alone, so that the same input gives the same bits.
Backend worth_while(const FormulaSystem& system, const MethodChoice& choice, std::int64_t steps);

struct BackedMachine {
  // Null if plain updates are asked for and the method does not offer them.
  std::unique_ptr<Machine> machine;
  std::string note = {};  // a sentence, if it is not what was wanted
  BackendUse used = {};
  std::optional<StartMove> moved = {};  // if the machine itself brought the start onto the manifold
};

// Throws ChoiceError if the model or the method cannot be had in the precision of the request, with what can.
void check_precision(const RunRequest& request, const FormulaSystem* system, const MethodChoice& choice);

// Makes the machine. Throws what check_precision throws, and InputError if a precision needs a compiler and
// there is none. `interpreted` is the mechanism of `system`, and `system` that of `model`.
BackedMachine backed_machine(const Model& model, const std::shared_ptr<const FormulaSystem>& system,
                             const Mechanism& interpreted, const MethodChoice& choice,
                             const PlainState& start, const SolveOptions& options, const RunRequest& request,
                             double step, std::int64_t steps);

}  // namespace taut
