// RATTLE on a problem of formulas whose size the compiler knows, with the step compiled into the loop over
// steps. A unit that includes it defines TAUT_SOLVES_BY and TAUT_STEPS first: it compiles one stop rule
// (solve/options.hpp).
#pragma once

#include <taut/mechanism/machine_of.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/mechanism/typed_state.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/sized_formula_problem.hpp>

namespace taut {

// Makes the machine. Gives null if the program was not compiled for the size of this system.
template <template <class, int> class StateType>
std::unique_ptr<Machine> sized_rattle(const std::shared_ptr<const FormulaSystem>& system,
                                      const PlainState& start, const SolveOptions& options) {
  std::unique_ptr<Machine> made;
  if (!system->whole_G) return made;
  with_known_size(system->n, system->m, [&](auto size) {
    using P = SizedFormulaProblem<double, size.n, size.m>;
    using X = StateType<double, size.n>;
    using Bound = BoundStepper<Rattle, P, X>;
    const P problem(system);
    const X x(typed_state<P>(start));
    made = std::make_unique<MachineOf<P, X, Bound>>(
        problem, x, std::make_unique<Bound>(Rattle{.solve = options}, problem, x));
  });
  return made;
}

}  // namespace taut
