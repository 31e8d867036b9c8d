// cbrt.
//
// Reduction: |x| = 2^(3k) y with y between 1/2 and 4. A polynomial gives t = ∛y to 20 bits or more; t is
// cut to 26 bits, so that t² is exact, and one step of Halley's iteration triples them. Error: 0.7 ulp.
#pragma once

#include <taut/scalar/elementary/trigonometric.hpp>

namespace taut::elementary {

template <class V>
V cube_root_of_size(V size) {
  constexpr std::int64_t fraction = (std::int64_t(1) << 52) - 1;
  const V exponent = number<V>(((bits(size) >> 52) & 0x7ff) | bits(0x1p52)) - (0x1p52 + 1023);
  const V shifted = exponent * (1.0 / 3) + round_by, j = exponent - 3.0 * (shifted - round_by);
  const V m = number<V>((bits(size) & fraction) | bits(1.0));
  const V guess = polynomial(cube_root, m);
  constexpr double root_of_2 = 0x1.428a2f98d728bp+0, root_of_half = 0x1.965fea53d6e3dp-1;
  const V y = m * choose(j > 0.5, same<V>(2), choose(j < -0.5, same<V>(0.5), same<V>(1)));
  const V near =
      guess * choose(j > 0.5, same<V>(root_of_2), choose(j < -0.5, same<V>(root_of_half), same<V>(1)));
  const V t = halves(near).high;
  const V r = y / (t * t);
  const V root = t + t * ((r - t) / ((t + t) + r));
  return number<V>(sum_of_bits<V>(bits(root), bits(shifted) << 52));
}
[[gnu::cold, gnu::noinline]] inline double rare_cbrt(double x) {
  if (x == 0 || x - x != 0) return x + x;
  return times_sign_of(cube_root_of_size(absolute_value(x) * 0x1p54) * 0x1p-18, x);
}
template <class V>
V cbrt(V x) {
  const V size = absolute_value(x);
  const V y = times_sign_of(cube_root_of_size(size), x);
  return mend(opposite(both(size >= 0x1p-1022, size <= 0x1.fffffffffffffp1023)), y, rare_cbrt, x);
}

}  // namespace taut::elementary
