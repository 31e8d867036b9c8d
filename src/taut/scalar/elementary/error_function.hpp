// erf and erfc.
//
// Below 1/2, erf(x) = x + x/8 + x P(x²). Above, erfc(x) = exp(-x²) (5/8 + Q(1/(x + 2)))/(x + 9/16), in
// which Q stays below 0.05 and everything else is a sum of two doubles. Errors: 0.9 ulp.
#pragma once

#include <taut/scalar/elementary/exponential.hpp>

namespace taut::elementary {

// erfc(x) = 2^k value, for 1/2 <= x <= 28.
template <class V>
struct Complement {
  Sum<V> value;
  Integer<V> k;
};
template <class V>
Complement<V> complement_above_half(V x) {
  const Sum<V> square = exact_square(x), below = exact_sum(x, same<V>(0.5625));
  const LongExponential<V> e = long_exponential(V(-square.high), V(-square.low));
  const V pole = x + 2.0;
  const V t = 1.0 / pole - 0.21875;
  const Sum<V> factor = ordered_sum(same<V>(0.625), polynomial(complement, t));
  return {(Sum<V>{same<V>(1), V{}} + e.small) * factor / below, e.k};
}
// erf(x) for |x| < 1/2.
template <class V>
Sum<V> error_function_below_half(V x) {
  const Sum<V> most = ordered_sum(x, V(0.125 * x));
  return {most.high, most.low + x * polynomial(error_function, V(x * x))};
}

template <class V>
V erf(V x) {
  const V size = absolute_value(x);
  const V within = choose(size > 0.5, choose(size < 6.0, size, same<V>(6)), same<V>(0.5));
  const Complement<V> c = complement_above_half(within);
  const Sum<V> one = ordered_sum(same<V>(1), V(-scaled(c.value.high, c.k)));
  const V large = one.high + (one.low - c.value.low * scaled(same<V>(1), c.k));
  // Both parts of the sum for a subnormal x would be rounded, and the errors would add up to 1 ulp and more.
  const auto tiny = size < 0x1p-900;
  const V whole = choose(tiny, V(size * 0x1p200), size);
  const V small = rounded(error_function_below_half(whole));
  const V y = choose(size < 0.5, choose(tiny, V(small * 0x1p-200), small), large);
  return choose(x == x, times_sign_of(y, x), x);
}

[[gnu::cold, gnu::noinline]] inline double rare_erfc(double x) {
  if (x != x) return x + x;
  if (x > 27.3) return 0x1p-1000 * 0x1p-1000;
  const Complement<double> c = complement_above_half(x);
  return scaled_rarely(rounded(c.value), exponent_of(c.k));
}
template <class V>
V erfc(V x) {
  const V size = absolute_value(x);
  const V within = choose(size > 0.5, choose(size < 26.0, size, same<V>(26)), same<V>(0.5));
  const Complement<V> c = complement_above_half(within);
  const V right = scaled(rounded(c.value), c.k);
  const Sum<V> two = ordered_sum(same<V>(2), V(-scaled(c.value.high, c.k)));
  const V left = two.high + (two.low - c.value.low * scaled(same<V>(1), c.k));
  const Sum<V> small = error_function_below_half(x), one = ordered_sum(same<V>(1), V(-small.high));
  const V middle = one.high + (one.low - small.low);
  const V y = choose(size < 0.5, middle, choose(x < 0.0, left, right));
  return mend(opposite(x < 26.0), y, rare_erfc, x);
}

}  // namespace taut::elementary
