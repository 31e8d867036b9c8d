// A problem with two time scales: a point mass on a rigid rod about the origin, and a second one hanging from
// it on a stiff spring, in the plane. V_fast = k/2 (|r₂ - r₁| - L)², V_slow is gravity along the second axis,
// downwards.
#pragma once

#include <taut/problem/ready_made/rods.hpp>

namespace taut {

template <class T = double>
struct StiffPendulum : RodSystem<T, 2, 2, chain_of_rods<1, true>()> {
  using Rods = RodSystem<T, 2, 2, chain_of_rods<1, true>()>;
  using typename Rods::Jacobian;
  using typename Rods::Multiplier;
  using typename Rods::Vec;
  T rod = T(1), spring = T(1), stiffness = T(100), gravity = T(1);  // lengths of rod and spring, k
  ScalarMass<T> inverse_mass{};

  T V_fast(const Vec& q) const {
    const T stretch = distance(q) - spring;
    return stiffness / 2 * stretch * stretch;
  }
  void grad_V_fast(const Vec& q, Vec& f) const {
    const T r = distance(q), pull = stiffness * (r - spring) / r;
    for (int a = 0; a < 2; ++a) {
      f[a] = pull * (q[a] - q[2 + a]);
      f[2 + a] = -f[a];
    }
  }
  T V_slow(const Vec& q) const { return weight() * (q[1] + q[3]); }
  void grad_V_slow(const Vec&, Vec& f) const {
    f.setZero();
    f[1] = f[3] = weight();
  }
  T V(const Vec& q) const { return V_slow(q) + V_fast(q); }
  void grad_V(const Vec& q, Vec& f) const {
    grad_V_fast(q, f);
    f[1] += weight();
    f[3] += weight();
  }
  const ScalarMass<T>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    Rods::rods_g(q, g, [&](int) { return rod * rod; });
  }
  void G(const Vec& q, Jacobian& G) const { Rods::rods_G(q, G); }

  template <class U>
  StiffPendulum<U> cast() const {
    return {{},
            convert<U>(rod),
            convert<U>(spring),
            convert<U>(stiffness),
            convert<U>(gravity),
            inverse_mass.template cast<U>()};
  }

  // Returns a start with both to one side, the rod moving, and the spring stretched by a twentieth so that
  // there is fast motion.
  State<T, 4> start() const {
    const T x = rod * 3 / 5, y = -rod * 4 / 5;
    return {Vec{x, y, x, y - spring * 21 / 20}, Vec{-y / 2, x / 2, T(0), T(0)}};
  }

 private:
  T weight() const { return gravity * inverse_mass.mass; }
  static T distance(const Vec& q) {
    const T x = q[2] - q[0], y = q[3] - q[1];
    return sqrt(x * x + y * y);
  }
};

}  // namespace taut
