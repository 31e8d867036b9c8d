// The forecasts that end an iteration: what is left of a residual after the corrections made so far, to a
// stated tolerance or to rounding. iterate.hpp says what a forecast offers.
#pragma once

#include <taut/contract/choices.hpp>
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
// The rate that is assumed if none can be seen, because already the first residual is at the rounding level:
// there the step is so short that the matrix hardly changes in it. A slower rate, such as a half, would make
// short steps take many more corrections than long ones.
inline constexpr double unseen_rate = 0x1p-10;

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

// A stated tolerance on the residual needs no forecast but what it sees. If the correction tells its size,
// the tolerance may also be held against the 2-norms of the residual and of the last correction.
template <class T>
class StatedTolerance {
 public:
  explicit StatedTolerance(double tolerance, StopRule stop = StopRule::residual)
      : tolerance_(tolerance), stop_(stop) {}

  template <class R, class C>
  Mask<T> look([[maybe_unused]] int k, R& residual, [[maybe_unused]] C& correct,
               [[maybe_unused]] const Mask<T>& active) const {
    residual.evaluate();
    if constexpr (requires { correct.change_norm(); })
      if (stop_ == StopRule::change) [[unlikely]] {
        if (k == 0) return active;  // there is no change yet
        const Real<T> limit(tolerance_);
        return active && !(residual.norm() <= limit && correct.change_norm() <= limit);  // (C7)
      }
    return !residual.within(tolerance_);  // a lane left alone stays where it ended
  }
  static bool looked() { return true; }
  static bool arrived(const Mask<T>&) { return false; }
  template <class C>
  static int correct(C& correct, const Mask<T>& active) {
    return correct(active);
  }

 private:
  double tolerance_;
  StopRule stop_;
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
  static bool arrived(const Mask<T>&) { return false; }
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
  bool arrived(const Mask<T>& active) const { return all(Mask<T>(done_ || !active)); }
  template <class C>
  static int correct(C& correct, const Mask<T>& active) {
    return correct(active);
  }

 protected:
  // Returns the corrections since the residual was least, and whether a lane has arrived.
  const Real<T>& idle() const { return idle_; }
  const Mask<T>& done() const { return done_; }

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
      const Mask<T> slow = previous_ > Real<T>(clear_of_rounding) && !(now < Real<T>(0.5) * previous_);
      const Real<T> seen = select(slow, Real<T>(0.5), seen_rate<T>(now, previous_, newest_));
      // Modes may take turns, so that two corrections together show the rate. The first has none before it.
      const Real<T> both = k == 1 ? larger(seen, newest_) : Real<T>(sqrt(seen * newest_));
      rate_ = select(going, both, rate_);
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
  Real<T> previous_{0}, newest_{unseen_rate}, rate_{unseen_rate}, left_{1}, best_{0}, idle_{0};
  Real<T> expected_{1};  // the residual, without what rounding adds to it
};

// The same for an iteration that has another one behind it: a residual that has not become less in so many
// corrections is given up.
inline constexpr double most_idle_corrections = 12;
template <class T>
class SeenRateOrLost : public SeenRate<T> {
 public:
  using SeenRate<T>::SeenRate;
  bool lost(const Mask<T>& active) const {
    return any(Mask<T>(active && !this->done() && this->idle() >= Real<T>(most_idle_corrections)));
  }
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
  // A matrix that is Newton's up to a small part may leave that part of a residual, and not its square.
  explicit NewtonBySquares(bool exact = true) : exact_(exact), rounding_(exact ? crawl_slack : one_unit) {}

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
  bool arrived(const Mask<T>& active) const { return last_ && all(Mask<T>(left_ <= Real<T>(1) || !active)); }
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
    const Real<T> now = residual.in_units(), ratio = now / previous_,
                  square = exact_ ? Real<T>(ratio * ratio) : ratio;  // what the next correction leaves
    Mask<T> ended = stagnated<T>(now, previous_);
    if (any(Mask<T>(now <= Real<T>(1)))) {
      const Mask<T> sound = residual.sound();  // a maximum may lose a NaN
      ended = ended || (now <= Real<T>(1) && sound);
      left_ = select(Mask<T>(active && sound && now <= Real<T>(0)), Real<T>(0), left_);  // nothing to correct
    }
    // From so close a correction with a new factor leaves less than is wanted: what is seen is rounding. The
    // rate could not be seen, and would be taken for a slow one.
    const Mask<T> close = now <= rounding_ && previous_ <= Real<T>(quadratic_within<T>());
    if (any(close)) {
      const Mask<T> over = close && residual.sound();
      ended = ended || over;
      left_ = select(Mask<T>(active && over), Real<T>(0), left_);
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
  const bool exact_;
  const Real<T> rounding_;  // a residual that is seen below this, close to the solution, is rounding
  Mask<T> fresh_{false};    // lanes with a new factor in their last corrections
  bool last_ = false;       // all lanes make their last corrections
  bool looked_ = true;
  Real<T> previous_{0}, rate_{0.5}, left_{1};
};

// Does the same until at most a unit is left.
template <class T>
struct SeenRateToAUnit : SeenRate<T> {
  SeenRateToAUnit() : SeenRate<T>(stagnation_slack, one_unit) {}
};

// Two forecasts of which the run chooses one; NewtonBySquares is told whether its matrix is exact.
template <class First, class Second>
struct EitherForecast {
  bool is_first;
  bool is_exact = true;
};

}  // namespace taut
