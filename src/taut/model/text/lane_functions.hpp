// The functions a formula may use, for every scalar: those of functions.hpp, and for SIMD packs lane by lane,
// so that a lane equals the scalar run.
#pragma once

#include <taut/model/text/functions.hpp>
#include <taut/scalar/pack.hpp>

namespace taut {

#define TAUT_LANE_BY_LANE(f)                               \
  template <int n>                                         \
  Pack<n> f(const Pack<n>& x) {                            \
    return lane_by_lane(x, [](double t) { return f(t); }); \
  }
TAUT_LANE_BY_LANE(exp)
TAUT_LANE_BY_LANE(log)
TAUT_LANE_BY_LANE(tan)
TAUT_LANE_BY_LANE(asin)
TAUT_LANE_BY_LANE(acos)
TAUT_LANE_BY_LANE(atan)
TAUT_LANE_BY_LANE(sinh)
TAUT_LANE_BY_LANE(cosh)
TAUT_LANE_BY_LANE(tanh)
TAUT_LANE_BY_LANE(sign)
#undef TAUT_LANE_BY_LANE

template <int n, class F>
Pack<n> lane_by_lane(const Pack<n>& x, const Pack<n>& y, F f) {
  Pack<n> z;
  for (int i = 0; i < n; ++i) z.set(i, f(x[i], y[i]));
  return z;
}
template <int n>
Pack<n> atan2(const Pack<n>& y, const Pack<n>& x) {
  return lane_by_lane(y, x, [](double a, double b) { return std::atan2(a, b); });
}
template <int n>
Pack<n> power(const Pack<n>& x, const Pack<n>& y) {
  return lane_by_lane(x, y, [](double a, double b) { return std::pow(a, b); });
}
template <int n>
Pack<n> absolute(const Pack<n>& x) {
  return magnitude(x);
}

}  // namespace taut
