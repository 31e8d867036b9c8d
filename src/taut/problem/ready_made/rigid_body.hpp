// A rigid body about a fixed point. The nine coordinates are the rotation R column by column, r_j being body
// axis j seen from space; the six constraints are RᵀR = I. The mass d_j = (I₁ + I₂ + I₃)/2 - I_j of column j,
// which must be positive, is the second moment of the body along its axis j. The centre of mass lies on the
// third axis: V = weight · (r₃)_z, and a body with weight 0 is free.
#pragma once

#include <taut/problem/tiers.hpp>

#include <array>

namespace taut {

// The constraint RᵀR = I by its upper triangle, row by row.
struct FramePattern {
  static constexpr int rows = 6, columns = 9;
  struct Pair {
    int i, j;
  };
  static constexpr std::array<Pair, 6> pairs{{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
  static constexpr std::array<Place, 27> places = [] {
    std::array<Place, 27> list{};
    std::size_t c = 0;
    for (int k = 0; k < rows; ++k) {
      const Pair at = pairs[static_cast<std::size_t>(k)];
      for (int a = 0; a < 3; ++a) list[c++] = {k, 3 * at.i + a};
      for (int a = 0; at.i != at.j && a < 3; ++a) list[c++] = {k, 3 * at.j + a};
    }
    return list;
  }();
};

template <class T = double>
struct RigidBody : Shape<T, 9, 6, PatternJacobian<T, FramePattern>> {
  using Base = Shape<T, 9, 6, PatternJacobian<T, FramePattern>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Vec;
  using Vec3 = Vector<T, 3>;
  T weight = T(0);  // m g ℓ
  DiagonalMass<T, 9> inverse_mass = inertia(T(3), T(4), T(5));
  Vec3 spin = Vec3(T(1), T(1) / 2, T(1));  // at the start: the angular velocity in body axes
  T tilt = T(0);  // at the start: the angle by which the third axis leans, about the first

  static DiagonalMass<T, 9> inertia(const T& i1, const T& i2, const T& i3) {
    const T half = (i1 + i2 + i3) / 2;
    DiagonalMass<T, 9> w;
    for (int a = 0; a < 3; ++a) {
      w.inverse[a] = T(1) / (half - i1);
      w.inverse[3 + a] = T(1) / (half - i2);
      w.inverse[6 + a] = T(1) / (half - i3);
    }
    return w;
  }

  int coordinates() const { return 9; }
  int constraints() const { return 6; }
  Jacobian make_jacobian() const { return {}; }

  T V(const Vec& q) const { return weight * q[8]; }
  void grad_V(const Vec&, Vec& f) const {
    f.setZero();
    f[8] = weight;
  }
  const DiagonalMass<T, 9>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    unroll<6>([&]<int k>() {
      constexpr auto at = FramePattern::pairs[k];
      if constexpr (at.i == at.j)
        g[k] = (dot(q, at.i, q, at.j) - T(1)) / 2;
      else
        g[k] = dot(q, at.i, q, at.j);
    });
  }
  void bend(const Vec& d, Multiplier& b) const {
    unroll<6>([&]<int k>() {
      constexpr auto at = FramePattern::pairs[k];
      b[k] = dot(d, at.i, d, at.j);
      if constexpr (at.i == at.j) b[k] /= T(2);
    });
  }
  // The entry in the column of one axis is the other axis.
  void G(const Vec& q, Jacobian& G) const {
    unroll<27>([&]<int e>() {
      constexpr Place to = FramePattern::places[e];
      constexpr auto at = FramePattern::pairs[to.row];
      constexpr int other = to.column / 3 == at.i ? at.j : at.i;
      G.entries[e] = q[3 * other + to.column % 3];
    });
  }

  template <class U>
  RigidBody<U> cast() const {
    return {{},
            convert<U>(weight),
            inverse_mass.template cast<U>(),
            spin.unaryExpr([](const T& x) { return convert<U>(x); }),
            convert<U>(tilt)};
  }
  static std::string constraint_name(int k) {
    const auto at = FramePattern::pairs[static_cast<std::size_t>(k)];
    return "R'R = I, entry " + std::to_string(at.i + 1) + std::to_string(at.j + 1);
  }

  State<T, 9> start() const {
    State<T, 9> x;
    const T c = cos(tilt), s = sin(tilt);
    x.q << T(1), T(0), T(0), T(0), c, s, T(0), -s, c;
    for (int a = 0; a < 3; ++a) {  // Ṙ = R ω̂
      const T r1 = x.q[a], r2 = x.q[3 + a], r3 = x.q[6 + a];
      x.p[a] = (spin[2] * r2 - spin[1] * r3) / inverse_mass.inverse[a];
      x.p[3 + a] = (spin[0] * r3 - spin[2] * r1) / inverse_mass.inverse[3 + a];
      x.p[6 + a] = (spin[1] * r1 - spin[0] * r2) / inverse_mass.inverse[6 + a];
    }
    return x;
  }

  // Returns the angular momentum in body axes, (I₁ω₁, I₂ω₂, I₃ω₃), of a point on M.
  static Vec3 body_momentum(const State<T, 9>& x) {
    const auto along = [&](int j, int k) { return dot(x.q, j, x.p, k) - dot(x.q, k, x.p, j); };
    return {along(2, 1), along(0, 2), along(1, 0)};
  }
  // Returns the angular momentum in space, Σ r_j × p_j.
  static Vec3 space_momentum(const State<T, 9>& x) {
    Vec3 sum = Vec3::Zero();
    for (int j = 0; j < 9; j += 3)
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        sum[a] += x.q[j + b] * x.p[j + c] - x.q[j + c] * x.p[j + b];
      }
    return sum;
  }

 private:
  static T dot(const Vec& u, int i, const Vec& v, int j) {
    return u[3 * i] * v[3 * j] + u[3 * i + 1] * v[3 * j + 1] + u[3 * i + 2] * v[3 * j + 2];
  }
};

// Makes Lagrange's top: symmetric, leaning, spinning fast enough to stay up.
template <class T = double>
RigidBody<T> heavy_top() {
  RigidBody<T> s;
  s.weight = T(1);
  s.inverse_mass = RigidBody<T>::inertia(T(1), T(1), T(1) / 2);
  s.spin = Vector<T, 3>(T(0), T(1) / 4, T(5));
  s.tilt = T(1) / 2;
  return s;
}

}  // namespace taut
