// Packs of SIMD lanes: one lane is one trajectory, and the text of a method does not change.
// Pack is a thin dress over std::experimental::simd. It brings the functions into this namespace, so that a
// method finds ours.
#pragma once

#include <taut/scalar/eigen.hpp>
#include <taut/scalar/number.hpp>
#include <taut/scalar/unroll.hpp>

#include <array>
#include <cstddef>
#include <experimental/simd>
#include <limits>
#include <numeric>

namespace taut {

// The n lanes are a few registers side by side, each as wide as the processor has them. (fixed_size<n> does
// the same, but its masks are bit sets, which are torn apart for every use.)
template <int n>
struct PackLayout {
  static constexpr int width = std::gcd(n, static_cast<int>(std::experimental::native_simd<double>::size()));
  static constexpr int registers = n / width;
  using Abi = std::experimental::simd_abi::deduce_t<double, width>;
  using Register = std::experimental::simd<double, Abi>;
  using MaskRegister = std::experimental::simd_mask<double, Abi>;
};

template <int n>
struct PackMask {
  using Layout = PackLayout<n>;
  std::array<typename Layout::MaskRegister, Layout::registers> m;

  PackMask() = default;
  explicit PackMask(bool all) : PackMask(made([&](int) { return typename Layout::MaskRegister(all); })) {}

  friend PackMask operator&&(const PackMask& a, const PackMask& b) {
    return made([&](int r) { return a.m[r] && b.m[r]; });
  }
  friend PackMask operator||(const PackMask& a, const PackMask& b) {
    return made([&](int r) { return a.m[r] || b.m[r]; });
  }
  friend PackMask operator!(const PackMask& a) {
    return made([&](int r) { return !a.m[r]; });
  }

  template <class F>
  static PackMask made(F f) {  // register by register
    PackMask mask;
    unroll<Layout::registers>([&]<int r>() { mask.m[r] = f(r); });
    return mask;
  }
};

template <int n>
struct Pack {
  using Layout = PackLayout<n>;
  std::array<typename Layout::Register, Layout::registers> v;

  Pack() = default;
  Pack(double x)  // NOLINT(google-explicit-constructor): the same number in every lane
      : Pack(made([&](int) { return typename Layout::Register(x); })) {}

  // Reads n consecutive numbers, aligned as any double is.
  static Pack load(const double* from) {
    Pack x;
    unroll<Layout::registers>(
        [&]<int r>() { x.v[r].copy_from(from + r * Layout::width, std::experimental::element_aligned); });
    return x;
  }
  void store(double* to) const {
    unroll<Layout::registers>(
        [&]<int r>() { v[r].copy_to(to + r * Layout::width, std::experimental::element_aligned); });
  }

  double operator[](int i) const { return v[i / Layout::width][static_cast<std::size_t>(i % Layout::width)]; }
  void set(int i, double x) { v[i / Layout::width][static_cast<std::size_t>(i % Layout::width)] = x; }

  Pack& operator+=(const Pack& y) { return *this = *this + y; }
  Pack& operator-=(const Pack& y) { return *this = *this - y; }
  Pack& operator*=(const Pack& y) { return *this = *this * y; }
  Pack& operator/=(const Pack& y) { return *this = *this / y; }
  friend Pack operator+(const Pack& x, const Pack& y) {
    return made([&](int r) { return x.v[r] + y.v[r]; });
  }
  friend Pack operator-(const Pack& x, const Pack& y) {
    return made([&](int r) { return x.v[r] - y.v[r]; });
  }
  friend Pack operator*(const Pack& x, const Pack& y) {
    return made([&](int r) { return x.v[r] * y.v[r]; });
  }
  friend Pack operator/(const Pack& x, const Pack& y) {
    return made([&](int r) { return x.v[r] / y.v[r]; });
  }
  friend Pack operator-(const Pack& x) {
    return made([&](int r) { return -x.v[r]; });
  }
  friend PackMask<n> operator<=(const Pack& x, const Pack& y) {
    return PackMask<n>::made([&](int r) { return x.v[r] <= y.v[r]; });
  }
  friend PackMask<n> operator<(const Pack& x, const Pack& y) {
    return PackMask<n>::made([&](int r) { return x.v[r] < y.v[r]; });
  }
  friend PackMask<n> operator==(const Pack& x, const Pack& y) {
    return PackMask<n>::made([&](int r) { return x.v[r] == y.v[r]; });
  }
  friend PackMask<n> operator>=(const Pack& x, const Pack& y) { return y <= x; }
  friend PackMask<n> operator>(const Pack& x, const Pack& y) { return y < x; }

