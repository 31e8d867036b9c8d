// A charged particle on a sphere, in an electric and a magnetic field along the third axis: Example 1 of Jay
// (1996). H = ((p_x + mωy)² + (p_y - mωx)² + p_z²)/2m - eE z is not separable; ω = eB/2mc.
#pragma once

#include <taut/problem/tiers.hpp>

namespace taut {

template <class T = double>
struct ChargedParticle : Shape<T, 3, 1> {
  using typename Shape<T, 3, 1>::Vec;
  using typename Shape<T, 3, 1>::Multiplier;
  using typename Shape<T, 3, 1>::Jacobian;
  T mass = T(1), omega = T(1), radius = T(1), field = T(1);  // field: eE

  int coordinates() const { return 3; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }

  T H(const Vec& q, const Vec& p) const {
    Vec v;
    H_p(q, p, v);
    return mass / 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) - field * q[2];
  }
  void H_q(const Vec& q, const Vec& p, Vec& out) const {
    out[0] = -omega * (p[1] - mass * omega * q[0]);
    out[1] = omega * (p[0] + mass * omega * q[1]);
    out[2] = -field;
  }
  void H_p(const Vec& q, const Vec& p, Vec& out) const {
    out[0] = (p[0] + mass * omega * q[1]) / mass;
    out[1] = (p[1] - mass * omega * q[0]) / mass;
    out[2] = p[2] / mass;
  }
  void H_pp_times(const Vec&, const Vec&, const Vec& v, Vec& out) const {
    for (int a = 0; a < 3; ++a) out[a] = v[a] / mass;
  }
  void g(const Vec& q, Multiplier& g) const { g[0] = norm(q) - radius; }
  void G(const Vec& q, Jacobian& G) const {
    const T r = norm(q);
    for (int a = 0; a < 3; ++a) G(0, a) = q[a] / r;
  }

  template <class U>
  ChargedParticle<U> cast() const {
    return {{}, convert<U>(mass), convert<U>(omega), convert<U>(radius), convert<U>(field)};
  }
  static std::string constraint_name(int) { return "the sphere"; }

  // Returns the start; H = 1.44 - √0.92 with the parameters as they stand.
  State<T, 3> start() const {
    const T x = T(1) / 5;
    return {Vec{x, x, sqrt(radius * radius - 2 * x * x)}, Vec{T(1), T(-1), T(0)}};
  }

 private:
  static T norm(const Vec& q) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]); }
};

}  // namespace taut
