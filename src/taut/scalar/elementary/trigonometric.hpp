// sin, cos and tan.
//
// Reduction: x = k π/2 + r with |r| <= π/4 and r as a sum of two doubles. For |x| < 2^13 the multiple of
// π/2 is subtracted in three parts (Cody and Waite), the first two of which are exact. A remainder so
// small that the second part is not below half of it goes the long way, as larger arguments do: the
// product with the bits of 2/π that matter (Payne and Hanek), in integers. Then sin(r) = r + r³ S(r²) and
// cos(r) = 1 - r²/2 + r⁴ C(r²). Errors: 0.95 ulp.
#pragma once

#include <taut/scalar/elementary/double_double.hpp>

namespace taut::elementary {

// Adding and subtracting this rounds |x| < 2^51 to an integer, whose lowest bits are those of the sum.
inline constexpr double round_by = 0x1.8p52;

template <class V>
struct Angle {
  V high, low;  // the remainder r
  V quadrant;   // k + round_by, so that the last two bits are those of k
};
template <class V>
struct SineAndCosine {
  Sum<V> sine, cosine;
};

template <class V>
SineAndCosine<V> sine_and_cosine_of_remainder(V r, V low) {
  const V z = r * r, half = 0.5 * z, w = 1.0 - half;
  const V sine_rest = r * z * polynomial(sine, z) + low * w;
  const V cosine_rest = ((1.0 - w) - half) + (z * z * polynomial(cosine, z) - r * low);
  return {{r, sine_rest}, {w, cosine_rest}};
}

// Subtracts multiples of π/2 for |x| < 2^13; `rare` marks the lanes in which that does not do.
template <class V>
Angle<V> near_remainder(V x, Chosen<V>& rare) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  const V shifted = x * two_over_pi + round_by, k = shifted - round_by;
  const V first = x - k * half_pi_1, second = k * half_pi_2, high = first - second;
  rare = opposite(both(absolute_value(x) < 0x1p13, absolute_value(high) >= 2.0 * absolute_value(second)));
  return {high, ((first - high) - second) - k * half_pi_3, shifted};
}

// Finds the remainder of any finite x with |x| >= 2^-53. x = m 2^e; bits of 2/π with a weight of 4 2^-e and
// more only add full turns to m 2^e 2/π, so 192 bits from there on are multiplied by m, modulo 4.
[[gnu::cold, gnu::noinline]] inline Angle<double> far_remainder(double x) {
  __extension__ using Wide = unsigned __int128;
  const auto pattern = static_cast<std::uint64_t>(bits(absolute_value(x)));
  const int e = static_cast<int>(pattern >> 52) - 1075;
  const std::uint64_t m = (pattern & ((std::uint64_t(1) << 52) - 1)) | (std::uint64_t(1) << 52);
  const int first = 64 + (e - 1) - 1, word = first / 64, shift = first % 64;  // the bit of weight 2 2^-e
  std::uint64_t w[3];
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t one = two_over_pi_bits[static_cast<std::size_t>(word + i)];
    const std::uint64_t next = two_over_pi_bits[static_cast<std::size_t>(word + i + 1)];
    w[i] = shift == 0 ? one : (one << shift) | (next >> (64 - shift));
  }
  const Wide low = Wide(m) * w[2], middle = Wide(m) * w[1] + static_cast<std::uint64_t>(low >> 64);
  std::uint64_t turn[3] = {m * w[0] + static_cast<std::uint64_t>(middle >> 64),
                           static_cast<std::uint64_t>(middle), static_cast<std::uint64_t>(low)};
  std::int64_t quadrant = static_cast<std::int64_t>(turn[0] >> 62);
  const auto up = [&](int s) {  // moves the 192 bits up by 0 < s < 64
    turn[0] = (turn[0] << s) | (turn[1] >> (64 - s));
    turn[1] = (turn[1] << s) | (turn[2] >> (64 - s));
    turn[2] <<= s;
  };
  up(2);  // what is left is the fraction of a quadrant
  const bool above_half = (turn[0] >> 63) != 0;
  if (above_half) {  // the fraction minus 1, by its complement
    ++quadrant;
    for (std::uint64_t& t : turn) t = ~t;
  }
  int exponent = 0;
  for (; turn[0] == 0 && exponent > -128; exponent -= 64) {
    turn[0] = turn[1];
    turn[1] = turn[2];
    turn[2] = 0;
  }
  if (const int zeros = std::countl_zero(turn[0]); zeros > 0 && zeros < 64) {
    up(zeros);
    exponent -= zeros;
  }
  // The top 53 bits and the 53 after them are doubles.
  const auto high_bits = turn[0] >> 11, low_bits = (turn[0] << 53 | turn[1] >> 11) >> 11;
  const double scale = number<double>((std::int64_t(1023) + exponent) << 52);
  const Sum<double> fraction{static_cast<double>(high_bits) * 0x1p-53 * scale,
                             static_cast<double>(low_bits) * 0x1p-106 * scale};
  Sum<double> r = fraction * Sum<double>{pi_over_2_1, pi_over_2_2};
  if (above_half != (x < 0)) r = {-r.high, -r.low};
  return {r.high, r.low, round_by + static_cast<double>(x < 0 ? -quadrant : quadrant)};
}

