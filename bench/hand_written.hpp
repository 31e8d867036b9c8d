// The loops that a careful programmer would write for one problem: RATTLE with full Newton on the constraint,
// to a tolerance on max |g|, one momentum projection, nothing generic. They are the yardstick of
// bench/rattle.cpp and bench/backends.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace hand_written {

// What a run measures after every step.
struct Measured {
  double energy = 0, position = 0, momentum = 0;  // H, max |g|, max |G H_p|
};

// The planar pendulum with unit mass, rod and gravity.
struct Pendulum {
  double x = 1, y = 0, px = 0, py = 0;

  // Makes a step. Returns the Newton iterations, or -1.
  int step(double h, double tolerance) {
    const double kick = -h / 2;
    double mu = 0, X = 0, Y = 0, PX = 0, PY = 0;
    int k = 0;
    for (;; ++k) {
      PX = px - x * mu;
      PY = py + kick - y * mu;
      X = x + h * PX;
      Y = y + h * PY;
      const double g = (X * X + Y * Y - 1) / 2;
      if (std::abs(g) <= tolerance) break;
      if (k == 50) return -1;
      mu += g / (h * (X * x + Y * y));
    }
    PY += kick;
    const double nu = (X * PX + Y * PY) / (X * X + Y * Y);
    x = X;
    y = Y;
    px = PX - X * nu;
    py = PY - Y * nu;
    return k;
  }

  void write(double* to_q, double* to_p) const {
    to_q[0] = x;
    to_q[1] = y;
    to_p[0] = px;
    to_p[1] = py;
  }
};

// A chain of `nodes` unit masses on unit rods in the plane; `Force::gradient` gives the force.
template <int nodes, class Force>
struct RodChain {
  static constexpr int n = 2 * nodes, m = nodes - 1;
  using Vec = std::array<double, n>;
  using Rods = std::array<double, m>;
  Vec q{}, p{}, force{};

  // Sets the zig-zag of equilateral triangles.
  void fold() {
    const double height = std::sqrt(3.0) / 2;
    for (int i = 0; i < nodes; ++i) {
      q[2 * i] = i / 2.0;
      q[2 * i + 1] = i % 2 == 0 ? 0 : height;
    }
    Force::gradient(q, force);
  }

  Measured measure() const {
    Measured r{.energy = Force::energy(q)};
    for (int i = 0; i < n; ++i) r.energy += p[i] * p[i] / 2;
    for (int k = 0; k < m; ++k) {
      const double x = q[2 * k] - q[2 * k + 2], y = q[2 * k + 1] - q[2 * k + 3];
      r.position = std::max(r.position, std::abs((x * x + y * y - 1) / 2));
      r.momentum =
          std::max(r.momentum, std::abs(x * (p[2 * k] - p[2 * k + 2]) + y * (p[2 * k + 1] - p[2 * k + 3])));
    }
    return r;
  }

  // Solves the tridiagonal system with diagonal d, below l, above u; b becomes the solution.
  static void tridiagonal(Rods& d, const Rods& l, const Rods& u, Rods& b) {
    for (int k = 1; k < m; ++k) {
      const double w = l[k] / d[k - 1];
      d[k] -= w * u[k - 1];
      b[k] -= w * b[k - 1];
    }
    b[m - 1] /= d[m - 1];
    for (int k = m - 2; k >= 0; --k) b[k] = (b[k] - u[k] * b[k + 1]) / d[k];
  }