  template <class F>
  static Pack made(F f) {  // register by register
    Pack x;
    unroll<Layout::registers>([&]<int r>() { x.v[r] = f(r); });
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

// sqrt is exact in every lane; sin and cos go lane by lane through the scalar functions, because the vector
// ones of libstdc++ are wrong under clang with AVX-512 and would break "a lane equals the scalar run" in any
// case. g++ 12 takes the undefined vector inside its own intrinsic for a variable of ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
template <int n>
Pack<n> sqrt(const Pack<n>& x) {
  return Pack<n>::made([&](int r) { return std::experimental::sqrt(x.v[r]); });
}
#pragma GCC diagnostic pop
template <int n, class F>
Pack<n> lane_by_lane(const Pack<n>& x, F f) {
  Pack<n> y;
  for (int i = 0; i < n; ++i) y.set(i, f(x[i]));
  return y;
}
template <int n>
Pack<n> sin(const Pack<n>& x) {
  return lane_by_lane(x, [](double t) { return std::sin(t); });
}
template <int n>
Pack<n> cos(const Pack<n>& x) {
  return lane_by_lane(x, [](double t) { return std::cos(t); });
}

// abs clears the sign bits of a register at once; libstdc++'s fabs goes lane by lane.
template <int n>
Pack<n> magnitude(const Pack<n>& x) {
  return Pack<n>::made([&](int r) { return std::experimental::abs(x.v[r]); });
}
template <int n>
Pack<n> larger(const Pack<n>& a, const Pack<n>& b) {
  return select(a < b, b, a);
}
template <int n>
PackMask<n> finite(const Pack<n>& x) {
  return magnitude(x) <= Pack<n>(std::numeric_limits<double>::max());
}
template <int n>
Pack<n> base(const Pack<n>& x) {
  return x;
}
template <int n>
double lane(const Pack<n>& x, int i) {
  return x[i];
}

template <int n>
void set_lane(Pack<n>& x, int i, double value) {
  x.set(i, value);
}

template <int n>
bool any(const PackMask<n>& mask) {
  auto one = mask.m[0];
  unroll<PackLayout<n>::registers - 1>([&]<int r>() { one = one || mask.m[r + 1]; });
  return std::experimental::any_of(one);
}
template <int n>
bool all(const PackMask<n>& mask) {
  auto every = mask.m[0];
  unroll<PackLayout<n>::registers - 1>([&]<int r>() { every = every && mask.m[r + 1]; });
  return std::experimental::all_of(every);
}
template <int n>
bool lane(const PackMask<n>& mask, int i) {
  return mask.m[i / PackLayout<n>::width][static_cast<std::size_t>(i % PackLayout<n>::width)];
}
template <int n>
Pack<n> select(const PackMask<n>& mask, const Pack<n>& yes, const Pack<n>& no) {
  Pack<n> x = no;
  unroll<PackLayout<n>::registers>([&]<int r>() { std::experimental::where(mask.m[r], x.v[r]) = yes.v[r]; });
  return x;
}

// Makes one masked addition. By way of select it would be an addition and a blend, in the chain of every
// correction.
template <int n>
void add_where(const PackMask<n>& mask, Pack<n>& x, const Pack<n>& dx) {
  unroll<PackLayout<n>::registers>([&]<int r>() { std::experimental::where(mask.m[r], x.v[r]) += dx.v[r]; });
}

}  // namespace taut

template <int n>
struct Eigen::NumTraits<taut::Pack<n>> : taut::EigenScalar<taut::Pack<n>, 1> {
  enum { RequireInitialization = 0 };
  static_assert(EIGEN_DEFAULT_ALIGN_BYTES >= alignof(taut::Pack<n>),
                "taut: compile with -DEIGEN_MAX_ALIGN_BYTES=128 (up to 16 lanes), so that Eigen aligns "
                "vectors of SIMD packs");
};
