// Packs of SIMD lanes: one lane is one trajectory, and the text of a method does not change.
// A thin dress over std::experimental::simd that brings its functions into this namespace, so that a method finds ours.
#pragma once

#include <taut/scalar/eigen.hpp>
#include <taut/scalar/number.hpp>

#include <cstddef>
#include <experimental/simd>

namespace taut {

// One register where one is that wide, else several.
template <int n>
using PackAbi = std::experimental::simd_abi::deduce_t<double, n>;

template <int n>
struct PackMask {
  using Native = std::experimental::simd_mask<double, PackAbi<n>>;
  Native m;

  PackMask() = default;
  explicit PackMask(bool all) : m(all) {}
  explicit PackMask(const Native& mask) : m(mask) {}

  friend PackMask operator&&(const PackMask& a, const PackMask& b) { return PackMask(a.m && b.m); }
  friend PackMask operator||(const PackMask& a, const PackMask& b) { return PackMask(a.m || b.m); }
  friend PackMask operator!(const PackMask& a) { return PackMask(!a.m); }
};

template <int n>
struct Pack {
  using Native = std::experimental::simd<double, PackAbi<n>>;
  Native v;

  Pack() = default;
  Pack(double x) : v(x) {}  // NOLINT(google-explicit-constructor): the same number in every lane
  explicit Pack(const Native& x) : v(x) {}

  double operator[](int i) const { return v[static_cast<std::size_t>(i)]; }
  void set(int i, double x) { v[static_cast<std::size_t>(i)] = x; }

  Pack& operator+=(const Pack& y) { return v += y.v, *this; }
  Pack& operator-=(const Pack& y) { return v -= y.v, *this; }
  Pack& operator*=(const Pack& y) { return v *= y.v, *this; }
  Pack& operator/=(const Pack& y) { return v /= y.v, *this; }
  friend Pack operator+(const Pack& x, const Pack& y) { return Pack(Native(x.v + y.v)); }
  friend Pack operator-(const Pack& x, const Pack& y) { return Pack(Native(x.v - y.v)); }
  friend Pack operator*(const Pack& x, const Pack& y) { return Pack(Native(x.v * y.v)); }
  friend Pack operator/(const Pack& x, const Pack& y) { return Pack(Native(x.v / y.v)); }
  friend Pack operator-(const Pack& x) { return Pack(Native(-x.v)); }
  friend PackMask<n> operator<=(const Pack& x, const Pack& y) { return PackMask<n>(x.v <= y.v); }
  friend PackMask<n> operator>=(const Pack& x, const Pack& y) { return PackMask<n>(x.v >= y.v); }
  friend PackMask<n> operator<(const Pack& x, const Pack& y) { return PackMask<n>(x.v < y.v); }
  friend PackMask<n> operator>(const Pack& x, const Pack& y) { return PackMask<n>(x.v > y.v); }
  friend PackMask<n> operator==(const Pack& x, const Pack& y) { return PackMask<n>(x.v == y.v); }
};

template <int n>
struct ScalarTraits<Pack<n>> {
  using Real = Pack<n>;
  using Base = Pack<n>;
  using Mask = PackMask<n>;
  using Element = double;
  static constexpr int lanes = n;
};

// sqrt is exact in every lane; sin and cos go lane by lane through the scalar functions, because the vector ones
// of libstdc++ are wrong under clang with AVX-512 and would break "a lane equals the scalar run" in any case.
// g++ 12 takes the undefined vector inside its own intrinsic for a variable of ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
template <int n>
Pack<n> sqrt(const Pack<n>& x) {
  return Pack<n>(typename Pack<n>::Native(std::experimental::sqrt(x.v)));
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

template <int n>
Pack<n> magnitude(const Pack<n>& x) {
  return Pack<n>(typename Pack<n>::Native(std::experimental::fabs(x.v)));
}
template <int n>
Pack<n> larger(const Pack<n>& a, const Pack<n>& b) {
  return select(a < b, b, a);
}
template <int n>
PackMask<n> finite(const Pack<n>& x) {
  return x - x == Pack<n>(0);
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
bool any(const PackMask<n>& mask) {
  return std::experimental::any_of(mask.m);
}
template <int n>
bool all(const PackMask<n>& mask) {
  return std::experimental::all_of(mask.m);
}
template <int n>
bool lane(const PackMask<n>& mask, int i) {
  return mask.m[static_cast<std::size_t>(i)];
}
template <int n>
Pack<n> select(const PackMask<n>& mask, const Pack<n>& yes, const Pack<n>& no) {
  Pack<n> x = no;
  std::experimental::where(mask.m, x.v) = yes.v;
  return x;
}

}  // namespace taut

template <int n>
struct Eigen::NumTraits<taut::Pack<n>> : taut::EigenScalar<taut::Pack<n>, n> {
  enum { RequireInitialization = 0 };
  static_assert(EIGEN_DEFAULT_ALIGN_BYTES >= alignof(taut::Pack<n>),
                "taut: compile with -DEIGEN_MAX_ALIGN_BYTES=128 (up to 16 lanes), so that Eigen aligns "
                "vectors of SIMD packs");
};
