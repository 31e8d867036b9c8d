// What the elementary functions are written in: a double, or a vector of doubles of the compiler, with the
// integers that have the same bits, comparisons, and a choice between two values. Every operation here is
// exact or rounds as IEEE 754 says, so that a lane has the bits of the scalar, on every machine. The units
// must be compiled without contraction (-ffp-contract=off) and without -ffast-math.
#pragma once

#include <taut/scalar/elementary/coefficients.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#ifdef __FAST_MATH__
#error "taut: the elementary functions need IEEE arithmetic; compile without -ffast-math"
#endif

namespace taut::elementary {

template <int width>
struct VectorOf {
  using Number [[gnu::vector_size(width * sizeof(double))]] = double;
  using Integer [[gnu::vector_size(width * sizeof(double))]] = std::int64_t;
  using Unsigned [[gnu::vector_size(width * sizeof(double))]] = std::uint64_t;
};
static_assert(sizeof(VectorOf<2>::Number) == 2 * sizeof(double), "g++ 12 ignores the attribute elsewhere");
template <>
struct VectorOf<1> {
  using Number = double;
  using Integer = std::int64_t;
  using Unsigned = std::uint64_t;
};
template <int width>
using Vector = typename VectorOf<width>::Number;

template <class V>
inline constexpr int width_of = sizeof(V) / sizeof(double);
template <class V>
inline constexpr bool is_scalar = width_of<V> == 1;
template <class V>
using Integer = typename VectorOf<width_of<V>>::Integer;
// The outcome of a comparison: bool, or lanes of 0 and -1.
template <class V>
using Chosen = decltype(V() < V());

template <class V>
Integer<V> bits(V x) {
  return std::bit_cast<Integer<V>>(x);
}
template <class V>
V number(Integer<V> x) {
  return std::bit_cast<V>(x);
}
// Sums and differences of bit patterns, modulo 2^64: those of lanes that are mended later may be anything.
template <class V>
Integer<V> sum_of_bits(Integer<V> a, Integer<V> b) {
  using Unsigned = typename VectorOf<width_of<V>>::Unsigned;
  return std::bit_cast<Integer<V>>(Unsigned(std::bit_cast<Unsigned>(a) + std::bit_cast<Unsigned>(b)));
}
template <class V>
Integer<V> difference_of_bits(Integer<V> a, Integer<V> b) {
  using Unsigned = typename VectorOf<width_of<V>>::Unsigned;
  return std::bit_cast<Integer<V>>(Unsigned(std::bit_cast<Unsigned>(a) - std::bit_cast<Unsigned>(b)));
}
template <class V>
V same(double x) {  // the same number in every lane
  return V{} + x;
}

inline double choose(bool which, double yes, double no) { return which ? yes : no; }
template <class M, class V>
  requires(!is_scalar<V>)
V choose(M which, V yes, V no) {
  return which ? yes : no;
}

inline bool opposite(bool which) { return !which; }
template <class M>
  requires(sizeof(M) > sizeof(std::int64_t))
M opposite(M which) {
  return ~which;
}

inline bool both(bool a, bool b) { return a && b; }
inline bool either(bool a, bool b) { return a || b; }
template <class M>
  requires(sizeof(M) > sizeof(std::int64_t))
M both(M a, M b) {
  return a & b;
}
template <class M>
  requires(sizeof(M) > sizeof(std::int64_t))
M either(M a, M b) {
  return a | b;
}

inline bool some(bool which) { return which; }
template <class M>
  requires(sizeof(M) > sizeof(std::int64_t))
bool some(M which) {
  if constexpr (sizeof(M) == 2 * sizeof(std::int64_t)) {
    return (which[0] | which[1]) != 0;
  } else {
    constexpr int half = static_cast<int>(sizeof(M) / sizeof(std::int64_t) / 2);
    using Half = typename VectorOf<half>::Integer;
    const auto halves = std::bit_cast<std::array<Half, 2>>(which);
    return some(Half(halves[0] | halves[1]));
  }
}

inline constexpr std::int64_t sign_bit = std::numeric_limits<std::int64_t>::min();

// Keeps or changes bits. A scalar does it in one lane of a vector, so that it need not go through an integer
// register and back.
template <class V, class F>
V with_bits(V x, F f) {
  if constexpr (is_scalar<V>) {
    return number<Vector<2>>(f(bits(Vector<2>{x, 0})))[0];
  } else {
    return number<V>(f(bits(x)));
  }
}
template <class V>
V absolute_value(V x) {
  return with_bits(x, [](auto b) { return b & ~sign_bit; });
}
// Returns x with the sign bit of y added to its own: -x if y is negative or -0.
template <class V>
V times_sign_of(V x, V y) {
  if constexpr (is_scalar<V>) {
    return times_sign_of(Vector<2>{x, 0}, Vector<2>{y, 0})[0];
  } else {
    return number<V>(bits(x) ^ (bits(y) & sign_bit));
  }
}

// The square root of every lane. g++ has no name for it that fits all widths.
template <class V>
V square_root(V x) {
  if constexpr (is_scalar<V>) {
    return __builtin_sqrt(x);
  } else {
#if defined(__clang__)
    return __builtin_elementwise_sqrt(x);
#else
#if defined(__AVX512F__)
    if constexpr (width_of<V> == 8) return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#endif
#if defined(__AVX__)
    if constexpr (width_of<V> == 4) return __builtin_ia32_sqrtpd256(x);
#endif
#if defined(__SSE2__)
    if constexpr (width_of<V> == 2) return __builtin_ia32_sqrtpd(x);
#endif
    for (int i = 0; i < width_of<V>; ++i) x[i] = __builtin_sqrt(x[i]);
    return x;
#endif
  }
}

// Replaces the rare lanes of y by f(x...), a lane at a time.
template <class V, class F, class... X>
V mend(Chosen<V> rare, V y, F f, X... x) {
  if (some(rare)) [[unlikely]] {
    if constexpr (is_scalar<V>) {
      return f(x...);
    } else {
      for (int i = 0; i < width_of<V>; ++i)
        if (rare[i]) y[i] = f(x[i]...);
    }
  }
  return y;
}

// Evaluates c₀ + c₁ x + … by halves, so that products do not wait for each other: the first `half`
// coefficients, and x^half times the others.
template <int from, int count, std::size_t size, std::size_t powers, class V>
V part_of_polynomial(const Coefficients<size>& c, const std::array<V, powers>& power) {
  if constexpr (count == 1) {
    return same<V>(c[from]);
  } else if constexpr (count == 2) {
    return power[0] * c[from + 1] + c[from];
  } else {
    constexpr int level = std::bit_width(static_cast<unsigned>(count - 1)) - 1, half = 1 << level;
    return part_of_polynomial<from, half>(c, power) +
           power[level] * part_of_polynomial<from + half, count - half>(c, power);
  }
}
template <std::size_t size, class V>
V polynomial(const Coefficients<size>& c, V x) {
  std::array<V, std::bit_width(size - 1)> power{x};  // x, x², x⁴, …
  for (std::size_t k = 1; k < power.size(); ++k) power[k] = power[k - 1] * power[k - 1];
  return part_of_polynomial<0, static_cast<int>(size)>(c, power);
}

}  // namespace taut::elementary
