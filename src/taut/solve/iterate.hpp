// The loop of every constraint solve: evaluate a residual and correct until it vanishes; and the rule
// that says when.
#pragma once

#include <taut/solve/options.hpp>
#include <taut/solve/residual_size.hpp>

#include <cmath>

namespace taut {

// Stagnation counts as convergence only this close to the rounding level; above it, it is a failure.
inline constexpr double stagnation_slack = 1000;
// This close to it, a fall by less than a tenth counts as stagnation.
inline constexpr double crawl_slack = 8;

// What an iteration leaves when it stops at the rounding level has the same sign step after step. It would
// make the energy drift, while rounding alone makes it a random walk. Therefore the iteration continues,
// blindly, until its rate says that less than this many units are left.
inline constexpr double left_over = 0x1p-12;
// The same for the stages of a step, whose impulses are residuals divided by h: at 2⁻¹² units the energy of
// lobatto(3), h = 0.01, still moved by 4e-22 a step, at 2⁻²⁶ by 2e-22, always the same way.
inline constexpr double stage_left_over = 0x1p-40;
// What the force of a stiff problem may leave in the stage equations of a step, in units: see `noise` below.
inline constexpr double stage_noise = 0x1p26;
// The rate is taken from residuals this many units above rounding.
inline constexpr double clear_of_rounding = 64;

// There are two loops, to rounding and to a stated tolerance. The first takes a residual that need not be one
// vector. The residual offers
//     evaluate(k)             forms it for the k-th time
//     finish()                is optional, called after the last correction: does what a step takes from
//                             an evaluation besides the residual
//     in_units()              returns its size, as largest_in_units does
//     sound()                 asks whether every entry is finite
//     describe(kind, k, mask) makes a failure of it
// `correct(active)` applies one correction to the lanes in `active` and returns -1, or the index of the
// constraint whose pivot vanished. The loops return the number of corrections.
//
// A lane that has converged is left alone while others continue, so that it agrees with a scalar run
// to the last bit.

// Names the failure of a residual that is not finite. If it once was finite, it has diverged;
// if it never was, the start is at fault.
inline FailureKind kind_of_unsound(int k) {
  return k > 0 ? FailureKind::not_converged : FailureKind::not_finite;
}

// How the corrections of left_over, above, are made. Newton's iteration, and a linear system, which one
// correction solves, have loops of their own.
enum class Polish { no, yes, quadratic, linear };

// Returns the rate at which the residual falls, if it can be told from rounding; otherwise the
// one known before.
template <class T>
Real<T> seen_rate(const Real<T>& now, const Real<T>& previous, const Real<T>& before) {
  const Real<T> ratio = now / previous;
  return select(Mask<T>(previous > Real<T>(clear_of_rounding) && ratio < Real<T>(0.5)), ratio, before);
}

// Asks whether there is no progress, at the rounding level.
template <class T>
Mask<T> stagnated(const Real<T>& now, const Real<T>& previous) {
  return (now >= previous && now <= Real<T>(stagnation_slack)) ||
         (now >= Real<T>(0.9) * previous && now <= Real<T>(crawl_slack));
}

// Drives a residual to rounding. A residual that has found no new minimum in six corrections counts as
// stagnated up to `noise` units: the rounding units know the size of the terms, not the cancellation inside
// a stiff force.
template <class T, class Residual, class Correct>
Expected<int> drive_to_rounding(int limit, Polish polish, Residual& residual, Correct& correct,
                                double noise = stagnation_slack, double left_over_units = left_over) {
  const Real<T> enough(left_over_units);
  Mask<T> active(true), done(false);
  Real<T> previous(0), newest(0.5), rate(0.5), left(polish == Polish::no ? 0 : 1), best(0), idle(0);
  Real<T> expected(1);  // the residual, without what rounding adds to it
  for (int k = 0;; ++k) {
    active = active && !(done && left <= enough);
    if constexpr (requires { residual.finish(); })
      if (!any(active)) {
        residual.finish();
        return k;
      }
    residual.evaluate(k);
    if (any(active && !done)) {
      const Real<T> now = residual.in_units();
      const Mask<T> going = !done;
      if (any(Mask<T>(now <= Real<T>(1))))
        done = done || (now <= Real<T>(1) && residual.sound());  // a maximum may lose a NaN
      const Mask<T> better = k == 0 ? Mask<T>(true) : Mask<T>(now < best);
      best = select(better, now, best);
      idle = select(better, Real<T>(0), Real<T>(idle + Real<T>(1)));
      if (k > 0) {
        const Real<T> seen = seen_rate<T>(now, previous, newest);
        rate = select(going, larger(seen, newest), rate);  // the slower of two: modes may take turns
        newest = seen;
        done = done || stagnated<T>(now, previous) || (idle >= Real<T>(6) && now <= Real<T>(noise));
      }
      expected = select(Mask<T>(now > Real<T>(clear_of_rounding)), now, Real<T>(expected * rate));
      left = select(Mask<T>(going && done && rate <= Real<T>(0.125) && expected < left), expected, left);
      left = select(Mask<T>(going && now <= Real<T>(0)), Real<T>(0), left);  // nothing to correct
      previous = now;
      active = active && !(done && left <= enough);
    }
    left = select(done, Real<T>(left * rate), left);
    if (!any(active)) return k;
    if (const Mask<T> unsound = active && !residual.sound(); any(unsound))
      return residual.describe(kind_of_unsound(k), k, unsound);
    if (k == limit) return residual.describe(FailureKind::not_converged, k, active);
    if (const int pivot = correct(active); pivot >= 0)
      return residual.describe(FailureKind::singular, k, active).at(pivot);
  }
}

// Solves a linear system: after one correction only rounding is left, and a second is made only if that is
// more than it should be.
template <class T, class Residual, class Correct>
Expected<int> linear_to_rounding(int limit, Residual& residual, Correct& correct) {
  residual.evaluate(0);
  Real<T> now = residual.in_units();
  Mask<T> active = !(now <= Real<T>(1) && residual.sound());
  int k = 0;
  while (any(active)) {
    if (const Mask<T> unsound = active && !residual.sound(); any(unsound))
      return residual.describe(kind_of_unsound(k), k, unsound);
    if (k == limit) return residual.describe(FailureKind::not_converged, k, active);
    if (const int pivot = correct(active); pivot >= 0)
      return residual.describe(FailureKind::singular, k, active).at(pivot);
    residual.evaluate(++k);
    const Real<T> previous = now;
    now = residual.in_units();
    const Mask<T> small = now <= Real<T>(crawl_slack) || stagnated<T>(now, previous);
    active = active && !(small && residual.sound());
  }
  return k;
}

// Quadratic convergence is relied on only within this many units, in which the square of a relative residual
// is below left_over.
template <class T>
double quadratic_within() {
  return 0x1p-6 / std::sqrt(epsilon<T>());
}

// Returns how many corrections with the factor at hand cost less than one with a new factor: the member
// `keeps`, or 0 if there is none.
template <class Correct>
constexpr int kept_corrections() {
  if constexpr (requires { Correct::keeps; })
    return Correct::keeps;
  else
    return 0;
}

// Makes the last correction, with a new factor in the lanes of `fresh`.
template <class Correct, class M>
int last_correction(Correct& correct, const M& active, const M& fresh) {
  if constexpr (kept_corrections<Correct>() > 0)
    if (kept_corrections<Correct>() > 1 || !any(M(active && fresh))) {
      correct.again(active);
      return -1;
    }
  return correct(active, M(!fresh));
}

// Runs Newton's iteration to rounding. What a correction will leave is known before it is made, from the
// residual r and the one before it, r': r (r/r')² with a new factor, 2 r (r/r') with the one at hand. The
// last corrections therefore need no look at their outcome, and no rounded residual decides where they end;
// they keep the factor if that is cheaper. A rate that does not improve is not relied on.
//     correct(active, kept)   corrects with a new factor, except in the lanes of `kept`
//     correct.again(active)   corrects with the factor at hand, if Correct::keeps > 0
// A lane waits for the others before its last corrections, with its own factor.
template <class T, class Residual, class Correct>
Expected<int> newton_to_rounding(int limit, Residual& residual, Correct& correct) {
  constexpr int keeps = kept_corrections<Correct>();
  const Real<T> enough(left_over);
  residual.evaluate(0);
  Real<T> previous = residual.in_units(), rate(0.5);
  Mask<T> going = !(previous <= Real<T>(0) && residual.sound());  // lanes before their last corrections
  Mask<T> fresh(keeps == 0);                                      // lanes with a new factor in those
  Real<T> left = select(going, Real<T>(1), Real<T>(0));
  int k = 0;
  while (any(going)) {
    if (const Mask<T> unsound = going && !residual.sound(); any(unsound))
      return residual.describe(kind_of_unsound(k), k, unsound);
    if (k == limit) return residual.describe(FailureKind::not_converged, k, going);
    if (const int pivot = correct(going, Mask<T>(!going)); pivot >= 0)
      return residual.describe(FailureKind::singular, k, going).at(pivot);
    residual.evaluate(++k);
    const Real<T> now = residual.in_units(), ratio = now / previous, square = ratio * ratio;
    Mask<T> ended = stagnated<T>(now, previous);
    if (any(Mask<T>(now <= Real<T>(1)))) {
      ended = ended || (now <= Real<T>(1) && residual.sound());              // a maximum may lose a NaN
      left = select(Mask<T>(going && now <= Real<T>(0)), Real<T>(0), left);  // nothing to correct
    }
    const Mask<T> last = !ended && now <= Real<T>(quadratic_within<T>()) && now * square <= enough &&
                         Real<T>(8) * ratio <= rate;
    const Mask<T> stops = going && (ended || last);
    rate = select(going, seen_rate<T>(now, previous, rate), rate);
    left = select(Mask<T>(going && last), now, left);
    if constexpr (keeps == 1) fresh = fresh || (stops && !(Real<T>(2) * left * rate <= enough));
    const Real<T> slower = select(Mask<T>(rate < Real<T>(0.25)), Real<T>(Real<T>(2) * rate), Real<T>(0.5));
    rate = select(stops, select(fresh, select(last, square, rate), slower), rate);
    previous = now;
    going = going && !stops;
  }
  Mask<T> active = left > enough;
  if (!any(active)) return k;
  for (;;) {
    if (const Mask<T> unsound = active && !residual.sound(); any(unsound))
      return residual.describe(kind_of_unsound(k), k, unsound);
    if (k == limit) return residual.describe(FailureKind::not_converged, k, active);
    if (const int pivot = last_correction(correct, active, fresh); pivot >= 0)
      return residual.describe(FailureKind::singular, k, active).at(pivot);
    ++k;
    left *= rate;
    active = active && left > enough;
    if (!any(active)) break;
    residual.evaluate(k);
  }
  residual.finish();
  return k;
}

// Does the same if g is quadratic in q and q₁ affine in the unknowns. What a correction leaves, r', is then
// known exactly and without a look, from the curvature of g. It is corrected with the factor at hand, which
// leaves 2 r' (r'/r). One evaluation, of the residual before them, is therefore often enough.
//     correct.bend()   puts r' in place of the residual
template <class T, class Residual, class Correct>
Expected<int> newton_by_curvature(int limit, Residual& residual, Correct& correct) {
  const Real<T> enough(left_over);
  residual.evaluate(0);
  Real<T> now = residual.in_units();
  Mask<T> going = !(now <= Real<T>(0) && residual.sound());
  for (int k = 0;;) {
    if (!any(going)) {
      residual.finish();
      return k;
    }
    if (const Mask<T> unsound = going && !residual.sound(); any(unsound))
      return residual.describe(kind_of_unsound(k), k, unsound);
    if (k == limit) return residual.describe(FailureKind::not_converged, k, going);
    if (const int pivot = correct(going, Mask<T>(!going)); pivot >= 0)
      return residual.describe(FailureKind::singular, k, going).at(pivot);
    ++k;
    correct.bend();
    const Real<T> bent = residual.in_units(), rate = bent / now;
    const Mask<T> again = going && !(bent <= enough);
    if (any(again)) {
      if (k == limit) return residual.describe(FailureKind::not_converged, k, again);
      correct.again(again);
      ++k;
    }
    going = again && !(rate <= Real<T>(0.125) && Real<T>(2) * bent * rate <= enough);
    if (!any(going)) continue;
    residual.evaluate(k);
    const Real<T> previous = now;
    now = residual.in_units();
    going = going && !(now <= Real<T>(0)) && !stagnated<T>(now, previous);
  }
}

// Drives max |r| below the tolerance, for one vector r that `evaluate()` fills.
template <class Residual, class Evaluate, class Correct>
Expected<int> drive_to_tolerance(int limit, double tolerance, const Residual& r, Evaluate& evaluate,
                                 Correct& correct) {
  using T = typename Residual::Scalar;
  for (int k = 0;; ++k) {
    evaluate();
    const Mask<T> active = !all_within(r, tolerance);  // a lane left alone stays where it ended
    if (!any(active)) return k;
    if (const Mask<T> sound = all_finite(r); !all(sound))
      return describe(kind_of_unsound(k), r, k, Mask<T>(!sound));
    if (k == limit) return describe(FailureKind::not_converged, r, k, active);
    if (const int pivot = correct(active); pivot >= 0)
      return describe(FailureKind::singular, r, k, active).at(pivot);
  }
}

// Drives one vector r to zero. `evaluate()` fills r. `rounding_units(unit)` is called once, after the
// first evaluation, and writes the |rᵢ| at which rounding takes over; `unit` then stores their
// reciprocals. If `rounding_units.known` is true, `unit` already holds them and the call is skipped. If
// `evaluate` has a member last(), it is called after the last correction, when the new state is needed but
// its residual is not.
template <class Residual, class Units, class Evaluate, class RoundingUnits, class Correct>
Expected<int> drive_to_zero(const ToRounding& options, const Residual& r, Units& unit, Evaluate&& evaluate,
                            RoundingUnits&& rounding_units, Correct&& correct, Polish polish = Polish::yes,
                            double noise = stagnation_slack) {
  using T = typename Residual::Scalar;
  struct Vector {
    const Residual& r;
    Units& per_unit;
    Evaluate& form;
    RoundingUnits& rounding_units;

    void finish() {
      if constexpr (requires { form.last(); })
        form.last();
      else
        form();
    }
    void evaluate(int k) {
      form();
      if (k > 0) return;
      if constexpr (requires { rounding_units.known; })
        if (rounding_units.known) return;
      rounding_units(per_unit);
      const Real<T> least(0x1p-1000);  // a unit if nothing moves at all
      each_index(per_unit, [&](int i) { per_unit[i] = Real<T>(1) / larger(per_unit[i], least); });
    }
    Real<T> in_units() const { return largest_in_units(r, per_unit); }
    Mask<T> sound() const { return all_finite(r); }
    Failure describe(FailureKind kind, int k, const Mask<T>& bad) const {
      return taut::describe(kind, r, k, bad);
    }
  };
  Vector residual{r, unit, evaluate, rounding_units};
  if (polish == Polish::linear) return linear_to_rounding<T>(options.limit(), residual, correct);
  if constexpr (requires { requires std::remove_cvref_t<Correct>::may_be_newton; })
    if (polish == Polish::quadratic) {
      if constexpr (requires { correct.bend(); })
        return newton_by_curvature<T>(options.limit(), residual, correct);
      else
        return newton_to_rounding<T>(options.limit(), residual, correct);
    }
  return drive_to_rounding<T>(options.limit(), polish, residual, correct, noise);
}

template <class Residual, class Units, class Evaluate, class RoundingUnits, class Correct>
Expected<int> drive_to_zero(const ToTolerance& options, const Residual& r, Units&, Evaluate&& evaluate,
                            RoundingUnits&&, Correct&& correct, Polish = Polish::yes,
                            double = stagnation_slack) {
  return drive_to_tolerance(options.limit(), options.tolerance, r, evaluate, correct);
}

inline namespace TAUT_STEPS {  // flatten.hpp

template <class Residual, class Units, class Evaluate, class RoundingUnits, class Correct>
Expected<int> drive_to_zero(const SolveOptions& options, const Residual& r, Units& unit, Evaluate&& evaluate,
                            RoundingUnits&& rounding_units, Correct&& correct, Polish polish = Polish::yes,
                            double noise = stagnation_slack) {
  return with_stop_rule(options, [&](const auto& rule) {
    return drive_to_zero(rule, r, unit, evaluate, rounding_units, correct, polish, noise);
  });
}

}  // namespace TAUT_STEPS

}  // namespace taut
