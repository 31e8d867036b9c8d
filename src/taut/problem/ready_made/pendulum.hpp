// A point mass on a rigid rod about the origin, in the plane or in space; gravity acts along the last axis,
// downwards.
#pragma once

#include <taut/problem/tiers.hpp>

namespace taut {

template <class T, int d>
struct Pendulum : Shape<T, d, 1, PatternJacobian<T, FullPattern<1, d>>> {
  using typename Shape<T, d, 1, PatternJacobian<T, FullPattern<1, d>>>::Vec;
  using typename Shape<T, d, 1, PatternJacobian<T, FullPattern<1, d>>>::Multiplier;
  using typename Shape<T, d, 1, PatternJacobian<T, FullPattern<1, d>>>::Jacobian;
  T length = T(1), gravity = T(1);
  ScalarMass<T> inverse_mass{};

  int coordinates() const { return d; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }

  T V(const Vec& q) const { return gravity * inverse_mass.mass * q[d - 1]; }
  void grad_V(const Vec&, Vec& f) const {
    f.setZero();
    f[d - 1] = gravity * inverse_mass.mass;
  }
  const ScalarMass<T>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    T sum = q[0] * q[0] - length * length;  // subtracted first: see rods.hpp
    for (int a = 1; a < d; ++a) sum += q[a] * q[a];
    g[0] = sum / 2;
  }
  void bend(const Vec& x, Multiplier& b) const {
    T sum = x[0] * x[0];
    for (int a = 1; a < d; ++a) sum += x[a] * x[a];
    b[0] = sum / 2;
  }
  void G(const Vec& q, Jacobian& G) const {
    for (int i = 0; i < d; ++i) G.entries[i] = q[i];
  }

  template <class U>
  Pendulum<U, d> cast() const {
    return {{}, convert<U>(length), convert<U>(gravity), inverse_mass.template cast<U>()};
  }
  static std::string constraint_name(int) { return "the rod"; }

  // Returns Reich's start in the plane, horizontal and at rest. In space it is pushed sideways, so that the
  // motion leaves a plane.
  State<T, d> start() const {
    State<T, d> x{Vec::Zero(), Vec::Zero()};
    if constexpr (d == 2) {
      x.q[0] = length;
    } else {
      x.q[0] = length * 3 / 5;
      x.q[d - 1] = -length * 4 / 5;
      x.p[1] = T(9) / 10;
    }
    return x;
  }
};

template <class T = double>
using PlanarPendulum = Pendulum<T, 2>;
template <class T = double>
using SphericalPendulum = Pendulum<T, 3>;

}  // namespace taut
