// The functions a formula may use, for double, long double, 128-bit and dual numbers. A double has those
// of elementary.hpp, the longer floats have those of their libraries. Those for SIMD packs are in
// lane_functions.hpp, because its headers take a second to read; sqrt, sin and cos are in number.hpp,
// dual.hpp and pack.hpp.
#pragma once

#include <taut/scalar/dual.hpp>
#include <taut/scalar/elementary.hpp>
#include <taut/scalar/number.hpp>

#include <cmath>

// They are declared here because clang has no quadmath.h, as in number.hpp.
extern "C" {
__extension__ __float128 expq(__float128) noexcept;
__extension__ __float128 logq(__float128) noexcept;
__extension__ __float128 tanq(__float128) noexcept;
__extension__ __float128 asinq(__float128) noexcept;
__extension__ __float128 acosq(__float128) noexcept;
__extension__ __float128 atanq(__float128) noexcept;
__extension__ __float128 sinhq(__float128) noexcept;
__extension__ __float128 coshq(__float128) noexcept;
__extension__ __float128 tanhq(__float128) noexcept;
__extension__ __float128 erfq(__float128) noexcept;
__extension__ __float128 erfcq(__float128) noexcept;
__extension__ __float128 cbrtq(__float128) noexcept;
__extension__ __float128 atan2q(__float128, __float128) noexcept;
__extension__ __float128 powq(__float128, __float128) noexcept;
}

