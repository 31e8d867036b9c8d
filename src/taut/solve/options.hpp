// Says how a constraint is solved and when the solve stops; also as types, if the compiler knows the choice.
#pragma once

#include <taut/contract/choices.hpp>
#include <taut/scalar/flatten.hpp>

#include <type_traits>

namespace taut {

// The usual limits of Newton's iterations, of sweeps, of a position solve that converges linearly, because
// its matrix is that of the start of the step, and of stages.
inline constexpr int newton_limit = 50, sweep_limit = 20000;
inline constexpr int most_linear_corrections = 200, stage_limit = 200;

struct SolveOptions {
  Iteration iteration = Iteration::full_newton;
  // The tolerance on max |g| and max |G H_p|, in their own units; 0: until rounding stops the iteration.
  double tolerance = 0;
  int max_iterations = 0;  // 0: 50 for Newton's iterations, 20000 for sweeps
  // The point at which the first solve of a step begins, in the SHAKE forms, RATTLE and its compositions.
  FirstGuess first_guess = FirstGuess::zero;
  StopRule stop = StopRule::residual;  // what the tolerance is held against in a position solve
  // The local error that a step of bdf-variable may make, relative to the sizes of q and p; 0: steps are as
  // long as they are asked for.
  double error_tolerance = 0;

  int limit() const {
    if (max_iterations > 0) return max_iterations;
    return iteration == Iteration::sweep ? sweep_limit : newton_limit;
  }
};

// The same options if the compiler knows which of the two rules stops the iteration. A loop over steps that
// contains both rules lacks registers for either.
struct ToRounding : SolveOptions {};
struct ToTolerance : SolveOptions {};

template <class Rule>
inline constexpr bool is_to_tolerance = std::is_base_of_v<ToTolerance, std::remove_cvref_t<Rule>>;

// The same if the compiler also knows which iteration it is.
template <class Rule, Iteration known>
struct By : Rule {
  static constexpr Iteration iteration = known;
};

// The same if the compiler knows only that the iteration is not Newton's.
template <class Rule>
struct ByOthers : Rule {};

template <class Rule>
inline constexpr bool may_be_newton = !std::is_base_of_v<ByOthers<ToRounding>, Rule>;

template <class Rule>
inline constexpr bool must_be_newton = false;
template <class Rule>
inline constexpr bool must_be_newton<By<Rule, Iteration::full_newton>> = true;

inline namespace TAUT_STEPS {  // flatten.hpp

// Calls f with the options as the type of their stop rule. A unit that is compiled for one run
// (backend/specialised.cpp) defines TAUT_SOLVES_BY as one such type and compiles no other. If steps must be
// fast, Newton's iteration to rounding is compiled apart from the others.
template <class F>
auto with_stop_rule(const SolveOptions& options, F&& f) {
#ifdef TAUT_SOLVES_BY
  return f(TAUT_SOLVES_BY{{{options}}});
#else
  if (options.tolerance > 0) return f(ToTolerance{options});
  if constexpr (flattened) {
    if (options.iteration == Iteration::full_newton)
      return f(By<ToRounding, Iteration::full_newton>{{{options}}});
    return f(ByOthers<ToRounding>{{{options}}});
  } else {
    return f(ToRounding{options});
  }
#endif
}

}  // namespace TAUT_STEPS

}  // namespace taut
