// How far a double is from a value in 128 bits, in units of the last place that the exact value has as a
// double.
#pragma once

#include <taut/scalar/number.hpp>

#include <cmath>

extern "C" {
__extension__ __float128 ldexpq(__float128, int) noexcept;
__extension__ __float128 frexpq(__float128, int*) noexcept;
}

namespace taut::test {

inline double ulps(double y, Float128 exact) {
  const auto nearest = static_cast<double>(exact);
  if (nearest != nearest || y != y) return nearest != nearest && y != y ? 0 : INFINITY;
  if (std::isinf(y) || std::isinf(nearest)) {
    if (y == nearest) return 0;
    // One of them is infinite: at the limit, the largest double is the other neighbour of the exact value.
    if (std::isinf(y) && (std::isinf(nearest) || std::signbit(y) != std::signbit(nearest))) return INFINITY;
  }
  int exponent = 0;
  if (exact != 0) frexpq(magnitude(exact), &exponent);
  const int unit = exact == 0 || exponent - 53 < -1074 ? -1074 : exponent - 53;
  const Float128 value = std::isinf(y) ? (y > 0 ? ldexpq(1, 1024) : -ldexpq(1, 1024)) : Float128(y);
  return static_cast<double>(ldexpq(magnitude(Float128(value - exact)), -unit));
}

}  // namespace taut::test
