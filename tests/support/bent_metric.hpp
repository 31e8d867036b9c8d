// A point on the unit circle whose inverse mass depends on where it is and how fast it moves: H = (1 + x²)
// p²/2 + p⁴/8 + y. Nothing about H is constant, linear or separable, so a method that works for it works
// for any H(q, p).
#pragma once

#include <taut/problem/tiers.hpp>

namespace taut::test {

template <class T = double>
struct BentMetric : Shape<T, 2, 1> {
  using typename Shape<T, 2, 1>::Vec;
  using typename Shape<T, 2, 1>::Multiplier;
  using typename Shape<T, 2, 1>::Jacobian;

  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }

  T H(const Vec& q, const Vec& p) const {
    const T square = p.dot(p);
    return (T(1) + q[0] * q[0]) * square / 2 + square * square / 8 + q[1];
  }
  void H_q(const Vec& q, const Vec& p, Vec& out) const {
    out[0] = q[0] * p.dot(p);
    out[1] = T(1);
  }
  void H_p(const Vec& q, const Vec& p, Vec& out) const { out = (T(1) + q[0] * q[0] + p.dot(p) / 2) * p; }
  void H_pp_times(const Vec& q, const Vec& p, const Vec& v, Vec& out) const {
    out = (T(1) + q[0] * q[0] + p.dot(p) / 2) * v + p.dot(v) * p;
  }
  void g(const Vec& q, Multiplier& g) const { g[0] = (q.dot(q) - 1) / 2; }
  void G(const Vec& q, Jacobian& G) const {
    for (int a = 0; a < 2; ++a) G(0, a) = q[a];
  }
  template <class U>
  BentMetric<U> cast() const {
    return {};
  }
  State<T, 2> start() const { return {Vec{T(3) / 5, T(-4) / 5}, Vec{T(4) / 5, T(3) / 5}}; }
};

}  // namespace taut::test
