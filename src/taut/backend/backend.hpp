// How the formulas of a model are evaluated in a run: interpreted, compiled, or with the whole step specialised. All give the same trajectory to rounding.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/model/model.hpp>

namespace taut {

struct FormulaSystem;  // model/formula_problem.hpp

// What is worth while for so many steps: `automatic` where the request does not say. It depends on the model, the method and the number of steps alone,
// so that the same input gives the same bits.
Backend worth_while(const FormulaSystem& system, const MethodChoice& choice, std::int64_t steps);

struct BackedMachine {
  std::unique_ptr<Machine>
      machine;            // null where the method does not offer plain updates and they are asked for
  std::string note = {};  // a sentence, where it is not what was wanted
};

// `interpreted` is the mechanism of `system`, which is that of `model`.
BackedMachine backed_machine(const Model& model, const std::shared_ptr<const FormulaSystem>& system,
                             const Mechanism& interpreted, const MethodChoice& choice,
                             const PlainState& start, const SolveOptions& options, const RunRequest& request,
                             std::int64_t steps);

}  // namespace taut
