// What is a number? One interface for every scalar a method may be compiled with: double, long double,
// 128-bit floats (here), dual numbers (dual.hpp) and packs of SIMD lanes (pack.hpp).
//
//   Real<T>       the type that carries |x|: T itself, except for dual numbers
//   Base<T>       the type without tangents: what a Jacobian is formed in
//   magnitude(x)  |x|, over value and tangents, so that "converged" means both
//   Mask<T>       the outcome of comparing two Real<T>: bool, or one bool per lane
//   select, add_where, any, all, finite, lanes, lane    how a mask is used and read
#pragma once

#include <taut/scalar/elementary/trigonometric.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

// clang has no quadmath.h, so the few functions of libquadmath that are used are declared here.
extern "C" {
__extension__ __float128 sqrtq(__float128) noexcept;
__extension__ __float128 sinq(__float128) noexcept;
__extension__ __float128 cosq(__float128) noexcept;
}

namespace taut {

__extension__ using Float128 = __float128;

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, Float128>;

template <class T>
struct ScalarTraits {
  static_assert(is_float<T>,
                "taut: no ScalarTraits for this scalar type; include its header (dual.hpp, pack.hpp)");
  using Real = T;
  using Base = T;
  using Mask = bool;
  static constexpr int lanes = 1;
};

template <class T>
using Real = typename ScalarTraits<T>::Real;
template <class T>
using Base = typename ScalarTraits<T>::Base;
template <class T>
using Mask = typename ScalarTraits<T>::Mask;

// The distance from 1 to the next float, as a double (2^-112 is an ordinary double).
template <class T>
constexpr double epsilon() {
  if constexpr (std::is_same_v<T, Float128>)
    return 0x1p-112;
  else if constexpr (is_float<T>)
    return static_cast<double>(std::numeric_limits<T>::epsilon());
  else
    return epsilon<typename ScalarTraits<T>::Element>();
}

using std::sqrt;
// A double has functions of our own, with the same bits on every machine. They are templates, so that a
// program that is `using namespace taut` may still call sin: it then gets that of its library.
template <class T>
  requires std::is_same_v<T, double>
T sin(T x) {
  return elementary::sin(x);
}
template <class T>
  requires std::is_same_v<T, double>
T cos(T x) {
  return elementary::cos(x);
}
inline long double sin(long double x) { return std::sin(x); }
inline long double cos(long double x) { return std::cos(x); }
inline Float128 sqrt(Float128 x) { return sqrtq(x); }
inline Float128 sin(Float128 x) { return sinq(x); }
inline Float128 cos(Float128 x) { return cosq(x); }

template <class T>
  requires is_float<T>
constexpr T magnitude(T x) {
  if constexpr (std::is_same_v<T, Float128>)
    return x < 0 ? -x : x;
  else
    return std::is_constant_evaluated() ? (x < 0 ? -x : x) : std::fabs(x);
}

template <class T>
  requires is_float<T>
constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

template <class T>
  requires is_float<T>
constexpr bool finite(T x) {
  return x - x == 0;  // false for infinities and NaN; std::isfinite does not know 128-bit floats
}

constexpr bool any(bool mask) { return mask; }
constexpr bool all(bool mask) { return mask; }
constexpr bool lane(bool mask, int) { return mask; }

template <class T>
constexpr T select(bool mask, const T& yes, const T& no) {
  return mask ? yes : no;
}

// Adds dx to x in the lanes of the mask.
template <class T>
constexpr void add_where(const Mask<T>& mask, T& x, const T& dx) {
  x = select(mask, T(x + dx), x);
}

template <class T>
  requires is_float<T>
constexpr T base(T x) {
  return x;
}

// Returns the value of one lane as a double, for messages and reports.
template <class T>
  requires is_float<T>
constexpr double lane(T x, int) {
  return static_cast<double>(x);
}

// Replaces the value of one lane.
inline void set_lane(double& x, int, double value) { x = value; }

// Converts a number to another type. If the target has no tangents, only the value is kept.
template <class To, class From>
constexpr To convert(const From& x) {
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (requires { static_cast<To>(x); })
    return static_cast<To>(x);
  else
    return To(static_cast<double>(x));
}

}  // namespace taut
