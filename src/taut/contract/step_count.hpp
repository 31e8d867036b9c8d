#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace taut {

// Returns the least number of whole steps h that reaches time `until` up to rounding; both have the same
// sign, h is not 0.
inline double steps_until(double until, double h) {
  const double exact = until / h, nearest = std::round(exact);
  // until, h and the quotient are each rounded once: 0.3/0.1 must give 3.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::abs(exact);
  return std::abs(exact - nearest) <= rounding ? nearest : std::ceil(exact);
}

// Above this, counting steps in a double would lose some.
inline constexpr double most_steps = 9e15;

}  // namespace taut
