#define TAUT_SOLVES_BY taut::By<taut::ToRounding, taut::Iteration::full_newton>
#include <taut/mechanism/machine_of.hpp>
#include <taut/mechanism/sized_machine.hpp>
#include <taut/mechanism/typed_state.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/sized_formula_problem.hpp>

namespace taut {

std::unique_ptr<Machine> sized_machine(const std::shared_ptr<const FormulaSystem>& system,
                                       const MethodChoice& choice, const PlainState& start,
                                       const SolveOptions& options, bool plain_updates) {
  const bool usual = !plain_updates && options.tolerance == 0 && options.iteration == Iteration::full_newton;
  if (!usual || choice.ode || choice.method != Rattle::facts.name || !system->whole_G) return nullptr;
  std::unique_ptr<Machine> made;
  with_known_size(system->n, system->m, [&](auto size) {
    using P = SizedFormulaProblem<double, size.n, size.m>;
    using X = CompensatedState<double, size.n>;
    using Bound = BoundStepper<Rattle, P, X>;
    const P problem(system);
    const X x(typed_state<P>(start));
    made = std::make_unique<MachineOf<P, X, Bound>>(
        problem, x, std::make_unique<Bound>(Rattle{.solve = options}, problem, x));
  });
  return made;
}

}  // namespace taut
