// The loop that a careful programmer would write for one problem and one method: Lobatto IIIA-IIIB with three
// stages on the double pendulum (unit masses, rods and gravity) by the simplified Newton iteration of Jay
// (3.15), nothing generic. It is the yardstick of bench/lobatto.cpp.
#pragma once

#include <array>
#include <cmath>

namespace hand_written {

struct DoublePendulumLobatto3 {
  using Vec = std::array<double, 4>;
  using Pair = std::array<double, 2>;
  static constexpr double A[3][3] = {{0, 0, 0}, {5. / 24, 1. / 3, -1. / 24}, {1. / 6, 2. / 3, 1. / 6}};
  static constexpr double A_hat[3][2] = {{1. / 6, -1. / 6}, {1. / 6, 1. / 3}, {1. / 6, 5. / 6}};
  static constexpr double b[3] = {1. / 6, 2. / 3, 1. / 6}, c[3] = {0, 0.5, 1};
  static constexpr double inverse[2][2] = {{16, -2}, {-8, 4}};  // the inverse of A₀Â₀

  Vec q{0.5, -std::sqrt(3.0) / 2, 0, -std::sqrt(3.0)}, p{};

  // The rods: from the origin to the first mass (ax, ay), from the second to the first (rx, ry).
  struct Rods {
    double ax, ay, rx, ry;
    explicit Rods(const Vec& x) : ax(x[0]), ay(x[1]), rx(x[0] - x[2]), ry(x[1] - x[3]) {}
    Pair g() const { return {(ax * ax + ay * ay - 1) / 2, (rx * rx + ry * ry - 1) / 2}; }
    Pair times(const Vec& v) const {
      return {ax * v[0] + ay * v[1], rx * (v[0] - v[2]) + ry * (v[1] - v[3])};
    }
    Vec transposed(const Pair& l) const {
      return {ax * l[0] + rx * l[1], ay * l[0] + ry * l[1], -rx * l[1], -ry * l[1]};
    }
  };
  struct Gram {  // G Gᵀ
    double k00, k01, k11, over;
    explicit Gram(const Rods& r)
        : k00(r.ax * r.ax + r.ay * r.ay),
          k01(r.ax * r.rx + r.ay * r.ry),
          k11(2 * (r.rx * r.rx + r.ry * r.ry)),
          over(1 / (k00 * k11 - k01 * k01)) {}
    Pair solve(const Pair& f) const {
      return {(k11 * f[0] - k01 * f[1]) * over, (k00 * f[1] - k01 * f[0]) * over};
    }
  };

  // Makes a step. Returns the corrections made, or -1. It stops at max |residual| <= tolerance or after
  // `limit` corrections, whichever is first.
  int step(double h, double tolerance, int limit) {
    const Rods start(q);
    const Gram K(start);
    std::array<Vec, 3> Z, Y, P, f, ry, rz{};
    std::array<Pair, 2> L{};
    std::array<Pair, 3> rg{};
    for (int i = 0; i < 3; ++i) {
      for (int a = 0; a < 4; ++a) Z[i][a] = c[i] * h * p[a];
      Y[i] = {0, -c[i] * h, 0, -c[i] * h};
    }
    int k = 0;
    for (;; ++k) {
      double worst = 0;
      for (int j = 0; j < 3; ++j)
        for (int a = 0; a < 4; ++a) P[j][a] = p[a] + Y[j][a];
      f[0] = start.transposed(L[0]);
      f[2] = {0, h, 0, h};
      for (int i = 1; i < 3; ++i) {
        Vec Q;
        for (int a = 0; a < 4; ++a) Q[a] = q[a] + Z[i][a];
        const Rods rods(Q);
        if (i == 1) f[1] = rods.transposed(L[1]);
        rg[i] = rods.g();
        worst = std::fmax(worst, std::fmax(std::abs(rg[i][0]), std::abs(rg[i][1])));
      }
      for (int j = 0; j < 2; ++j) {
        f[j][1] += h;
        f[j][3] += h;
      }
      for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 4; ++a) {
          ry[i][a] = Y[i][a] + A_hat[i][0] * f[0][a] + A_hat[i][1] * f[1][a];
          worst = std::fmax(worst, std::abs(ry[i][a]));
          if (i == 0) continue;
          rz[i][a] = Z[i][a] - h * (A[i][0] * P[0][a] + A[i][1] * P[1][a] + A[i][2] * P[2][a]);
          worst = std::fmax(worst, std::abs(rz[i][a]));
        }
      if (worst <= tolerance || k == limit) break;
      if (!(worst < 1e100)) return -1;
      correct(h, start, K, ry, rz, rg, Z, Y, L);
    }
    Vec Q;
    for (int a = 0; a < 4; ++a) {
      Q[a] = q[a] + h * (b[0] * P[0][a] + b[1] * P[1][a] + b[2] * P[2][a]);
      p[a] -= b[0] * f[0][a] + b[1] * f[1][a] + b[2] * f[2][a];
    }
    q = Q;
    const Rods end(q);
    const Vec impulse = end.transposed(Gram(end).solve(end.times(p)));
    for (int a = 0; a < 4; ++a) p[a] -= impulse[a];
    return k;
  }

 private:
  static void correct(double h, const Rods& start, const Gram& K, const std::array<Vec, 3>& ry,
                      const std::array<Vec, 3>& rz, const std::array<Pair, 3>& rg, std::array<Vec, 3>& Z,
                      std::array<Vec, 3>& Y, std::array<Pair, 2>& L) {
    std::array<Pair, 2> d;
    for (int i = 1; i < 3; ++i) {
      Vec w;
      for (int a = 0; a < 4; ++a)
        w[a] = rz[i][a] + h * (A[i][0] * ry[0][a] + A[i][1] * ry[1][a] + A[i][2] * ry[2][a]);
      const Pair Gw = start.times(w);
      d[i - 1] = K.solve({rg[i][0] - Gw[0], rg[i][1] - Gw[1]});
    }
    std::array<Vec, 2> push;
    for (int j = 0; j < 2; ++j) {
      const Pair dL{(inverse[j][0] * d[0][0] + inverse[j][1] * d[1][0]) / h,
                    (inverse[j][0] * d[0][1] + inverse[j][1] * d[1][1]) / h};
      L[j][0] += dL[0];
      L[j][1] += dL[1];
      push[j] = start.transposed(dL);
    }
    std::array<Vec, 3> dY;
    for (int i = 0; i < 3; ++i)
      for (int a = 0; a < 4; ++a) {
        dY[i][a] = -ry[i][a] - A_hat[i][0] * push[0][a] - A_hat[i][1] * push[1][a];
        Y[i][a] += dY[i][a];
      }
    for (int i = 1; i < 3; ++i)
      for (int a = 0; a < 4; ++a)
        Z[i][a] += h * (A[i][0] * dY[0][a] + A[i][1] * dY[1][a] + A[i][2] * dY[2][a]) - rz[i][a];
  }
};

}  // namespace hand_written
