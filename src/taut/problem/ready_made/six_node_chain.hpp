// Leimkuhler & Skeel's test problem: six unit masses in the plane on five unit rods, with springs between
// next-nearest nodes, V = 5/2 κ Σ |r_i - r_{i+2}|².
#pragma once

#include <taut/problem/ready_made/rods.hpp>

namespace taut {

template <class T = double>
struct SixNodeChain : RodSystem<T, 2, 6, chain_of_rods<6, false>()> {
  using Rods = RodSystem<T, 2, 6, chain_of_rods<6, false>()>;
  using typename Rods::Jacobian;
  using typename Rods::Multiplier;
  using typename Rods::Vec;
  T kappa = T(1);
  ScalarMass<T> inverse_mass{};

  T V(const Vec& q) const {
    return T(5) / 2 * kappa * (q.template head<8>() - q.template tail<8>()).squaredNorm();
  }
  void grad_V(const Vec& q, Vec& f) const {
    const Vector<T, 8> pull = 5 * kappa * (q.template head<8>() - q.template tail<8>());
    f.template head<4>() = pull.template head<4>();
    f.template segment<4>(4) = pull.template tail<4>() - pull.template head<4>();
    f.template tail<4>() = -pull.template tail<4>();
  }
  const ScalarMass<T>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    Rods::rods_g(q, g, [](int) { return T(1); });
  }
  void G(const Vec& q, Jacobian& G) const { Rods::rods_G(q, G); }

  template <class U>
  SixNodeChain<U> cast() const {
    return {{}, convert<U>(kappa), inverse_mass.template cast<U>()};
  }

  // Returns a start. The paper gives no initial data; this is an equilateral zig-zag, with the first node
  // moving at unit speed across its rod.
  State<T, 12> start() const {
    State<T, 12> x{Vec::Zero(), Vec::Zero()};
    const T height = sqrt(T(3)) / 2;
    for (int i = 0; i < 6; ++i) {
      x.q[2 * i] = T(i) / 2;
      x.q[2 * i + 1] = i % 2 == 0 ? T(0) : height;
    }
    x.p[0] = -height;
    x.p[1] = T(1) / 2;
    return x;
  }
};

}  // namespace taut