  int step(double h, double tolerance) {
    Rods rx, ry, mu{}, g, d, l{}, u{};
    for (int k = 0; k < m; ++k) {
      rx[k] = q[2 * k] - q[2 * k + 2];
      ry[k] = q[2 * k + 1] - q[2 * k + 3];
    }
    Vec P, Q;
    Rods sx, sy;
    int iterations = 0;
    for (;; ++iterations) {
      for (int i = 0; i < n; ++i) P[i] = p[i] - h / 2 * force[i];
      for (int k = 0; k < m; ++k) {
        P[2 * k] -= mu[k] * rx[k];
        P[2 * k + 1] -= mu[k] * ry[k];
        P[2 * k + 2] += mu[k] * rx[k];
        P[2 * k + 3] += mu[k] * ry[k];
      }
      for (int i = 0; i < n; ++i) Q[i] = q[i] + h * P[i];
      double worst = 0;
      for (int k = 0; k < m; ++k) {
        sx[k] = Q[2 * k] - Q[2 * k + 2];
        sy[k] = Q[2 * k + 1] - Q[2 * k + 3];
        g[k] = (sx[k] * sx[k] + sy[k] * sy[k] - 1) / 2;
        worst = std::max(worst, std::abs(g[k]));
      }
      if (worst <= tolerance) break;
      if (iterations == 50) return -1;
      for (int k = 0; k < m; ++k) {
        d[k] = 2 * h * (sx[k] * rx[k] + sy[k] * ry[k]);
        if (k > 0) l[k] = -h * (sx[k] * rx[k - 1] + sy[k] * ry[k - 1]);
        if (k < m - 1) u[k] = -h * (sx[k] * rx[k + 1] + sy[k] * ry[k + 1]);
      }
      tridiagonal(d, l, u, g);
      for (int k = 0; k < m; ++k) mu[k] += g[k];
    }
    Force::gradient(Q, force);
    for (int i = 0; i < n; ++i) P[i] -= h / 2 * force[i];
    for (int k = 0; k < m; ++k) {
      g[k] = sx[k] * (P[2 * k] - P[2 * k + 2]) + sy[k] * (P[2 * k + 1] - P[2 * k + 3]);
      d[k] = 2 * (sx[k] * sx[k] + sy[k] * sy[k]);
      if (k > 0) l[k] = -(sx[k] * sx[k - 1] + sy[k] * sy[k - 1]);
      if (k < m - 1) u[k] = -(sx[k] * sx[k + 1] + sy[k] * sy[k + 1]);
    }
    tridiagonal(d, l, u, g);
    for (int k = 0; k < m; ++k) {
      P[2 * k] -= g[k] * sx[k];
      P[2 * k + 1] -= g[k] * sy[k];
      P[2 * k + 2] += g[k] * sx[k];
      P[2 * k + 3] += g[k] * sy[k];
    }
    q = Q;
    p = P;
    return iterations;
  }

  void write(double* to_q, double* to_p) const {
    std::copy(q.begin(), q.end(), to_q);
    std::copy(p.begin(), p.end(), to_p);
  }
};

// Springs of constant 5 between next-nearest nodes.
struct Springs {
  static double energy(const std::array<double, 12>& at) {
    double sum = 0;
    for (int i = 0; i < 8; ++i) sum += (at[i] - at[i + 4]) * (at[i] - at[i + 4]);
    return 2.5 * sum;
  }
  static void gradient(const std::array<double, 12>& at, std::array<double, 12>& f) {
    for (int i = 0; i < 4; ++i) {
      const double left = 5 * (at[i] - at[i + 4]), right = 5 * (at[i + 4] - at[i + 8]);
      f[i] = left;
      f[i + 4] = right - left;
      f[i + 8] = -right;
    }
  }
};

// Six masses; the first moves across its rod.
struct Chain : RodChain<6, Springs> {
  void start() {
    fold();
    p[0] = -std::sqrt(3.0) / 2;
    p[1] = 0.5;
  }
};

