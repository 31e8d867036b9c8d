// How the iteration of a cluster of rods goes on (rod_clusters.hpp).
#pragma once

#include <taut/rods/rods.hpp>

namespace taut {

// Newton's error after errors e₀, e₁ is H e₁²/2; that of a correction by the factor made at e₀ is H e₀e₁, for much less work. So
// the factor is kept where two such corrections will do. The last correction needs no residual after it in the space of the rods, since the true one is
// looked at.
class ClusterProgress {
 public:
  explicit ClusterProgress(const RodGoal& goal) : goal_(goal) {}

  struct Next {
    bool keep, last;
  };
  // The next correction, where max |g| is `largest`. At rounding it is the last, with a new factor unless the one at hand leaves little enough at once.
  Next next(double largest) {
    const double ratio = largest / (before_ > 0 ? before_ : goal_.length2);
    const bool at_rounding = largest <= goal_.at_rounding;
    if (!kept_) rate_ = 2 * ratio;
    kept_ =
        before_ > 0 && rate_ < 0.25 && safety * largest * rate_ * (at_rounding ? 1 : rate_) <= goal_.target;
    const double left = largest * (kept_ ? rate_ : before_ > 0 ? ratio * ratio : ratio);
    before_ = largest;
    return {kept_, at_rounding || (ratio < 0.25 && safety * left <= goal_.target)};
  }

 private:
  static constexpr double safety = 4;  // a look at the true residual costs as much as a correction
  RodGoal goal_;
  double before_ = 0, rate_ = 1;
  bool kept_ = false;
};

}  // namespace taut