// Chooses sine or cosine of the remainder, and its sign.
template <class V>
V by_quadrant(const SineAndCosine<V>& of, V quadrant) {
  const V y = choose((bits(quadrant) & 1) != 0, rounded(of.cosine), rounded(of.sine));
  return times_sign_of(y, with_bits(quadrant, [](auto b) { return b << 62; }));
}

// sin(x + quarters π/2).
template <int quarters>
[[gnu::cold, gnu::noinline]] double far_sine(double x) {
  if (!(x - x == 0)) return x - x;
  const Angle<double> at = far_remainder(x);
  return by_quadrant(sine_and_cosine_of_remainder(at.high, at.low), at.quadrant + quarters);
}

template <class V>
V sin(V x) {
  Chosen<V> rare;
  const Angle<V> at = near_remainder(x, rare);
  V y = by_quadrant(sine_and_cosine_of_remainder(at.high, at.low), at.quadrant);
  y = choose(absolute_value(x) < 0x1p-27, x, y);  // keeps -0 and subnormal numbers
  return mend(rare, y, far_sine<0>, x);
}

template <class V>
V cos(V x) {
  Chosen<V> rare;
  const Angle<V> at = near_remainder(x, rare);
  const V y = by_quadrant(sine_and_cosine_of_remainder(at.high, at.low), V(at.quadrant + 1.0));
  return mend(rare, y, far_sine<1>, x);
}

// tan(r), or -1/tan(r) in odd quadrants, as a quotient of two sums. r² and r³ are sums as well: the errors of
// sine and cosine would add up otherwise.
template <class V>
V tangent_of(V r, V low, V quadrant) {
  const Sum<V> z = exact_square(r), cube = exact_product(r, z.high);
  const V S = polynomial(sine, z.high), half = 0.5 * z.high, w = 1.0 - half;
  const Sum<V> bend = exact_product(cube.high, S);
  const Sum<V> sin_r = Sum<V>{r, low * w} + Sum<V>{bend.high, bend.low + (cube.low + r * z.low) * S};
  const V cosine_rest = z.high * z.high * polynomial(cosine, z.high) - (r * low + 0.5 * z.low);
  const Sum<V> cos_r = ordered_sum(w, V(((1.0 - w) - half) + cosine_rest));
  const auto odd = (bits(quadrant) & 1) != 0;
  const Sum<V> quotient = choose(odd, cos_r, sin_r) / choose(odd, sin_r, cos_r);
  return times_sign_of(rounded(quotient), with_bits(quadrant, [](auto b) { return b << 63; }));
}
[[gnu::cold, gnu::noinline]] inline double far_tangent(double x) {
  if (!(x - x == 0)) return x - x;
  const Angle<double> at = far_remainder(x);
  return tangent_of(at.high, at.low, at.quadrant);
}
template <class V>
V tan(V x) {
  Chosen<V> rare;
  const Angle<V> at = near_remainder(x, rare);
  V y = tangent_of(at.high, at.low, at.quadrant);
  y = choose(absolute_value(x) < 0x1p-27, x, y);
  return mend(rare, y, far_tangent, x);
}

}  // namespace taut::elementary
