// Numbers of twice the precision, as unevaluated sums: Knuth's and Dekker's exact sums and products, without
// fma. (D. E. Knuth, The Art of Computer Programming 2, 4.2.2; T. J. Dekker, Numer. Math. 18 (1971) 224.)
#pragma once

#include <taut/scalar/elementary/lanes.hpp>

namespace taut::elementary {

template <class V>
struct Sum {  // high + low, |low| at most about an ulp of high
  V high, low;
};

// a + b exactly, if |a| >= |b| or a = 0.
template <class V>
Sum<V> ordered_sum(V a, V b) {
  const V high = a + b;
  return {high, b - (high - a)};
}
// a + b exactly.
template <class V>
Sum<V> exact_sum(V a, V b) {
  const V high = a + b, b_part = high - a;
  return {high, (a - (high - b_part)) + (b - b_part)};
}

// x = high + low with 26 bits in `high`. Its lower 27 bits are cleared, which cannot overflow.
template <class V>
Sum<V> halves(V x) {
  const V high = with_bits(x, [](auto b) { return b & ~((std::int64_t(1) << 27) - 1); });
  return {high, x - high};
}
// a b to 2^-105: the product of the low halves may have 54 bits.
template <class V>
V product_error(V product, Sum<V> a, Sum<V> b) {
  return (((a.high * b.high - product) + a.high * b.low) + a.low * b.high) + a.low * b.low;
}
template <class V>
Sum<V> exact_product(V a, V b) {
  const V product = a * b;
  return {product, product_error(product, halves(a), halves(b))};
}
template <class V>
Sum<V> exact_square(V a) {
  const V square = a * a;
  const Sum<V> a_halves = halves(a);
  return {square,
          ((a_halves.high * a_halves.high - square) + (a_halves.high + a_halves.high) * a_halves.low) +
              a_halves.low * a_halves.low};
}

template <class V>
Sum<V> operator+(Sum<V> a, V b) {  // |a| >= |b|
  const Sum<V> s = ordered_sum(a.high, b);
  return ordered_sum(s.high, V(s.low + a.low));
}
template <class V>
Sum<V> operator+(Sum<V> a, Sum<V> b) {  // |a| >= |b|
  const Sum<V> s = ordered_sum(a.high, b.high);
  return ordered_sum(s.high, V(s.low + (a.low + b.low)));
}
template <class V>
Sum<V> operator*(Sum<V> a, Sum<V> b) {
  const Sum<V> p = exact_product(a.high, b.high);
  return ordered_sum(p.high, V(p.low + (a.high * b.low + a.low * b.high)));
}
// The quotient to about 2^-100: one division, and one correction by what is left over.
template <class V>
Sum<V> operator/(Sum<V> a, Sum<V> b) {
  const V inverse = 1.0 / b.high, quotient = a.high * inverse;
  const Sum<V> back = exact_product(quotient, b.high);
  const V rest = ((a.high - back.high) - back.low) + (a.low - quotient * b.low);
  return ordered_sum(quotient, V(rest * inverse));
}

template <class V>
V rounded(Sum<V> a) {
  return a.high + a.low;
}
template <class V>
Sum<V> choose(Chosen<V> which, Sum<V> yes, Sum<V> no) {
  return {choose(which, yes.high, no.high), choose(which, yes.low, no.low)};
}

}  // namespace taut::elementary
