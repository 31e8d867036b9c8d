// exp, sinh, cosh and tanh.
//
// Reduction: x = k log(2) + r with |r| <= log(2)/2, and exp(x) = 2^k (1 + (r + (r²/2 + r³ E(r)))). log(2) has
// two parts, the first so short that its multiples by k are exact. Errors: 0.9 ulp.
#pragma once

#include <taut/scalar/elementary/trigonometric.hpp>

namespace taut::elementary {

// exp(x) = 2^k (1 + r + rest), where the lowest bits of the integer `k` are those of k.
template <class V>
struct Exponential {
  V r, rest;
  Integer<V> k;
};

template <class V>
struct Reduced {
  V r, cut;  // r + cut = x - k log(2)
  Integer<V> k;
};
// For |x| <= 2000. `low` is added to x.
template <class V>
Reduced<V> without_powers_of_2(V x, V low) {
  constexpr double one_over_log_2 = 0x1.71547652b82fep+0;
  const V shifted = x * one_over_log_2 + round_by, k = shifted - round_by;
  const V high = x - k * log_2_1, less = k * log_2_2 - low;
  const V r = high - less, cut = (high - r) - less;
  return {r, cut, bits(shifted)};
}
template <class V>
Exponential<V> exponential_parts(V x, V low) {
  const Reduced<V> at = without_powers_of_2(x, low);
  const V r = at.r;
  return {r, r * r * (0.5 + r * polynomial(exponential, r)) + (at.cut + at.cut * r), at.k};
}
// 1 + r + rest as a sum.
template <class V>
Sum<V> one_and(const Exponential<V>& e) {
  const Sum<V> one = ordered_sum(same<V>(1), e.r);
  return ordered_sum(one.high, V(one.low + e.rest));
}

// y 2^k, if neither y nor the result is subnormal, infinite or zero.
template <class V>
V scaled(V y, Integer<V> k) {
  return number<V>(sum_of_bits<V>(bits(y), k << 52));
}
// y 2^k for |k| <= 2044, rounded once more if it is subnormal.
inline double scaled_rarely(double y, int k) {
  const auto power = [](int n) { return number<double>(std::int64_t(1023 + n) << 52); };
  return y * power(k / 2) * power(k - k / 2);
}
inline int exponent_of(std::int64_t shifted_bits) {
  return static_cast<int>(number<double>(shifted_bits) - round_by);
}

[[gnu::cold, gnu::noinline]] inline double rare_exp(double x) {
  if (x != x) return x + x;
  if (x > 709.8) return 0x1p1023 * 2;
  if (x < -745.2) return 0x1p-1000 * 0x1p-1000;
  const Exponential<double> e = exponential_parts(x, 0.0);
  return scaled_rarely(rounded(one_and(e)), exponent_of(e.k));
}
template <class V>
V exp(V x) {
  const Exponential<V> e = exponential_parts(x, V{});
  const V y = scaled(V(1.0 + (e.r + e.rest)), e.k);
  return mend(opposite(absolute_value(x) < 708.0), y, rare_exp, x);
}

// For 0 <= x < 708: exp(x) = 2^k (large.high + large.low), and exp(-x) = 2^k small.
template <class V>
struct BothExponentials {
  Sum<V> large;
  V small;
  Integer<V> k;
};
template <class V>
BothExponentials<V> both_exponentials(V x) {
  const Exponential<V> e = exponential_parts(x, V{});
  const Sum<V> large = one_and(e);
  // Beyond x = 40, exp(-x) no longer matters and 2^(-2k) would be no double.
  const V k = number<V>(e.k) - round_by, short_k = choose(x < 40.0, k, V{});
  const V inverse = 1.0 / large.high;
  const Integer<V> down = bits(V(round_by - 2 * short_k));
  return {large, choose(x < 40.0, scaled(inverse, down), V{}), e.k};
}

// exp(x)/2 for |x| >= 708: sinh and cosh overflow later than exp.
[[gnu::cold, gnu::noinline]] inline double rare_cosh(double x) {
  x = absolute_value(x);
  if (!(x < 711)) return x * 0x1p1023;  // infinite, or NaN
  const Exponential<double> e = exponential_parts(x, 0.0);
  return scaled_rarely(rounded(one_and(e)), exponent_of(e.k) - 1);
}
[[gnu::cold, gnu::noinline]] inline double rare_sinh(double x) {
  return x != x ? x + x : times_sign_of(rare_cosh(x), x);
}
template <class V>
V cosh(V x) {
  const V size = absolute_value(x);
  const BothExponentials<V> e = both_exponentials(size);
  const V y = scaled(V(e.large.high + (e.large.low + e.small)), e.k) * 0.5;
  return mend(opposite(size < 708.0), y, rare_cosh, x);
}
// Below 1, sinh(x) = x + x³ P(x²).
template <class V>
V sinh(V x) {
  const V size = absolute_value(x), z = x * x;
  const BothExponentials<V> e = both_exponentials(size);
  const V large = times_sign_of(V(scaled(V(e.large.high + (e.large.low - e.small)), e.k) * 0.5), x);
  const V y = choose(size < 1.0, V(x + x * z * polynomial(hyperbolic_sine, z)), large);
  return mend(opposite(size < 708.0), y, rare_sinh, x);
}

// exp(x) = 2^k (1 + small) with `small` to about 2^-58 of itself or better: r²/2 is exact.
template <class V>
struct LongExponential {
  Sum<V> small;
  Integer<V> k;
};
template <class V>
LongExponential<V> long_exponential(V x, V low) {
  const Reduced<V> at = without_powers_of_2(x, low);
  const V r = at.r;
  const Sum<V> square = exact_square(r);
  const V rest = square.high * (r * polynomial(exponential, r)) + (0.5 * square.low + (at.cut + at.cut * r));
  return {ordered_sum(r, V(0.5 * square.high)) + rest, at.k};
}

// tanh(x) = D/(D + 2) with D = exp(2x) - 1 = (2^k - 1) + 2^k small, in which digits cancel.
template <class V>
V tanh(V x) {
  const V size = absolute_value(x), within = choose(size < 20.0, size, same<V>(20));
  const LongExponential<V> e = long_exponential(V(within + within), V{});
  const V power = scaled(same<V>(1), e.k);
  const Sum<V> D = Sum<V>{power - 1.0, V{}} + Sum<V>{power * e.small.high, power * e.small.low};
  const Sum<V> two = exact_sum(D.high, same<V>(2));
  const V y = times_sign_of(rounded(D / Sum<V>{two.high, two.low + D.low}), x);
  return choose(size > 0x1p-28, y, x);  // keeps -0, subnormal numbers and NaN
}

}  // namespace taut::elementary
