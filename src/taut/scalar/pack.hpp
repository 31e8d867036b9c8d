// Packs of SIMD lanes: one lane is one trajectory, and the text of a method does not change. Pack is a
// thin dress over the registers of registers.hpp. It brings the functions into this namespace, so that a
// method finds ours.
#pragma once

#include <taut/scalar/eigen.hpp>
#include <taut/scalar/number.hpp>
#include <taut/scalar/registers.hpp>
#include <taut/scalar/unroll.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace taut {

// The n lanes are a few registers side by side, each as wide as the processor has them. (fixed_size<n> does
// the same, but its masks are bit sets, which are torn apart for every use.)
template <int n>
struct PackLayout {
  static constexpr int width = std::gcd(n, taut::registers::native_width);
  static constexpr int registers = n / width;
  using Register = taut::registers::Register<width>;
  using MaskRegister = taut::registers::RegisterMask<width>;
};

// Calls f<r>() for each register. This is unroll() (unroll.hpp), always inlined.
template <int count, class F>
TAUT_INLINE void each_register(F f) {
  [&]<int... r>(std::integer_sequence<int, r...>) __attribute__((always_inline)) {
    (f.template operator()<r>(), ...);
  }(std::make_integer_sequence<int, count>{});
}

template <int n>
struct PackMask {
  using Layout = PackLayout<n>;
  std::array<typename Layout::MaskRegister, Layout::registers> m;

  PackMask() = default;
  TAUT_INLINE explicit PackMask(bool all)
      : PackMask(
            made([&](int) __attribute__((always_inline)) { return typename Layout::MaskRegister(all); })) {}

  TAUT_INLINE friend PackMask operator&&(const PackMask& a, const PackMask& b) {
    return made([&](int r) __attribute__((always_inline)) { return a.m[r] && b.m[r]; });
  }
  TAUT_INLINE friend PackMask operator||(const PackMask& a, const PackMask& b) {
    return made([&](int r) __attribute__((always_inline)) { return a.m[r] || b.m[r]; });
  }
  TAUT_INLINE friend PackMask operator!(const PackMask& a) {
    return made([&](int r) __attribute__((always_inline)) { return !a.m[r]; });
  }

  template <class F>
  TAUT_INLINE static PackMask made(F f) {  // register by register
    PackMask mask;
    each_register<Layout::registers>([&]<int r>() __attribute__((always_inline)) { mask.m[r] = f(r); });
    return mask;
  }
};

template <int n>
struct Pack {
  using Layout = PackLayout<n>;
  std::array<typename Layout::Register, Layout::registers> v;

  Pack() = default;
  TAUT_INLINE Pack(double x)  // NOLINT(google-explicit-constructor): the same number in every lane
      : Pack(made([&](int) __attribute__((always_inline)) { return typename Layout::Register(x); })) {}

  // Reads n consecutive numbers, aligned as any double is.
  TAUT_INLINE static Pack load(const double* from) {
    Pack x;
    each_register<Layout::registers>(
        [&]<int r>() __attribute__((always_inline)) { registers::load(x.v[r], from + r * Layout::width); });
    return x;
  }
  TAUT_INLINE void store(double* to) const {
    each_register<Layout::registers>(
        [&]<int r>() __attribute__((always_inline)) { registers::store(v[r], to + r * Layout::width); });
  }

  TAUT_INLINE double operator[](int i) const {
    return v[i / Layout::width][static_cast<std::size_t>(i % Layout::width)];
  }
  TAUT_INLINE void set(int i, double x) {
    registers::set_lane(v[i / Layout::width], static_cast<std::size_t>(i % Layout::width), x);
  }

  TAUT_INLINE Pack& operator+=(const Pack& y) { return *this = *this + y; }
  TAUT_INLINE Pack& operator-=(const Pack& y) { return *this = *this - y; }
  TAUT_INLINE Pack& operator*=(const Pack& y) { return *this = *this * y; }
  TAUT_INLINE Pack& operator/=(const Pack& y) { return *this = *this / y; }
  TAUT_INLINE friend Pack operator+(const Pack& x, const Pack& y) {
    return made([&](int r) __attribute__((always_inline)) { return x.v[r] + y.v[r]; });
  }
  TAUT_INLINE friend Pack operator-(const Pack& x, const Pack& y) {
    return made([&](int r) __attribute__((always_inline)) { return x.v[r] - y.v[r]; });
  }
  TAUT_INLINE friend Pack operator*(const Pack& x, const Pack& y) {
    return made([&](int r) __attribute__((always_inline)) { return x.v[r] * y.v[r]; });
  }
  TAUT_INLINE friend Pack operator/(const Pack& x, const Pack& y) {
    return made([&](int r) __attribute__((always_inline)) { return x.v[r] / y.v[r]; });
  }
  TAUT_INLINE friend Pack operator-(const Pack& x) {
    return made([&](int r) __attribute__((always_inline)) { return -x.v[r]; });
  }
  TAUT_INLINE friend PackMask<n> operator<=(const Pack& x, const Pack& y) {
    return PackMask<n>::made([&](int r) __attribute__((always_inline)) { return x.v[r] <= y.v[r]; });
  }
  TAUT_INLINE friend PackMask<n> operator<(const Pack& x, const Pack& y) {
    return PackMask<n>::made([&](int r) __attribute__((always_inline)) { return x.v[r] < y.v[r]; });
  }
  TAUT_INLINE friend PackMask<n> operator==(const Pack& x, const Pack& y) {
    return PackMask<n>::made([&](int r) __attribute__((always_inline)) { return x.v[r] == y.v[r]; });
  }
  TAUT_INLINE friend PackMask<n> operator>=(const Pack& x, const Pack& y) { return y <= x; }
  TAUT_INLINE friend PackMask<n> operator>(const Pack& x, const Pack& y) { return y < x; }

