// When Newton's iteration for rods ends: its goal, the forecast of what the next correction leaves, and what
// the true residuals must satisfy afterwards.
#pragma once

#include <taut/rods/rod_solver.hpp>
#include <taut/scalar/number.hpp>

#include <algorithm>

namespace taut {

// When an iteration may stop: the last correction leaves at most |g| = target. If |g| ≤ at_rounding before a
// correction, that correction is the last.
struct RodGoal {
  double target, at_rounding;
  double length2;  // the least L², which g is compared with
  bool to_tolerance() const { return target >= at_rounding; }
};

inline constexpr int most_corrections = 12;  // a system that needs more is better off with a matrix

// Decides before each correction whether it is the last, and whether it may use the factor at hand. Newton's
// error after errors e₀, e₁ is H e₁²/2, so two residuals foretell the next. A correction with the factor made
// at e₀ leaves H e₀e₁, for much less work: the factor is kept if two such corrections will do. To rounding
// none is kept: what such corrections leave moved the energy of pendulums at h = 2⁻⁵ by 5e-21 a step
// (variants/rounding_has_no_bias). The last correction needs no residual after it in the space of the rods,
// because the true residual is evaluated at the end.
class RodForecast {
 public:
  // The forecast must stay below the target by the factor `safety`.
  RodForecast(const RodGoal& goal, double safety, bool may_keep)
      : goal_(goal), safety_(safety), may_keep_(may_keep) {}
  // For chains a correction too many costs less than another look at the true residual.
  static RodForecast of_chains(const RodGoal& goal) { return {goal, 16, false}; }
  // For clusters a look at the true residual costs as much as a correction.
  static RodForecast of_clusters(const RodGoal& goal) { return {goal, 4, goal.to_tolerance()}; }

  struct Next {
    bool keep_factor, last;
  };
  // Describes the next correction, given max |g| before it. At rounding it is the last, with a new factor
  // unless the one at hand leaves little enough at once.
  Next next(double largest) {
    const double ratio = largest / (before_ > 0 ? before_ : goal_.length2);
    const bool at_rounding = largest <= goal_.at_rounding;
    if (!kept_) rate_ = 2 * ratio;
    kept_ = may_keep_ && before_ > 0 && rate_ < 0.25 &&
            safety_ * largest * rate_ * (at_rounding ? 1 : rate_) <= goal_.target;
    const double left = largest * (kept_ ? rate_ : before_ > 0 ? ratio * ratio : ratio);
    before_ = largest;
    return {kept_, at_rounding || (ratio < 0.25 && safety_ * left <= goal_.target)};
  }

 private:
  RodGoal goal_;
  double safety_;
  bool may_keep_;
  double before_ = 0, rate_ = 1;
  bool kept_ = false;
};

// What a sweep through a chain saw: max |g| before the correction, and whether all pivots stayed clear of
// zero.
struct RodSweep {
  double largest = 0;
  bool sound = true;
};
inline RodSweep worse(const RodSweep& a, const RodSweep& b) {
  return {std::max(a.largest, b.largest), a.sound && b.sound};
}
inline RodSolve worse(const RodSolve& a, const RodSolve& b) {
  return {std::max(a.corrections, b.corrections), a.sound && b.sound};
}

// Runs Newton's iteration of chains in sweeps. sweep(first) ends a sweep forward and says what it saw;
// correct(first, last) goes back with the correction and, unless it is the last, forward again.
template <class Sweep, class Correct>
RodSolve in_corrections(RodForecast forecast, Sweep&& sweep, Correct&& correct) {
  RodSolve result;
  for (bool over = false; !over;) {
    const bool first = result.corrections == 0;
    const RodSweep seen = sweep(first);
    result.sound = result.sound && seen.sound;
    ++result.corrections;
    const bool last = forecast.next(seen.largest).last;
    over = last || result.corrections == most_corrections || !result.sound;
    if (over) result.sound = result.sound && last;
    correct(first, over);
  }
  return result;
}

// The true residuals at the end: the largest of them, less what rounding explains if they are to be at
// rounding; and the largest velocity seen.
struct RodExcess {
  double residual = -1e300, speed = 0;
};
inline RodExcess worse(const RodExcess& a, const RodExcess& b) {
  return {std::max(a.residual, b.residual), std::max(a.speed, b.speed)};
}
// A maximum may lose a NaN, so a NaN counts as a huge number.
inline double huge_if_nan(double residual) { return residual <= 1e300 ? residual : 2e300; }
// Rounding of the coordinates x, x' of a rod r moves g by at most (ε/2) Σ |r| (|x| + |x'|), and the sums in g
// itself move it by a few ε L².
inline constexpr double length_terms = 8;
// The same for velocities and the impulses that changed them, whose products round, too.
inline constexpr double velocity_slack = 8;

}  // namespace taut
