// Newton's iteration for quadratic constraints, whose end is not foreseen but computed. It makes up to two
// corrections in a turn, and therefore has a loop of its own: as a forecast of the common loop it made steps
// of small problems slower by 7 to 9 % (pendulum with kahan-li8, double pendulum with rattle).
#pragma once

#include <taut/solve/forecast.hpp>
#include <taut/solve/iterate.hpp>

namespace taut {

// If g is quadratic in q, and q₁ affine in the unknowns, what a correction leaves, r', is known exactly and
// without a look, from the curvature of g. It is corrected with the factor at hand, which leaves 2 r' (r'/r).
// One evaluation, of the residual before them, is therefore often enough.
//     correct.bend()   puts r' in place of the residual
template <class T>
struct NewtonByCurvature {};

template <class T, Residual<T> R, class C>
Expected<int> iterate(int limit, R& residual, C& correct, NewtonByCurvature<T>) {
  const Real<T> enough(left_over);
  residual.evaluate();
  residual.set_units();
  Real<T> now = residual.in_units();
  Mask<T> going = !(now <= Real<T>(0) && residual.sound());
  for (int k = 0;;) {
    if (!any(going)) {
      residual.finish();
      return k;
    }
    if (const Mask<T> unsound = going && !residual.sound(); any(unsound))
      return residual.describe(kind_of_unsound(k), k, unsound);
    if (k >= limit) {  // what is within a unit has arrived, and is only polished
      if (const Mask<T> off = going && !(now <= Real<T>(1)); any(off))
        return residual.describe(FailureKind::not_converged, k, off);
      going = Mask<T>(false);
      continue;
    }
    if (const int pivot = correct(going, Mask<T>(!going)); pivot >= 0)
      return residual.describe(FailureKind::singular, k, going).at(pivot);
    ++k;
    correct.bend();
    const Real<T> bent = residual.in_units(), rate = bent / now;
    const Mask<T> again = going && !(bent <= enough);
    if (any(again)) {
      if (k >= limit) {
        if (const Mask<T> off = again && !(bent <= Real<T>(1) && residual.sound()); any(off))
          return residual.describe(FailureKind::not_converged, k, off);
        going = Mask<T>(false);
        continue;
      }
      correct.again(again);
      ++k;
    }
    going = again && !(rate <= Real<T>(0.125) && Real<T>(2) * bent * rate <= enough);
    if (!any(going)) continue;
    residual.evaluate();
    const Real<T> previous = now;
    now = residual.in_units();
    going = going && !(now <= Real<T>(0)) && !stagnated<T>(now, previous);
  }
}

}  // namespace taut
