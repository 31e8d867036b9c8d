// Leimkuhler & Skeel's second test problem: seven unit masses in the plane on six unit rods; all pairs
// attract and repel each other by V = ε Σ (d⁻¹² - 2 d⁻⁶), ε = 0.1.
#pragma once

#include <taut/problem/ready_made/rods.hpp>

namespace taut {

template <class T = double>
struct LennardJonesChain : RodSystem<T, 2, 7, chain_of_rods<7, false>()> {
  using Rods = RodSystem<T, 2, 7, chain_of_rods<7, false>()>;
  using typename Rods::Jacobian;
  using typename Rods::Multiplier;
  using typename Rods::Vec;
  T depth = T(1) / 10;
  ScalarMass<T> inverse_mass{};

  T V(const Vec& q) const {
    T sum(0);
    each_pair(q, [&](int, int, const T&, const T&, const T&, const T& u3) { sum += u3 * u3 - 2 * u3; });
    return depth * sum;
  }
  void grad_V(const Vec& q, Vec& f) const {
    f.setZero();
    each_pair(q, [&](int i, int j, const T& x, const T& y, const T& u, const T& u3) {
      const T c = 12 * depth * u * (u3 - u3 * u3);
      f[2 * i] += c * x;
      f[2 * i + 1] += c * y;
      f[2 * j] -= c * x;
      f[2 * j + 1] -= c * y;
    });
  }
  const ScalarMass<T>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    Rods::rods_g(q, g, [](int) { return T(1); });
  }
  void G(const Vec& q, Jacobian& G) const { Rods::rods_G(q, G); }

  template <class U>
  LennardJonesChain<U> cast() const {
    return {{}, convert<U>(depth), inverse_mass.template cast<U>()};
  }

  // Returns the global minimum of V, V = -1.253171830394, with the ends pushed across the line between them,
  // which is the first axis. The part of the push that would strain the rods is taken off: E = -1.215727860.
  State<T, 14> start() const {
    State<T, 14> x{Vec::Zero(), Vec::Zero()};
    for (int k = 0; k < 6; ++k) {
      const T angle = T(heading[k][0]) + T(heading[k][1]);
      x.q[2 * k + 2] = x.q[2 * k] + cos(angle);
      x.q[2 * k + 3] = x.q[2 * k + 1] + sin(angle);
    }
    x.p[1] = T(-1) / 4;
    x.p[13] = T(1) / 4;
    project(x);
    return x;
  }

 private:
  // The directions of the rods at the minimum, in radians: each the sum of two doubles, 32 digits.
  static constexpr double heading[6][2] = {
      {-1.0471737042298304, -9.835810086109954e-17}, {-3.147016131826371, -8.035669629939701e-17},
      {-1.0498787501915872, 9.012648408785143e-17},  {-0.002728798158490704, 2.104530269132733e-19},
      {1.0472306884739753, -7.247484272424953e-17},  {2.097159813803366, 1.5563538451484322e-16}};

  // Calls f(i, j, r_i - r_j, d⁻², d⁻⁶) for each pair.
  template <class F>
  static void each_pair(const Vec& q, F&& f) {
    for (int i = 1; i < 7; ++i)
      for (int j = 0; j < i; ++j) {
        const T x = q[2 * i] - q[2 * j], y = q[2 * i + 1] - q[2 * j + 1];
        const T u = T(1) / (x * x + y * y);
        f(i, j, x, y, u, u * u * u);
      }
  }

  // Subtracts Gᵀν from p so that G (p - Gᵀν) = 0. For a chain of unit rods with directions e_k, G Gᵀ is
  // tridiagonal: 2 on the diagonal and -e_k·e_{k+1} beside it. It is eliminated from the first rod to the
  // last.
  static void project(State<T, 14>& x) {
    const auto e = [&](int k, int a) { return x.q[2 * k + 2 + a] - x.q[2 * k + a]; };
    std::array<T, 6> pivot, nu;
    std::array<T, 5> beside;
    for (int k = 0; k < 6; ++k) {
      pivot[k] = T(2);
      nu[k] = e(k, 0) * (x.p[2 * k + 2] - x.p[2 * k]) + e(k, 1) * (x.p[2 * k + 3] - x.p[2 * k + 1]);
      if (k == 0) continue;
      beside[k - 1] = -(e(k - 1, 0) * e(k, 0) + e(k - 1, 1) * e(k, 1));
      const T factor = beside[k - 1] / pivot[k - 1];
      pivot[k] -= factor * beside[k - 1];
      nu[k] -= factor * nu[k - 1];
    }
    nu[5] /= pivot[5];
    for (int k = 4; k >= 0; --k) nu[k] = (nu[k] - beside[k] * nu[k + 1]) / pivot[k];
    for (int k = 0; k < 6; ++k)
      for (int a = 0; a < 2; ++a) {
        x.p[2 * k + a] += e(k, a) * nu[k];
        x.p[2 * k + 2 + a] -= e(k, a) * nu[k];
      }
  }
};

}  // namespace taut
