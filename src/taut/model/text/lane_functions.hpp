// The functions a formula may use, for every scalar: those of functions.hpp, and for SIMD packs the same
// elementary functions, so that a lane equals the scalar run.
#pragma once

#include <taut/model/text/functions.hpp>
#include <taut/scalar/pack.hpp>

namespace taut {

#define TAUT_BY_REGISTERS(f)                                         \
  template <int n>                                                   \
  Pack<n> f(const Pack<n>& x) {                                      \
    return by_registers([](auto t) { return elementary::f(t); }, x); \
  }
TAUT_BY_REGISTERS(exp)
TAUT_BY_REGISTERS(log)
TAUT_BY_REGISTERS(tan)
TAUT_BY_REGISTERS(asin)
TAUT_BY_REGISTERS(acos)
TAUT_BY_REGISTERS(atan)
TAUT_BY_REGISTERS(sinh)
TAUT_BY_REGISTERS(cosh)
TAUT_BY_REGISTERS(tanh)
TAUT_BY_REGISTERS(erf)
TAUT_BY_REGISTERS(erfc)
TAUT_BY_REGISTERS(cbrt)
#undef TAUT_BY_REGISTERS

template <int n>
Pack<n> atan2(const Pack<n>& y, const Pack<n>& x) {
  return by_registers([](auto a, auto b) { return elementary::atan2(a, b); }, y, x);
}
template <int n>
Pack<n> power(const Pack<n>& x, const Pack<n>& y) {
  return by_registers([](auto a, auto b) { return elementary::pow(a, b); }, x, y);
}
template <int n>
Pack<n> sign(const Pack<n>& x) {
  return select(x > Pack<n>(0), Pack<n>(1), select(x < Pack<n>(0), Pack<n>(-1), Pack<n>(0)));
}
template <int n>
Pack<n> absolute(const Pack<n>& x) {
  return magnitude(x);
}

}  // namespace taut
