// Dual numbers a + Σ bᵢ εᵢ, εᵢεⱼ = 0: running a step on them gives its tangent map, exactly and to rounding.
#pragma once

#include <taut/scalar/eigen.hpp>
#include <taut/scalar/number.hpp>

#include <array>

namespace taut {

template <class T, int tangents = 1>
struct Dual {
  T value{};
  std::array<T, tangents> tangent{};

  constexpr Dual() = default;
  constexpr Dual(T v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant has no tangent
  template <class U>
    requires(std::is_arithmetic_v<U> && !std::is_same_v<U, T>)
  constexpr Dual(U v) : value(static_cast<double>(v)) {}  // NOLINT(google-explicit-constructor)

  constexpr Dual& operator+=(const Dual& y) {
    value += y.value;
    for (int i = 0; i < tangents; ++i) tangent[i] += y.tangent[i];
    return *this;
  }
  constexpr Dual& operator-=(const Dual& y) {
    value -= y.value;
    for (int i = 0; i < tangents; ++i) tangent[i] -= y.tangent[i];
    return *this;
  }
  constexpr Dual& operator*=(const Dual& y) {
    for (int i = 0; i < tangents; ++i) tangent[i] = tangent[i] * y.value + value * y.tangent[i];
    value *= y.value;
    return *this;
  }
  constexpr Dual& operator/=(const Dual& y) {
    value /= y.value;
    for (int i = 0; i < tangents; ++i) tangent[i] = (tangent[i] - value * y.tangent[i]) / y.value;
    return *this;
  }

  friend constexpr Dual operator+(Dual x, const Dual& y) { return x += y; }
  friend constexpr Dual operator-(Dual x, const Dual& y) { return x -= y; }
  friend constexpr Dual operator*(Dual x, const Dual& y) { return x *= y; }
  friend constexpr Dual operator/(Dual x, const Dual& y) { return x /= y; }
  friend constexpr Dual operator+(const Dual& x) { return x; }
  friend constexpr Dual operator-(const Dual& x) { return Dual(T(0)) -= x; }

  // Returns f(x) with the derivative f'(x): the chain rule, written once.
  constexpr Dual chain(T f, T derivative) const {
    Dual y(f);
    for (int i = 0; i < tangents; ++i) y.tangent[i] = derivative * tangent[i];
    return y;
  }
};

template <class T, int k>
struct ScalarTraits<Dual<T, k>> {
  using Real = taut::Real<T>;
  using Base = T;
  using Mask = taut::Mask<T>;
  using Element = T;
  static constexpr int lanes = ScalarTraits<T>::lanes;
};

template <class T, int k>
Dual<T, k> sqrt(const Dual<T, k>& x) {
  const T root = sqrt(x.value);
  return x.chain(root, T(1) / (root + root));
}
template <class T, int k>
Dual<T, k> sin(const Dual<T, k>& x) {
  return x.chain(sin(x.value), cos(x.value));
}
template <class T, int k>
Dual<T, k> cos(const Dual<T, k>& x) {
  return x.chain(cos(x.value), -sin(x.value));
}

template <class T, int k>
constexpr Real<T> magnitude(const Dual<T, k>& x) {
  Real<T> size = magnitude(x.value);
  for (const T& t : x.tangent) size = larger(size, magnitude(t));
  return size;
}

template <class T, int k>
constexpr Mask<T> finite(const Dual<T, k>& x) {
  Mask<T> ok = finite(x.value);
  for (const T& t : x.tangent) ok = ok && finite(t);
  return ok;
}

template <class T, int k>
constexpr T base(const Dual<T, k>& x) {
  return x.value;
}

template <class To, class T, int k>
constexpr To convert(const Dual<T, k>& x) {
  if constexpr (std::is_same_v<To, Dual<T, k>>)
    return x;
  else
    return convert<To>(x.value);
}

template <class T, int k>
constexpr double lane(const Dual<T, k>& x, int i) {
  return lane(x.value, i);
}

template <class T, int k, class M>
  requires(!std::is_same_v<M, bool>)
Dual<T, k> select(const M& mask, const Dual<T, k>& yes, const Dual<T, k>& no) {
  Dual<T, k> x(select(mask, yes.value, no.value));
  for (int i = 0; i < k; ++i) x.tangent[i] = select(mask, yes.tangent[i], no.tangent[i]);
  return x;
}

}  // namespace taut

template <class T, int k>
struct Eigen::NumTraits<taut::Dual<T, k>> : taut::EigenScalar<taut::Dual<T, k>, k + 1> {};
