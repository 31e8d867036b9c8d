// atan, atan2, asin and acos.
//
// Reduction of atan2: the smaller coordinate a over the larger one b, or (a - b)/(a + b) and another
// eighth of a turn if a/b is above tan(π/8), as a sum t of two doubles; then atan(t) = t + t³ A(t²).
// asin(x) = x + x³ P(x²) below 1/2, and π/2 - 2 asin(√((1 - x)/2)) above, with the root as a sum of two
// doubles. Errors: atan and atan2 0.7 ulp, asin and acos 0.8 ulp.
#pragma once

#include <taut/scalar/elementary/double_double.hpp>

namespace taut::elementary {

inline constexpr Sum<double> half_turn_sum{2 * pi_over_2_1, 2 * pi_over_2_2},
    quarter_turn_sum{pi_over_2_1, pi_over_2_2}, eighth_turn_sum{pi_over_4_1, pi_over_4_2};

template <class V>
Sum<V> less(Sum<double> a, Sum<V> b) {  // a - b for |a| >= |b|
  return Sum<V>{same<V>(a.high), same<V>(a.low)} + Sum<V>{-b.high, -b.low};
}

// The angle of (b, a), 0 <= a <= b, for b between 2^-900 and 2^1000.
template <class V>
Sum<V> angle_below_eighth(V a, V b) {
  const auto far = a > 0x1.a8279p-2 * b;  // tan(π/8); which way one goes just there does not matter
  const Sum<V> difference = exact_sum(a, V(-b)), sum = exact_sum(a, b);
  const Sum<V> t = choose(far, difference, Sum<V>{a, V{}}) / choose(far, sum, Sum<V>{b, V{}});
  const V z = t.high * t.high;
  const Sum<V> angle = ordered_sum(t.high, V(t.high * z * polynomial(arctangent, z) + (t.low - t.low * z)));
  const V eighth = choose(far, same<V>(eighth_turn_sum.high), V{});
  return Sum<V>{eighth, choose(far, same<V>(eighth_turn_sum.low), V{})} + angle;
}
// atan2(y, x) for max(|x|, |y|) between 2^-900 and 2^1000. `quotient` is the smaller over the larger.
template <class V>
V angle_of(V y, V x, V quotient) {
  const V height = absolute_value(y), width = absolute_value(x);
  const auto steep = height > width, backward = x < 0.0;
  Sum<V> angle = angle_below_eighth(choose(steep, width, height), choose(steep, height, width));
  angle = choose(steep, less(quarter_turn_sum, angle), angle);
  angle = choose(backward, less(half_turn_sum, angle), angle);
  // A small quotient is the angle to rounding, also if it is subnormal.
  const auto small = both(quotient < 0x1p-28, opposite(either(steep, backward)));
  return times_sign_of(choose(small, quotient, rounded(angle)), y);
}

template <class V>
V atan(V x) {
  const V size = absolute_value(x), within = choose(size < 0x1p60, size, same<V>(0x1p60));
  const V y = times_sign_of(angle_of(within, same<V>(1), within), x);
  return choose(x == x, y, x);
}

[[gnu::cold, gnu::noinline]] inline double rare_atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  const double largest = 0x1.fffffffffffffp1023;
  const bool negative = times_sign_of(1.0, x) < 0;
  if (x == 0 && y == 0) return times_sign_of(negative ? half_turn_sum.high : 0.0, y);
  if (absolute_value(x) > largest || absolute_value(y) > largest) {  // as if infinity were 1, and the rest 0
    const auto unit = [&](double t) { return times_sign_of(absolute_value(t) > largest ? 1.0 : 0.0, t); };
    x = unit(x);
    y = unit(y);
  }
  const double height = absolute_value(y), width = absolute_value(x);
  const double quotient = height > width ? width / height : height / width;
  const double scale = height > 0x1p500 || width > 0x1p500 ? 0x1p-600 : 0x1p600;
  if (quotient == 0 && !negative && width > height) return times_sign_of(0.0, y);
  const bool within =
      (height > width ? height : width) > 0x1p-900 && (height > width ? height : width) < 0x1p1000;
  return within ? angle_of(y, x, quotient) : angle_of(y * scale, x * scale, quotient);
}
template <class V>
V atan2(V y, V x) {
  const V height = absolute_value(y), width = absolute_value(x);
  const auto steep = height > width;
  const V smaller = choose(steep, width, height), larger = choose(steep, height, width);
  const V angle = angle_of(y, x, V(smaller / larger));
  return mend(opposite(both(larger > 0x1p-900, both(larger < 0x1p1000, smaller >= 0.0))), angle, rare_atan2,
              y, x);
}

// √w as a sum, 0 <= w <= 1/4.
template <class V>
Sum<V> root_sum(V w) {
  const V root = square_root(w);
  const Sum<V> square = exact_square(root);
  return {root, choose(w > 0.0, V(((w - square.high) - square.low) / (root + root)), V{})};
}
template <class V>
struct ArcSine {
  V start, rest;  // their sum is asin(s), or half of the angle
};
// asin(|x|) below 1/2, and asin(√((1 - |x|)/2)) above.
template <class V>
ArcSine<V> arcsine_parts(V size) {
  const V w = (1.0 - size) * 0.5;
  const auto small = size < 0.5;
  const Sum<V> root = root_sum(choose(small, same<V>(0.25), w));
  const V s = choose(small, size, root.high), z = choose(small, V(size * size), w);
  const V low = choose(small, V{}, V(root.low + root.low * (0.5 * w)));
  return {s, s * z * polynomial(arcsine, z) + low};
}
template <class V>
V asin(V x) {
  const V size = absolute_value(x);
  const ArcSine<V> of = arcsine_parts(size);
  const Sum<V> large = ordered_sum(same<V>(quarter_turn_sum.high), V(-2 * of.start));
  const V y = choose(size < 0.5, V(of.start + of.rest),
                     V(large.high + ((large.low + quarter_turn_sum.low) - 2 * of.rest)));
  return choose(size > 0x1p-27, times_sign_of(y, x), x);
}
template <class V>
V acos(V x) {
  const V size = absolute_value(x);
  const ArcSine<V> of = arcsine_parts(size);
  const V start = times_sign_of(of.start, x), rest = times_sign_of(of.rest, x);
  const Sum<V> middle = ordered_sum(same<V>(quarter_turn_sum.high), V(-start));
  const Sum<V> left = ordered_sum(same<V>(half_turn_sum.high), V(-2 * of.start));
  const V small = middle.high + ((middle.low + quarter_turn_sum.low) - rest);
  const V large = choose(x < 0.0, V(left.high + ((left.low + half_turn_sum.low) - 2 * of.rest)),
                         V(2 * (of.start + of.rest)));
  return choose(size < 0.5, small, large);
}

}  // namespace taut::elementary
