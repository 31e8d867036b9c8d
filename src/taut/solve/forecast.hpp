// The forecasts that end an iteration: what is left of a residual after the corrections made so far, to a
// stated tolerance or to rounding. iterate.hpp says what a forecast offers.
#pragma once

#include <taut/scalar/number.hpp>
#include <taut/solve/iterate.hpp>

#include <cmath>

namespace taut {

// Stagnation counts as convergence only this close to the rounding level; above it, it is a failure.
inline constexpr double stagnation_slack = 1000;
// This close to it, a fall by less than a tenth counts as stagnation.
inline constexpr double crawl_slack = 8;

// What an iteration leaves when it stops at the rounding level has the same sign step after step. It would
// make the energy drift, while rounding alone makes it a random walk. Therefore the iteration continues,
// blindly, until its forecast says that less than this many units are left.
inline constexpr double left_over = 0x1p-12;
// The same for the stages of a step, whose impulses are residuals divided by h: at 2⁻¹² units the energy of
// lobatto(3), h = 0.01, still moved by 4e-22 a step, at 2⁻²⁶ by 2e-22, always the same way.
inline constexpr double stage_left_over = 0x1p-40;
// An iteration that may leave a unit stops at the rounding level.
inline constexpr double one_unit = 1;
// What the force of a stiff problem may leave in the stage equations of a step, in units: see SeenRate.
inline constexpr double stage_noise = 0x1p26;
// The rate is taken from residuals this many units above rounding.
inline constexpr double clear_of_rounding = 64;

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

// A stated tolerance on the residual needs no forecast but what it sees.
template <class T>
class StatedTolerance {
 public:
  explicit StatedTolerance(double tolerance) : tolerance_(tolerance) {}

  template <class R, class C>
  Mask<T> look(int, R& residual, C&, const Mask<T>&) const {
    residual.evaluate();
    return !residual.within(tolerance_);  // a lane left alone stays where it ended
  }
  static bool looked() { return true; }
  template <class C>
  static int correct(C& correct, const Mask<T>& active) {
    return correct(active);
  }

 private:
  double tolerance_;
};

// Solves a linear system: after one correction only rounding is left, and a second is made only if that is
// more than it should be.
template <class T>
class LinearSystem {
 public:
  template <class R, class C>
  Mask<T> look(int k, R& residual, C&, const Mask<T>& active) {
    residual.evaluate();
    if (k == 0) {
      residual.set_units();
      previous_ = residual.in_units();
      return !(previous_ <= Real<T>(1) && residual.sound());
    }
    const Real<T> now = residual.in_units();
    const Mask<T> small = now <= Real<T>(crawl_slack) || stagnated<T>(now, previous_);
    previous_ = now;
    return active && !(small && residual.sound());
  }
  static bool looked() { return true; }
  template <class C>
  static int correct(C& correct, const Mask<T>& active) {
    return correct(active);
  }

 private:
  Real<T> previous_{0};
};

// Sees the rate of an iteration that converges linearly, and at the rounding level continues blindly until
// the rate says that at most `left_over` units are left. A residual that has found no new minimum in six
// corrections counts as stagnated up to `noise` units: the rounding units know the size of the terms, not the
// cancellation inside a stiff force.
template <class T>
class SeenRate {
 public:
  explicit SeenRate(double noise = stagnation_slack, double left_over_units = left_over)
      : noise_(noise), enough_(left_over_units) {}

  template <class R, class C>
  Mask<T> look(int k, R& residual, C&, const Mask<T>& active) {
    Mask<T> going = active && !ended();
    looked_ = any(going);
    if (!looked_) return going;
    residual.evaluate();
    if (k == 0) residual.set_units();
    if (any(Mask<T>(going && !done_))) {
      compare(k, residual);
      going = going && !ended();
    }
    left_ = select(done_, Real<T>(left_ * rate_), left_);
    return going;
  }
  bool looked() const { return looked_; }
  template <class C>
  static int correct(C& correct, const Mask<T>& active) {
    return correct(active);
  }

 private:
  Mask<T> ended() const { return done_ && left_ <= enough_; }
  // Compares the residual with the one before it.
  template <class R>
  void compare(int k, R& residual) {
    const Real<T> now = residual.in_units();
    const Mask<T> going = !done_;
    if (any(Mask<T>(now <= Real<T>(1))))
      done_ = done_ || (now <= Real<T>(1) && residual.sound());  // a maximum may lose a NaN
    const Mask<T> better = k == 0 ? Mask<T>(true) : Mask<T>(now < best_);
    best_ = select(better, now, best_);
    idle_ = select(better, Real<T>(0), Real<T>(idle_ + Real<T>(1)));
    if (k > 0) {
      const Real<T> seen = seen_rate<T>(now, previous_, newest_);
      rate_ = select(going, larger(seen, newest_), rate_);  // the slower of two: modes may take turns
      newest_ = seen;
      const Mask<T> still = stagnated<T>(now, previous_) || (idle_ >= Real<T>(6) && now <= Real<T>(noise_));
      if (any(still)) done_ = done_ || (still && residual.sound());
    }
    expected_ = select(Mask<T>(now > Real<T>(clear_of_rounding)), now, Real<T>(expected_ * rate_));
    left_ = select(Mask<T>(going && done_ && rate_ <= Real<T>(0.125) && expected_ < left_), expected_, left_);
    left_ = select(Mask<T>(going && now <= Real<T>(0)), Real<T>(0), left_);  // nothing to correct
    previous_ = now;
  }

