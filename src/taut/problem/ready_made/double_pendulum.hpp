// Two point masses in the plane, the first on a rod about the origin, the second on a rod about the first;
// gravity acts along the second axis, downwards. With the default parameters it is Example 2 of Jay (1996).
#pragma once

#include <taut/problem/ready_made/rods.hpp>

namespace taut {

template <class T = double>
struct DoublePendulum : RodSystem<T, 2, 2, chain_of_rods<2, true>()> {
  using Rods = RodSystem<T, 2, 2, chain_of_rods<2, true>()>;
  using typename Rods::Jacobian;
  using typename Rods::Multiplier;
  using typename Rods::Vec;
  T length1 = T(1), length2 = T(1), gravity = T(1);
  DiagonalMass<T, 4> inverse_mass = masses(T(1), T(1));

  static DiagonalMass<T, 4> masses(const T& m1, const T& m2) {
    return {Vec{T(1) / m1, T(1) / m1, T(1) / m2, T(1) / m2}};
  }

  T V(const Vec& q) const { return weight(0) * q[1] + weight(1) * q[3]; }
  void grad_V(const Vec&, Vec& f) const {
    f.setZero();
    f[1] = weight(0);
    f[3] = weight(1);
  }
  const DiagonalMass<T, 4>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    Rods::rods_g(q, g, [&](int k) { return k == 0 ? length1 * length1 : length2 * length2; });
  }
  void G(const Vec& q, Jacobian& G) const { Rods::rods_G(q, G); }

  template <class U>
  DoublePendulum<U> cast() const {
    return {
        {}, convert<U>(length1), convert<U>(length2), convert<U>(gravity), inverse_mass.template cast<U>()};
  }

  // Returns a start at rest, with the rods at 30 degrees to either side of the vertical.
  State<T, 4> start() const {
    State<T, 4> x{Vec::Zero(), Vec::Zero()};
    const T cosine = sqrt(T(3)) / 2;
    x.q[0] = length1 / 2;
    x.q[1] = -length1 * cosine;
    x.q[2] = x.q[0] - length2 / 2;
    x.q[3] = x.q[1] - length2 * cosine;
    return x;
  }

 private:
  T weight(int particle) const { return gravity / inverse_mass.inverse[2 * particle]; }
};

}  // namespace taut
