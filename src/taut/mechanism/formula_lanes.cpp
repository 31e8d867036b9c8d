// This unit compiles one stop rule and one iteration, those of runs by default.
#define TAUT_SOLVES_BY taut::By<taut::ToRounding, taut::Iteration::full_newton>
#define TAUT_STEPS newton_to_rounding_in_lanes
#include <taut/mechanism/formula_lanes.hpp>

#include <taut/mechanism/lane_machine_of.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/methods.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/code/interpreter.hpp>
#include <taut/model/formula_problem.hpp>
#include <taut/model/lane_constants.hpp>
#include <taut/model/sized_formula_problem.hpp>

namespace taut {

namespace {

// An operation of the interpreter is found once for all lanes. Sixteen fill two registers of AVX-512, so that
// it is found half as often; with narrower registers they would only lengthen the first build.
using Lane = Pack<registers::native_width >= 8 ? 16 : 8>;

// Makes the machine of a method on a problem of packs; the state is compensated.
template <class P, class Method>
std::unique_ptr<LaneMachine> lanes_of(const P& problem, const Method& method, const PlainState& start,
                                      const SolveOptions& options) {
  using X = CompensatedState<Lane, P::n>;
  using Bound = BoundStepper<Method, P, X>;
  const auto bind = [method = with_options(method, options)](const P& s, const X& x) {
    return std::make_unique<Bound>(method, s, x);
  };
  return std::make_unique<LaneMachineOf<P, CompensatedState, Bound, decltype(bind), false>>(problem, start,
                                                                                            bind);
}

bool takes_lanes(const FormulaSystem& system, const MethodChoice& choice, const SolveOptions& options,
                 bool plain_updates) {
  return !system.least_squares && system.kind != System::Kind::hamiltonian && system.diagonal_mass &&
         !choice.ode && !plain_updates && options.iteration == Iteration::full_newton &&
         !(options.tolerance > 0) && options.first_guess == FirstGuess::zero &&
         options.stop == StopRule::residual;
}

}  // namespace

std::vector<double> FormulaLanes::constants_of(const FormulaSystem& system) const {
  return lane_constants(system, sized);
}

FormulaLanes formula_lanes(const std::shared_ptr<const FormulaSystem>& system, const MethodChoice& choice,
                           const PlainState& start, const SolveOptions& options, bool plain_updates) {
  FormulaLanes made;
  if (!takes_lanes(*system, choice, options, plain_updates)) return made;
  if (choice.method == Rattle::facts.name) {
    if (system->whole_G)
      with_known_size(system->n, system->m, [&](auto size) {
        made.sized = true;
        made.machine = lanes_of(SizedFormulaProblem<Lane, size.n, size.m>(system), Rattle{}, start, options);
      });
    if (!made.machine) made.machine = lanes_of(FormulaProblem<Lane>(system), Rattle{}, start, options);
  } else if (const CompositionText asked = read_composition(choice.method);
             named_method(choice.method).is_composition_of_rattle) {
    const FoundComposition found = made_composition(asked, facts_of(Rattle{}));
    if (found.scheme)
      made.machine =
          lanes_of(FormulaProblem<Lane>(system), Composition<Rattle>{found.scheme}, start, options);
  }
  return made;
}

}  // namespace taut
