// The loop of every solve: look at a residual, correct, and stop when a forecast says that little enough is
// left. Only newton_by_curvature.hpp has another, and says why.
#pragma once

#include <taut/scalar/flatten.hpp>
#include <taut/scalar/number.hpp>
#include <taut/solve/failure.hpp>

#include <concepts>

namespace taut {

// A residual need not be one vector. It offers
//     evaluate()              forms it
//     set_units()             finds the units of rounding, once, after the first evaluation; called only if
//                             sizes are asked for in units
//     in_units()              returns its size, as largest_in_units does
//     within(tolerance)       asks whether every entry is at most the tolerance, as all_within does
//     sound()                 asks whether every entry is finite
//     finish()                does what a step takes from an evaluation besides the residual; called after
//                             the last correction, if nothing was evaluated since
//     describe(kind, k, mask) makes a failure of it
// A forecast asks for one of in_units() and within().
template <class R, class T>
concept Residual = requires(R& r, const Mask<T>& lanes) {
  r.evaluate();
  r.finish();
  { r.sound() } -> std::convertible_to<Mask<T>>;
  { r.describe(FailureKind::singular, 0, lanes) } -> std::same_as<Failure>;
};

// A forecast decides what is left after the corrections made so far, and thereby when an iteration ends:
//     look(k, residual, correct, active)  finds out what is left after k corrections, the last of which was
//                               made in the lanes `active`; the type of `correct` shows what it can do.
//                               Returns the lanes that need another correction.
//     looked()                  says whether the last look evaluated the residual. It need not, if what is
//                               left is known to be little.
//     arrived(active)           says whether the lanes `active` have arrived at the rounding level and are
//                               only polished: then the solve has not failed, whatever its limit
//     lost(active)              says whether one of these lanes had better be given up; it need not be there
//     correct(correct, active)  corrects in the way the forecast counts on, and returns what `correct`
//                               returns: -1, or the index of the constraint whose pivot vanished
// A lane that has converged is left alone while others continue, so that it agrees with a scalar run to the
// last bit. The models are in forecast.hpp.
template <class F, class T, class R, class C>
concept Forecast = requires(F& forecast, R& residual, C& correct, const Mask<T>& active) {
  { forecast.look(0, residual, correct, active) } -> std::same_as<Mask<T>>;
  { forecast.looked() } -> std::same_as<bool>;
  { forecast.arrived(active) } -> std::same_as<bool>;
  { forecast.correct(correct, active) } -> std::same_as<int>;
};

// Names the failure of a residual that is not finite. If it once was finite, it has diverged;
// if it never was, the start is at fault.
inline FailureKind kind_of_unsound(int k) {
  return k > 0 ? FailureKind::not_converged : FailureKind::not_finite;
}

inline namespace TAUT_STEPS {  // flatten.hpp

// Corrects until the forecast is content, at most `limit` times. Returns the number of corrections. It is
// flattened also if a step is not: what the compiler leaves out of the loop otherwise depends on chance, and
// cost lobatto(3) between 3 and 50 %.
// The forecast is made here by begin(), because a copy of one that has just been written, number by number,
// waits for all of them (measured: 4 % of a step of kahan-li8 on the pendulum).
template <class T, Residual<T> R, class C, class Begin>
TAUT_FLATTEN Expected<int> iterate_from(int limit, R& residual, C& correct, const Begin& begin) {
  Forecast<T, R, C> auto forecast = begin();
  Mask<T> active(true);
  for (int k = 0;; ++k) {
    active = forecast.look(k, residual, correct, active);
    if (!any(active)) {
      if (!forecast.looked()) residual.finish();
      return k;
    }
    if (const Mask<T> sound = residual.sound(); !all(sound))
      if (const Mask<T> unsound = active && !sound; any(unsound))
        return residual.describe(kind_of_unsound(k), k, unsound);
    bool at_end = k >= limit;
    if constexpr (requires { forecast.lost(active); }) at_end = at_end || forecast.lost(active);
    if (at_end) [[unlikely]] {
      if (forecast.arrived(active)) return k;
      return residual.describe(FailureKind::not_converged, k, active);
    }
    if (const int pivot = forecast.correct(correct, active); pivot >= 0)
      return residual.describe(FailureKind::singular, k, active).at(pivot);
  }
}

template <class T, Residual<T> R, class C, Forecast<T, R, C> F>
Expected<int> iterate(int limit, R& residual, C& correct, const F& forecast) {
  return iterate_from<T>(limit, residual, correct, [&] { return forecast; });
}

}  // namespace TAUT_STEPS

}  // namespace taut
