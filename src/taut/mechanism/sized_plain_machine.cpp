#define TAUT_SOLVES_BY taut::By<taut::ToTolerance, taut::Iteration::full_newton>
#define TAUT_STEPS newton_to_tolerance_alone
#include <taut/mechanism/sized_machine.hpp>
#include <taut/mechanism/sized_rattle.hpp>

namespace taut {

std::unique_ptr<Machine> sized_plain_machine(const std::shared_ptr<const FormulaSystem>& system,
                                             const PlainState& start, const SolveOptions& options) {
  return sized_rattle<State>(system, start, options);
}

}  // namespace taut