// The potential 0.1 (d^-12 - 2 d^-6) for every pair of the seven.
struct LennardJones {
  static double energy(const std::array<double, 14>& at) {
    double sum = 0;
    for (int i = 0; i < 7; ++i)
      for (int j = i + 1; j < 7; ++j) {
        const double x = at[2 * i] - at[2 * j], y = at[2 * i + 1] - at[2 * j + 1];
        const double r = 1 / (x * x + y * y), r3 = r * r * r;
        sum += r3 * r3 - 2 * r3;
      }
    return 0.1 * sum;
  }
  static void gradient(const std::array<double, 14>& at, std::array<double, 14>& f) {
    f.fill(0);
    for (int i = 0; i < 7; ++i)
      for (int j = i + 1; j < 7; ++j) {
        const double x = at[2 * i] - at[2 * j], y = at[2 * i + 1] - at[2 * j + 1];
        const double r = 1 / (x * x + y * y), r3 = r * r * r, w = 1.2 * r * (r3 - r3 * r3);
        f[2 * i] += w * x;
        f[2 * i + 1] += w * y;
        f[2 * j] -= w * x;
        f[2 * j + 1] -= w * y;
      }
  }
};

// Seven masses; the two ends are pushed across their rods.
struct LennardJonesChain : RodChain<7, LennardJones> {
  void start() {
    fold();
    p[0] = p[12] = -std::sqrt(3.0) / 8;
    p[1] = 0.125;
    p[13] = -0.125;
  }
};

// Two unit masses on two unit rods, unit gravity.
struct DoublePendulum {
  std::array<double, 4> q{}, p{};

  void start() {  // at rest, the rods at 30 degrees to either side of the vertical
    const double s = 0.5, c = std::sqrt(3.0) / 2;
    q = {s, -c, 0, -2 * c};
  }

  Measured measure() const {
    const double x = q[2] - q[0], y = q[3] - q[1];
    return {.energy = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) / 2 + q[1] + q[3],
            .position =
                std::max(std::abs((q[0] * q[0] + q[1] * q[1] - 1) / 2), std::abs((x * x + y * y - 1) / 2)),
            .momentum = std::max(std::abs(q[0] * p[0] + q[1] * p[1]),
                                 std::abs(x * (p[2] - p[0]) + y * (p[3] - p[1])))};
  }

  // Solves [a b; c d] (x, y) = (x, y).
  static void two_by_two(double a, double b, double c, double d, double& x, double& y) {
    const double det = a * d - b * c, first = (x * d - b * y) / det;
    y = (a * y - c * x) / det;
    x = first;
  }

  int step(double h, double tolerance) {
    const double kick = -h / 2;
    const double ax = q[0], ay = q[1], bx = q[2] - q[0], by = q[3] - q[1];  // the rods
    double mu0 = 0, mu1 = 0, X0, Y0, X1, Y1, P0, R0, P1, R1, cx, cy;
    int k = 0;
    for (;; ++k) {
      P0 = p[0] - mu0 * ax + mu1 * bx;
      R0 = p[1] + kick - mu0 * ay + mu1 * by;
      P1 = p[2] - mu1 * bx;
      R1 = p[3] + kick - mu1 * by;
      X0 = q[0] + h * P0;
      Y0 = q[1] + h * R0;
      X1 = q[2] + h * P1;
      Y1 = q[3] + h * R1;
      cx = X1 - X0;
      cy = Y1 - Y0;
      double g0 = (X0 * X0 + Y0 * Y0 - 1) / 2, g1 = (cx * cx + cy * cy - 1) / 2;
      if (std::max(std::abs(g0), std::abs(g1)) <= tolerance) break;
      if (k == 50) return -1;
      two_by_two(h * (X0 * ax + Y0 * ay), -h * (X0 * bx + Y0 * by), -h * (cx * ax + cy * ay),
                 2 * h * (cx * bx + cy * by), g0, g1);
      mu0 += g0;
      mu1 += g1;
    }
    R0 += kick;
    R1 += kick;
    double f0 = X0 * P0 + Y0 * R0, f1 = cx * (P1 - P0) + cy * (R1 - R0);
    const double off = -(X0 * cx + Y0 * cy);
    two_by_two(X0 * X0 + Y0 * Y0, off, off, 2 * (cx * cx + cy * cy), f0, f1);
    q = {X0, Y0, X1, Y1};
    p = {P0 - f0 * X0 + f1 * cx, R0 - f0 * Y0 + f1 * cy, P1 - f1 * cx, R1 - f1 * cy};
    return k;
  }
};

}  // namespace hand_written
