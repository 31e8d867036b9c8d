#include <taut/mechanism/machine_of.hpp>
#include <taut/mechanism/sized_machine.hpp>
#include <taut/mechanism/typed_state.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/sized_formula_problem.hpp>

namespace taut {

namespace {

template <class P, class X>
std::unique_ptr<Machine> machine(const P& problem, const X& x, const SolveOptions& options) {
  using Bound = BoundStepper<Rattle, P, X>;
  return std::make_unique<MachineOf<P, X, Bound>>(
      problem, x, std::make_unique<Bound>(Rattle{.solve = options}, problem, x));
}

}  // namespace

std::unique_ptr<Machine> sized_machine(const NaturalFormulaProblem<>& problem, const MethodChoice& choice,
                                       const PlainState& start, const SolveOptions& options,
                                       bool plain_updates) {
  const auto& system = problem.system();
  if (choice.ode || choice.method != Rattle::facts.name || !system->whole_G) return nullptr;
  std::unique_ptr<Machine> made;
  with_known_size(system->n, system->m, [&](auto size) {
    using P = SizedFormulaProblem<double, size.n, size.m>;
    const P sized(system);
    const StateOf<P> x = typed_state<P>(start);
    made = plain_updates ? machine(sized, x, options)
                         : machine(sized, CompensatedState<double, size.n>(x), options);
  });
  return made;
}

}  // namespace taut
