// The loops a careful programmer would write for one problem: RATTLE with full Newton on the constraint, to a tolerance on max |g|, one
// momentum projection, nothing generic. The yardstick of bench/rattle.cpp.
#pragma once

#include <array>
#include <cmath>

namespace hand_written {

// Planar pendulum, unit mass, rod and gravity.
struct Pendulum {
  double x = 1, y = 0, px = 0, py = 0;

  // Newton iterations, or -1.
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
};

// Six unit masses on five unit rods in the plane, springs of constant 5 between next-nearest nodes.
struct Chain {
  std::array<double, 12> q{}, p{}, force{};

  void gradient(const std::array<double, 12>& at, std::array<double, 12>& f) const {
    for (int i = 0; i < 4; ++i) {
      const double left = 5 * (at[i] - at[i + 4]), right = 5 * (at[i + 4] - at[i + 8]);
      f[i] = left;
      f[i + 4] = right - left;
      f[i + 8] = -right;
    }
  }
  void start() {
    const double height = std::sqrt(3.0) / 2;
    for (int i = 0; i < 6; ++i) {
      q[2 * i] = i / 2.0;
      q[2 * i + 1] = i % 2 == 0 ? 0 : height;
    }
    p[0] = -height;
    p[1] = 0.5;
    gradient(q, force);
  }

  // Solves the tridiagonal system with diagonal d, below l, above u; b becomes the solution.
  static void tridiagonal(std::array<double, 5>& d, const std::array<double, 5>& l,
                          const std::array<double, 5>& u, std::array<double, 5>& b) {
    for (int k = 1; k < 5; ++k) {
      const double w = l[k] / d[k - 1];
      d[k] -= w * u[k - 1];
      b[k] -= w * b[k - 1];
    }
    b[4] /= d[4];
    for (int k = 3; k >= 0; --k) b[k] = (b[k] - u[k] * b[k + 1]) / d[k];
  }

  int step(double h, double tolerance) {
    std::array<double, 5> rx, ry, mu{}, g, d, l{}, u{};
    for (int k = 0; k < 5; ++k) {
      rx[k] = q[2 * k] - q[2 * k + 2];
      ry[k] = q[2 * k + 1] - q[2 * k + 3];
    }
    std::array<double, 12> P, Q;
    std::array<double, 5> sx, sy;
    int iterations = 0;
    for (;; ++iterations) {
      for (int i = 0; i < 12; ++i) P[i] = p[i] - h / 2 * force[i];
      for (int k = 0; k < 5; ++k) {
        P[2 * k] -= mu[k] * rx[k];
        P[2 * k + 1] -= mu[k] * ry[k];
        P[2 * k + 2] += mu[k] * rx[k];
        P[2 * k + 3] += mu[k] * ry[k];
      }
      for (int i = 0; i < 12; ++i) Q[i] = q[i] + h * P[i];
      double worst = 0;
      for (int k = 0; k < 5; ++k) {
        sx[k] = Q[2 * k] - Q[2 * k + 2];
        sy[k] = Q[2 * k + 1] - Q[2 * k + 3];
        g[k] = (sx[k] * sx[k] + sy[k] * sy[k] - 1) / 2;
        worst = std::fmax(worst, std::abs(g[k]));
      }
      if (worst <= tolerance) break;
      if (iterations == 50) return -1;
      for (int k = 0; k < 5; ++k) {
        d[k] = 2 * h * (sx[k] * rx[k] + sy[k] * ry[k]);
        if (k > 0) l[k] = -h * (sx[k] * rx[k - 1] + sy[k] * ry[k - 1]);
        if (k < 4) u[k] = -h * (sx[k] * rx[k + 1] + sy[k] * ry[k + 1]);
      }
      tridiagonal(d, l, u, g);
      for (int k = 0; k < 5; ++k) mu[k] += g[k];
    }
    gradient(Q, force);
    for (int i = 0; i < 12; ++i) P[i] -= h / 2 * force[i];
    for (int k = 0; k < 5; ++k) {
      g[k] = sx[k] * (P[2 * k] - P[2 * k + 2]) + sy[k] * (P[2 * k + 1] - P[2 * k + 3]);
      d[k] = 2 * (sx[k] * sx[k] + sy[k] * sy[k]);
      if (k > 0) l[k] = -(sx[k] * sx[k - 1] + sy[k] * sy[k - 1]);
      if (k < 4) u[k] = -(sx[k] * sx[k + 1] + sy[k] * sy[k + 1]);
    }
    tridiagonal(d, l, u, g);
    for (int k = 0; k < 5; ++k) {
      P[2 * k] -= g[k] * sx[k];
      P[2 * k + 1] -= g[k] * sy[k];
      P[2 * k + 2] += g[k] * sx[k];
      P[2 * k + 3] += g[k] * sy[k];
    }
    q = Q;
    p = P;
    return iterations;
  }
};

}  // namespace hand_written