  double noise_;
  Real<T> enough_;
  bool looked_ = true;
  Mask<T> done_{false};
  Real<T> previous_{0}, newest_{0.5}, rate_{0.5}, left_{1}, best_{0}, idle_{0};
  Real<T> expected_{1};  // the residual, without what rounding adds to it
};

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

// Foresees the end of Newton's iteration. What a correction will leave is known before it is made, from the
// residual r and the one before it, r': r (r/r')² with a new factor, 2 r (r/r') with the one at hand. The
// last corrections therefore need no look at their outcome, and no rounded residual decides where they end;
// they keep the factor if that is cheaper. A rate that does not improve is not relied on.
//     correct(active, kept)   corrects with a new factor, except in the lanes of `kept`
//     correct.again(active)   corrects with the factor at hand, if Correct::keeps > 0
// A lane waits for the others before its last corrections, with its own factor.
template <class T>
class NewtonBySquares {
 public:
  template <class R, class C>
  Mask<T> look(int k, R& residual, C&, const Mask<T>& active) {
    if (last_) {
      left_ *= rate_;
      const Mask<T> going = active && left_ > enough_;
      looked_ = any(going);
      if (looked_) residual.evaluate();
      return going;
    }
    residual.evaluate();
    if (k == 0) return first_look(residual);
    const Mask<T> going = compare<kept_corrections<C>()>(residual, active);
    last_ = !any(going);
    return last_ ? Mask<T>(left_ > enough_) : going;
  }
  bool looked() const { return looked_; }
  template <class C>
  int correct(C& correct, const Mask<T>& active) const {
    return last_ ? last_correction(correct, active) : correct(active, Mask<T>(!active));
  }

 private:
  template <class C>
  int last_correction(C& correct, const Mask<T>& active) const {
    if constexpr (kept_corrections<C>() > 0)
      if (kept_corrections<C>() > 1 || !any(Mask<T>(active && fresh_))) {
        correct.again(active);
        return -1;
      }
    return correct(active, Mask<T>(!fresh_));
  }
  template <class R>
  Mask<T> first_look(R& residual) {
    residual.set_units();
    previous_ = residual.in_units();
    const Mask<T> active = !(previous_ <= Real<T>(0) && residual.sound());
    left_ = select(active, Real<T>(1), Real<T>(0));
    return active;
  }
  // Compares the residual with the one before it. Returns the lanes whose next correction is not yet one of
  // their last.
  template <int keeps, class R>
  Mask<T> compare(R& residual, const Mask<T>& active) {
    const Real<T> now = residual.in_units(), ratio = now / previous_, square = ratio * ratio;
    Mask<T> ended = stagnated<T>(now, previous_);
    if (any(Mask<T>(now <= Real<T>(1)))) {
      const Mask<T> sound = residual.sound();  // a maximum may lose a NaN
      ended = ended || (now <= Real<T>(1) && sound);
      left_ = select(Mask<T>(active && sound && now <= Real<T>(0)), Real<T>(0), left_);  // nothing to correct
    }
    // What is below a unit and has not ended is not sound.
    const Mask<T> last = !ended && now > Real<T>(1) && now <= Real<T>(quadratic_within<T>()) &&
                         now * square <= enough_ && Real<T>(8) * ratio <= rate_;
    const Mask<T> stops = active && (ended || last);
    rate_ = select(active, seen_rate<T>(now, previous_, rate_), rate_);
    left_ = select(Mask<T>(active && last), now, left_);
    if constexpr (keeps == 0) fresh_ = Mask<T>(true);
    if constexpr (keeps == 1) fresh_ = fresh_ || (stops && !(Real<T>(2) * left_ * rate_ <= enough_));
    const Real<T> slower = select(Mask<T>(rate_ < Real<T>(0.25)), Real<T>(Real<T>(2) * rate_), Real<T>(0.5));
    rate_ = select(stops, select(fresh_, select(last, square, rate_), slower), rate_);
    previous_ = now;
    return active && !stops;
  }

  const Real<T> enough_{left_over};
  Mask<T> fresh_{false};  // lanes with a new factor in their last corrections
  bool last_ = false;     // all lanes make their last corrections
  bool looked_ = true;
  Real<T> previous_{0}, rate_{0.5}, left_{1};
};

// Two forecasts of which the run chooses one.
template <class First, class Second>
struct EitherForecast {
  bool is_first;
  First first{};
  Second second{};
};

}  // namespace taut