namespace taut {

#define TAUT_OF_DOUBLE(f)              \
  template <class T>                   \
    requires std::is_same_v<T, double> \
  T f(T x) {                           \
    return elementary::f(x);           \
  }
TAUT_OF_DOUBLE(exp)
TAUT_OF_DOUBLE(log)
TAUT_OF_DOUBLE(tan)
TAUT_OF_DOUBLE(asin)
TAUT_OF_DOUBLE(acos)
TAUT_OF_DOUBLE(atan)
TAUT_OF_DOUBLE(sinh)
TAUT_OF_DOUBLE(cosh)
TAUT_OF_DOUBLE(tanh)
TAUT_OF_DOUBLE(erf)
TAUT_OF_DOUBLE(erfc)
TAUT_OF_DOUBLE(cbrt)
#undef TAUT_OF_DOUBLE
template <class T>
  requires std::is_same_v<T, double>
T atan2(T y, T x) {
  return elementary::atan2(y, x);
}
inline long double exp(long double x) { return std::exp(x); }
inline long double log(long double x) { return std::log(x); }
inline long double tan(long double x) { return std::tan(x); }
inline long double asin(long double x) { return std::asin(x); }
inline long double acos(long double x) { return std::acos(x); }
inline long double atan(long double x) { return std::atan(x); }
inline long double sinh(long double x) { return std::sinh(x); }
inline long double cosh(long double x) { return std::cosh(x); }
inline long double tanh(long double x) { return std::tanh(x); }
inline long double erf(long double x) { return std::erf(x); }
inline long double erfc(long double x) { return std::erfc(x); }
inline long double cbrt(long double x) { return std::cbrt(x); }
inline long double atan2(long double y, long double x) { return std::atan2(y, x); }
inline Float128 exp(Float128 x) { return expq(x); }
inline Float128 log(Float128 x) { return logq(x); }
inline Float128 tan(Float128 x) { return tanq(x); }
inline Float128 asin(Float128 x) { return asinq(x); }
inline Float128 acos(Float128 x) { return acosq(x); }
inline Float128 atan(Float128 x) { return atanq(x); }
inline Float128 sinh(Float128 x) { return sinhq(x); }
inline Float128 cosh(Float128 x) { return coshq(x); }
inline Float128 tanh(Float128 x) { return tanhq(x); }
inline Float128 erf(Float128 x) { return erfq(x); }
inline Float128 erfc(Float128 x) { return erfcq(x); }
inline Float128 cbrt(Float128 x) { return cbrtq(x); }
inline Float128 atan2(Float128 y, Float128 x) { return atan2q(y, x); }

// Returns x^y for an exponent that is not a whole number known beforehand.
template <class T>
  requires is_float<T>
T power(T x, T y) {
  if constexpr (std::is_same_v<T, Float128>)
    return powq(x, y);
  else if constexpr (std::is_same_v<T, double>)
    return elementary::pow(x, y);
  else
    return std::pow(x, y);
}
template <class T>
  requires is_float<T>
T absolute(T x) {
  return magnitude(x);
}
// Returns -1, 0 or 1: the derivative of |x|, or 0 if there is none.
template <class T>
  requires is_float<T>
T sign(T x) {
  return T((x > 0) - (x < 0));
}

template <class T, int k>
Dual<T, k> exp(const Dual<T, k>& x) {
  const T y = exp(x.value);
  return x.chain(y, y);
}
template <class T, int k>
Dual<T, k> log(const Dual<T, k>& x) {
  return x.chain(log(x.value), T(1) / x.value);
}
template <class T, int k>
Dual<T, k> tan(const Dual<T, k>& x) {
  const T y = tan(x.value);
  return x.chain(y, T(1) + y * y);
}
template <class T, int k>
Dual<T, k> asin(const Dual<T, k>& x) {
  return x.chain(asin(x.value), T(1) / sqrt(T(1) - x.value * x.value));
}
template <class T, int k>
Dual<T, k> acos(const Dual<T, k>& x) {
  return x.chain(acos(x.value), T(-1) / sqrt(T(1) - x.value * x.value));
}
template <class T, int k>
Dual<T, k> atan(const Dual<T, k>& x) {
  return x.chain(atan(x.value), T(1) / (T(1) + x.value * x.value));
}
template <class T, int k>
Dual<T, k> sinh(const Dual<T, k>& x) {
  return x.chain(sinh(x.value), cosh(x.value));
}
template <class T, int k>
Dual<T, k> cosh(const Dual<T, k>& x) {
  return x.chain(cosh(x.value), sinh(x.value));
}
template <class T, int k>
Dual<T, k> tanh(const Dual<T, k>& x) {
  const T y = tanh(x.value);
  return x.chain(y, T(1) - y * y);
}
// Returns 2/√π exp(-x²), the derivative of erf. √π is 2 √atan(1), which has the digits of every scalar.
template <class T>
T slope_of_erf(const T& x) {
  static const T at_zero = T(1) / sqrt(atan(T(1)));
  return at_zero * exp(-(x * x));
}
template <class T, int k>
Dual<T, k> erf(const Dual<T, k>& x) {
  return x.chain(erf(x.value), slope_of_erf(x.value));
}
template <class T, int k>
Dual<T, k> erfc(const Dual<T, k>& x) {
  return x.chain(erfc(x.value), -slope_of_erf(x.value));
}
template <class T, int k>
Dual<T, k> cbrt(const Dual<T, k>& x) {
  const T y = cbrt(x.value);
  return x.chain(y, T(1) / (T(3) * y * y));
}
template <class T, int k>
Dual<T, k> sign(const Dual<T, k>& x) {
  return Dual<T, k>(sign(x.value));
}
template <class T, int k>
Dual<T, k> absolute(const Dual<T, k>& x) {
  return x.chain(absolute(x.value), sign(x.value));
}
template <class T, int k>
Dual<T, k> atan2(const Dual<T, k>& y, const Dual<T, k>& x) {
  const T r2 = x.value * x.value + y.value * y.value;
  Dual<T, k> angle(atan2(y.value, x.value));
  for (int i = 0; i < k; ++i) angle.tangent[i] = (x.value * y.tangent[i] - y.value * x.tangent[i]) / r2;
  return angle;
}
// The tangent of a constant exponent is 0, and 0·log(x) counts as 0 even if x is negative.
template <class T, int k>
Dual<T, k> power(const Dual<T, k>& x, const Dual<T, k>& y) {
  const T value = power(x.value, y.value), slope = y.value * power(x.value, T(y.value - T(1)));
  Dual<T, k> z = x.chain(value, slope);
  for (int i = 0; i < k; ++i)
    z.tangent[i] +=
        select(magnitude(y.tangent[i]) <= Real<T>(0), T(0), T(y.tangent[i] * value * log(x.value)));
  return z;
}

// Converts a number of the model, kept to 113 bits, to a scalar of any type: the nearest value,
// without a tangent.
template <class T>
T number_as(Float128 x) {
  if constexpr (is_float<T>)
    return static_cast<T>(x);
  else if constexpr (requires { T().tangent; })
    return T(number_as<typename ScalarTraits<T>::Element>(x));
  else
    return T(static_cast<double>(x));
}

}  // namespace taut
