// The loop that a careful programmer would write who has no method for constraints: the underlying
// equations by the formula of order 8 of Fehlberg's pair 7(8), with a fixed step, and a projection onto
// both constraints after each step. It is the yardstick of bench/fehlberg.cpp.
#pragma once

#include "hand_written.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace hand_written {

// The rows of a, then b. The stage at c = 1 that only the estimate of the error needs is left out.
inline constexpr int fehlberg_stages = 12;
inline constexpr double fehlberg[fehlberg_stages + 1][fehlberg_stages] = {
    {0},
    {2. / 27},
    {1. / 36, 1. / 12},
    {1. / 24, 0, 1. / 8},
    {5. / 12, 0, -25. / 16, 25. / 16},
    {1. / 20, 0, 0, 1. / 4, 1. / 5},
    {-25. / 108, 0, 0, 125. / 108, -65. / 27, 125. / 54},
    {31. / 300, 0, 0, 0, 61. / 225, -2. / 9, 13. / 900},
    {2, 0, 0, -53. / 6, 704. / 45, -107. / 9, 67. / 90, 3},
    {-91. / 108, 0, 0, 23. / 108, -976. / 135, 311. / 54, -19. / 60, 17. / 6, -1. / 12},
    {3. / 205, 0, 0, 0, 0, -6. / 41, -3. / 205, -3. / 41, 3. / 41, 6. / 41},
    {-1777. / 4100, 0, 0, -341. / 164, 4496. / 1025, -289. / 82, 2193. / 4100, 51. / 82, 33. / 164, 12. / 41,
     1},
    {0, 0, 0, 0, 0, 34. / 105, 9. / 35, 9. / 35, 9. / 280, 9. / 280, 41. / 840, 41. / 840}};

// `System` has `n` coordinates of unit masses, accelerate(q, v, a) and project(q, v).
template <class System>
struct Fehlberg {
  using Vec = std::array<double, System::n>;
  using Stages = std::array<Vec, fehlberg_stages>;
  Vec q{}, v{};

  void step(double h) {
    Stages velocity, acceleration;
    stage<0>(velocity, acceleration, h);
    const auto [Q, V] = moved<fehlberg_stages>(velocity, acceleration, h);
    q = Q;
    v = V;
    System::project(q, v);
  }

 private:
  template <int i>
  void stage(Stages& velocity, Stages& acceleration, double h) const {
    if constexpr (i < fehlberg_stages) {
      const auto [Q, V] = moved<i>(velocity, acceleration, h);
      velocity[i] = V;
      System::accelerate(Q, V, acceleration[i]);
      stage<i + 1>(velocity, acceleration, h);
    }
  }
  struct Point {
    Vec q, v;
  };
  template <int row>
  Point moved(const Stages& velocity, const Stages& acceleration, double h) const {
    Point x{q, v};
    add<row, 0>(velocity, h, x.q);
    add<row, 0>(acceleration, h, x.v);
    return x;
  }
  template <int row, int j>
  static void add(const Stages& slopes, double h, Vec& to) {
    if constexpr (j < row) {
      if constexpr (fehlberg[row][j] != 0) {
        const double weight = h * fehlberg[row][j];
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += weight * slopes[j][i];
      }
      add<row, j + 1>(slopes, h, to);
    }
  }
};

inline constexpr double on_manifold = 1e-15;  // max |g| after a projection
inline constexpr int most_corrections = 10;

// The planar pendulum with unit mass, rod and gravity, q'' = -(0, 1) - λq.
struct FreePendulum {
  static constexpr int n = 2;
  using Vec = std::array<double, n>;

  static void accelerate(const Vec& q, const Vec& v, Vec& a) {
    const double lambda = (v[0] * v[0] + v[1] * v[1] - q[1]) / (q[0] * q[0] + q[1] * q[1]);
    a = {-lambda * q[0], -1 - lambda * q[1]};
  }
  static void project(Vec& q, Vec& v) {
    const Vec G = q;
    for (int k = 0; k < most_corrections; ++k) {
      const double g = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
      if (std::abs(g) <= on_manifold) break;
      const double mu = g / (G[0] * q[0] + G[1] * q[1]);
      q = {q[0] - mu * G[0], q[1] - mu * G[1]};
    }
    const double nu = (q[0] * v[0] + q[1] * v[1]) / (q[0] * q[0] + q[1] * q[1]);
    v = {v[0] - nu * q[0], v[1] - nu * q[1]};
  }
};

// A chain of `nodes` unit masses on unit rods in the plane, q'' = -∇V - Gᵀλ. G Gᵀ is tridiagonal.
template <int nodes, class Force>
struct FreeChain {
  static constexpr int n = 2 * nodes, m = nodes - 1;
  using Vec = std::array<double, n>;
  using Rods = std::array<double, m>;

  static void accelerate(const Vec& q, const Vec& v, Vec& a) {
    Force::gradient(q, a);
    const Directions rods(q), turning(v), pulled(a);
    Rods lambda;
    for (int k = 0; k < m; ++k) lambda[k] = turning.dot(turning, k) - rods.dot(pulled, k);
    solve(rods, lambda);
    rods.add_transpose(lambda, a);
    for (double& x : a) x = -x;
  }
  static void project(Vec& q, Vec& v) {
    const Directions before(q);
    for (int k = 0; k < most_corrections; ++k) {
      const Directions now(q);
      Rods mu;
      double worst = 0;
      for (int i = 0; i < m; ++i) {
        mu[i] = (now.dot(now, i) - 1) / 2;
        worst = std::max(worst, std::abs(mu[i]));
        mu[i] = -mu[i];
      }
      if (worst <= on_manifold) break;
      solve(before, mu);
      before.add_transpose(mu, q);
    }
    const Directions rods(q), speeds(v);
    Rods nu;
    for (int k = 0; k < m; ++k) nu[k] = -rods.dot(speeds, k);
    solve(rods, nu);
    rods.add_transpose(nu, v);
  }

 private:
  // The differences of neighbours.
  struct Directions {
    Rods x, y;
    explicit Directions(const Vec& q) {
      for (int k = 0; k < m; ++k) {
        x[k] = q[2 * k] - q[2 * k + 2];
        y[k] = q[2 * k + 1] - q[2 * k + 3];
      }
    }
    double dot(const Directions& other, int k) const { return x[k] * other.x[k] + y[k] * other.y[k]; }
    void add_transpose(const Rods& impulse, Vec& to) const {
      for (int k = 0; k < m; ++k) {
        to[2 * k] += impulse[k] * x[k];
        to[2 * k + 1] += impulse[k] * y[k];
        to[2 * k + 2] -= impulse[k] * x[k];
        to[2 * k + 3] -= impulse[k] * y[k];
      }
    }
  };
  // Solves G Gᵀ x = b with the rods of G; b becomes x.
  static void solve(const Directions& rods, Rods& b) {
    Rods diagonal, below{}, above{};
    for (int k = 0; k < m; ++k) {
      diagonal[k] = 2 * rods.dot(rods, k);
      if (k == 0) continue;
      below[k] = -(rods.x[k] * rods.x[k - 1] + rods.y[k] * rods.y[k - 1]);
      above[k - 1] = below[k];
    }
    RodChain<nodes, Force>::tridiagonal(diagonal, below, above, b);
  }
};

}  // namespace hand_written
