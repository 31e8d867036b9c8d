// A problem and a method bound to it, their types hidden: what the time loop and the certificate hold. One virtual call makes many steps,
// so that hiding the types costs nothing per step.
#pragma once

#include <taut/method/projection_count.hpp>
#include <taut/run/tally.hpp>

#include <span>

namespace taut {

class Machine {
 public:
  virtual ~Machine() = default;
  // At most `count` steps, each added to the tally; ends before the first that fails.
  virtual void advance(double h, std::int64_t count, Tally& tally) = 0;
  // The last good mesh point, as the method puts it out.
  virtual std::span<const double> q() const = 0;
  virtual std::span<const double> p() const = 0;
  virtual Reading read() = 0;
  virtual std::vector<double> multiplier() const = 0;  // λ(q, p); empty where the constraints are dependent
  virtual std::vector<double> last_multiplier(
      double h) const = 0;  // the method's own; empty where it has none
  virtual ProjectionCount projections() const = 0;
};

}  // namespace taut