  template <class F>
  TAUT_INLINE static Pack made(F f) {  // register by register
    Pack x;
    each_register<Layout::registers>([&]<int r>() __attribute__((always_inline)) { x.v[r] = f(r); });
    return x;
  }
};

template <int n>
struct ScalarTraits<Pack<n>> {
  using Real = Pack<n>;
  using Base = Pack<n>;
  using Mask = PackMask<n>;
  using Element = double;
  static constexpr int lanes = n;
};

template <int n>
TAUT_INLINE Pack<n> sqrt(const Pack<n>& x) {
  return Pack<n>::made([&](int r) __attribute__((always_inline)) { return registers::square_root(x.v[r]); });
}
// Calls an elementary function for every register, as a vector of the compiler. A lane has the bits that the
// function gives for a scalar.
template <int n, class F, class... More>
Pack<n> by_registers(F f, const Pack<n>& x, const More&... more) {
  using Vector = elementary::Vector<PackLayout<n>::width>;
  using Register = typename PackLayout<n>::Register;
  return Pack<n>::made([&](int r) __attribute__((always_inline)) {
    return std::bit_cast<Register>(f(std::bit_cast<Vector>(x.v[r]), std::bit_cast<Vector>(more.v[r])...));
  });
}
template <int n>
Pack<n> sin(const Pack<n>& x) {
  return by_registers([](auto t) { return elementary::sin(t); }, x);
}
template <int n>
Pack<n> cos(const Pack<n>& x) {
  return by_registers([](auto t) { return elementary::cos(t); }, x);
}

template <int n>
TAUT_INLINE Pack<n> magnitude(const Pack<n>& x) {
  return Pack<n>::made([&](int r)
                           __attribute__((always_inline)) { return registers::absolute_value(x.v[r]); });
}
template <int n>
TAUT_INLINE Pack<n> larger(const Pack<n>& a, const Pack<n>& b) {
  return select(a < b, b, a);
}
template <int n>
TAUT_INLINE PackMask<n> finite(const Pack<n>& x) {
  return magnitude(x) <= Pack<n>(std::numeric_limits<double>::max());
}
template <int n>
TAUT_INLINE Pack<n> base(const Pack<n>& x) {
  return x;
}
template <int n>
TAUT_INLINE double lane(const Pack<n>& x, int i) {
  return x[i];
}

template <int n>
TAUT_INLINE void set_lane(Pack<n>& x, int i, double value) {
  x.set(i, value);
}

template <int n>
TAUT_INLINE bool any(const PackMask<n>& mask) {
  auto one = mask.m[0];
  each_register<PackLayout<n>::registers - 1>(
      [&]<int r>() __attribute__((always_inline)) { one = one || mask.m[r + 1]; });
  return registers::any_lane(one);
}
template <int n>
TAUT_INLINE bool all(const PackMask<n>& mask) {
  auto every = mask.m[0];
  each_register<PackLayout<n>::registers - 1>(
      [&]<int r>() __attribute__((always_inline)) { every = every && mask.m[r + 1]; });
  return registers::every_lane(every);
}
template <int n>
TAUT_INLINE bool lane(const PackMask<n>& mask, int i) {
  return mask.m[i / PackLayout<n>::width][static_cast<std::size_t>(i % PackLayout<n>::width)];
}
template <int n>
TAUT_INLINE Pack<n> select(const PackMask<n>& mask, const Pack<n>& yes, const Pack<n>& no) {
  Pack<n> x = no;
  each_register<PackLayout<n>::registers>(
      [&]<int r>() __attribute__((always_inline)) { registers::assign_where(mask.m[r], x.v[r], yes.v[r]); });
  return x;
}

// Makes one masked addition. By way of select it would be an addition and a blend, in the chain of every
// correction.
template <int n>
TAUT_INLINE void add_where(const PackMask<n>& mask, Pack<n>& x, const Pack<n>& dx) {
  each_register<PackLayout<n>::registers>(
      [&]<int r>() __attribute__((always_inline)) { registers::add_where(mask.m[r], x.v[r], dx.v[r]); });
}

}  // namespace taut

template <int n>
struct Eigen::NumTraits<taut::Pack<n>> : taut::EigenScalar<taut::Pack<n>, 1> {
  enum { RequireInitialization = 0 };
  static_assert(EIGEN_DEFAULT_ALIGN_BYTES >= alignof(taut::Pack<n>),
                "taut: compile with -DEIGEN_MAX_ALIGN_BYTES=128 (up to 16 lanes), so that Eigen aligns "
                "vectors of SIMD packs");
};
