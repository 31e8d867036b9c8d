// log and pow.
//
// Reduction: x = 2^k m with m between √½ and √2, f = m - 1 and s = f/(2 + f). Then log(m) = 2 artanh(s), a
// polynomial in s², which log() writes as f - (f²/2 - s (f²/2 + s² L(s²))), so that its first term is exact.
// pow() needs the logarithm to 2^-65, because y multiplies its error: s and the first terms of the series are
// sums of two doubles. Errors: log 0.9 ulp, pow 0.8 ulp.
#pragma once

#include <taut/scalar/elementary/exponential.hpp>

namespace taut::elementary {

template <class V>
struct Scaled {
  V m, k;  // x = m 2^k
};
// For x > 0, finite and not subnormal.
template <class V>
Scaled<V> scaled_around_one(V x) {
  constexpr std::int64_t root_of_half = 0x3fe6a09e667f3bcd, exponent = std::int64_t(0x7ff) << 52;
  const Integer<V> offset = difference_of_bits<V>(bits(x), Integer<V>{} + root_of_half);
  // The biased exponent becomes a double in the lowest bits of 2^52.
  const Integer<V> biased = sum_of_bits<V>(offset, Integer<V>{} + (std::int64_t(1023) << 52)) & exponent;
  const V k = number<V>(((biased >> 52) & 0x7ff) | bits(0x1p52)) - (0x1p52 + 1023);
  return {number<V>(difference_of_bits<V>(bits(x), offset & (exponent | sign_bit))), k};
}
template <class V>
Chosen<V> is_normal_and_positive(V x) {
  return both(x >= 0x1p-1022, x <= 0x1.fffffffffffffp1023);
}

template <class V>
V log_of(V m, V k) {
  const V f = m - 1.0, s = f / (f + 2.0), z = s * s, half = 0.5 * f * f;
  return k * log_2_1 - ((half - (s * (half + z * polynomial(logarithm, z)) + k * log_2_2)) - f);
}
[[gnu::cold, gnu::noinline]] inline double rare_log(double x) {
  if (x == 0) return -1 / (x * x);
  if (x < 0) return (x - x) / 0.0;
  if (!(x < 0x1p-1000)) return x + x;  // infinite, or NaN
  const Scaled<double> at = scaled_around_one(x * 0x1p54);
  return log_of(at.m, at.k - 54);
}
template <class V>
V log(V x) {
  const Scaled<V> at = scaled_around_one(x);
  return mend(opposite(is_normal_and_positive(x)), log_of(at.m, at.k), rare_log, x);
}

template <class V>
Sum<V> long_log_of(V m, V k) {
  const Sum<V> s = Sum<V>{m - 1.0, V{}} / exact_sum(m, same<V>(1));
  const Sum<V> square = exact_square(s.high), z{square.high, square.low + 2 * s.high * s.low};
  const V fifths = z.high * (two_fifths_1 + z.high * polynomial(logarithm_tail, z.high));
  const Sum<V> thirds = Sum<V>{same<V>(two_thirds_1), same<V>(two_thirds_2)} + fifths;
  const Sum<V> series = (Sum<V>{same<V>(2), V{}} + z * thirds) * s;
  return Sum<V>{k * log_2_1, k * log_2_2} + series;
}
template <class V>
Sum<V> product_with_log(V y, V m, V k) {
  const Sum<V> long_log = long_log_of(m, k), product = exact_product(y, long_log.high);
  return {product.high, product.low + y * long_log.low};
}

inline bool is_whole(double y) {
  y = absolute_value(y);
  return y >= 0x1p52 || (y + 0x1p52) - 0x1p52 == y;
}
// x^y for x > 0 and finite, y finite.
inline double rare_positive_pow(double x, double y) {
  const bool subnormal = x < 0x1p-1022;
  const Scaled<double> at = scaled_around_one(subnormal ? x * 0x1p54 : x);
  const double k = subnormal ? at.k - 54 : at.k, infinite = 0x1p1023 * 2;
  if (absolute_value(y) > 0x1p64 && x != 1) return (x > 1) == (y > 0) ? infinite : 0;
  const Sum<double> t = product_with_log(y, at.m, k);
  if (t.high > 710) return infinite;
  if (t.high < -746) return 0;
  const Exponential<double> e = exponential_parts(t.high, t.low);
  return scaled_rarely(rounded(one_and(e)), exponent_of(e.k));
}
// The cases of C, Annex F, in its order.
[[gnu::cold, gnu::noinline]] inline double rare_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  const double size = absolute_value(x), largest = 0x1.fffffffffffffp1023, infinite = largest * 2;
  if (absolute_value(y) > largest) return size == 1 ? 1 : (size > 1) == (y > 0) ? infinite : 0;
  const bool odd = is_whole(y) && !is_whole(y / 2), negative = times_sign_of(1.0, x) < 0;
  double power = 0;
  if (size == 0 || size > largest) {
    power = (size > 1) == (y > 0) ? infinite : 0;
  } else {
    if (negative && !is_whole(y)) return (x - x) / 0.0;
    power = rare_positive_pow(size, y);
  }
  return negative && odd ? -power : power;
}
template <class V>
V pow(V x, V y) {
  const Scaled<V> at = scaled_around_one(x);
  const Sum<V> t = product_with_log(y, at.m, at.k);
  const Exponential<V> e = exponential_parts(t.high, t.low);
  const V power = scaled(rounded(one_and(e)), e.k);
  const Chosen<V> usual =
      both(is_normal_and_positive(x), both(absolute_value(t.high) < 708.0, absolute_value(y) < 0x1p64));
  return mend(opposite(usual), power, rare_pow, x, y);
}

}  // namespace taut::elementary
