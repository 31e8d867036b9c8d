#define TAUT_SOLVES_BY taut::By<taut::ToRounding, taut::Iteration::full_newton>
#define TAUT_STEPS newton_to_rounding_alone
#include <taut/mechanism/sized_machine.hpp>
#include <taut/mechanism/sized_rattle.hpp>

namespace taut {

std::unique_ptr<Machine> sized_machine(const std::shared_ptr<const FormulaSystem>& system,
                                       const MethodChoice& choice, const PlainState& start,
                                       const SolveOptions& options, bool plain_updates) {
  if (system->least_squares) return nullptr;
  if (choice.ode || choice.method != Rattle::facts.name || options.iteration != Iteration::full_newton)
    return nullptr;
  const bool to_tolerance = options.tolerance > 0;
  if (plain_updates != to_tolerance) return nullptr;
  return plain_updates ? sized_plain_machine(system, start, options)
                       : sized_rattle<CompensatedState>(system, start, options);
}

}  // namespace taut
