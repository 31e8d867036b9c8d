// The planar pendulum released from the horizontal, against Jacobi's elliptic functions: with m = k² = ½ and
// θ from the downward vertical, sin θ/2 = k cd(t), θ' = -2kk' sn/dn, and the period is 4K.

#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/jacobi.hpp"
#include "support/run_rattle.hpp"

namespace {

using namespace taut;
using test::jacobi;
using test::run_rattle;

// This is Reich's T, to more digits than the paper has.
constexpr long double period = 7.41629870920548767373540138878L;

State<long double, 2> exact(long double t) {
  const auto [sn, cn, dn] = jacobi(t, 0.5L);
  const long double k = std::sqrt(0.5L), half_sine = k * cn / dn, half_cosine = k / dn,
                    rate = -sn / dn;  // k = k'
  const long double sine = 2 * half_sine * half_cosine, cosine = 1 - 2 * half_sine * half_sine;
  return {{sine, -cosine}, {rate * cosine, rate * sine}};
}

double error_at(long double t, int n) {
  const PlanarPendulum<long double> s;
  const auto x = run_rattle(s, s.start(), t / n, n), y = exact(t);
  return static_cast<double>(std::sqrt((x.q - y.q).squaredNorm() + (x.p - y.p).squaredNorm()));
}

TEST(Jacobi, KnownValues) {
  EXPECT_LE(std::fabs(4 * test::quarter_period(0.5L) - period), 1e-17L);
  for (const long double m : {0.0L, 0.3L, 0.5L, 0.9L}) {
    const long double K = test::quarter_period(m), k1 = std::sqrt(1 - m);
    const auto quarter = jacobi(K, m), half = jacobi(K / 2, m), beyond = jacobi(K + 0.3L, m),
               before = jacobi(0.3L, m);
    EXPECT_LE(std::fabs(quarter.sn - 1), 1e-17L);
    EXPECT_LE(std::fabs(quarter.dn - k1), 1e-17L);
    EXPECT_LE(std::fabs(half.sn - 1 / std::sqrt(1 + k1)), 1e-17L);
    EXPECT_LE(std::fabs(beyond.sn - before.cn / before.dn), 1e-17L);
    EXPECT_LE(std::fabs(beyond.cn + k1 * before.sn / before.dn), 1e-17L);
  }
}

TEST(PendulumPeriod, RattleConvergesToTheEllipticFunctionsWithOrderTwo) {
  for (const long double t : {2.0L, period}) {
    const std::array<double, 3> e{error_at(t, 200), error_at(t, 400), error_at(t, 800)};
    EXPECT_NEAR(std::log2(e[0] / e[1]), 2, 0.01) << "t = " << static_cast<double>(t);
    EXPECT_NEAR(std::log2(e[1] / e[2]), 2, 0.003) << "t = " << static_cast<double>(t);
  }
}

// The error of a symmetric method has even powers of h only: it falls to rounding in a few extrapolations.
TEST(PendulumPeriod, ExtrapolatedRattleComesBackAfterOnePeriod) {
  const PlanarPendulum<long double> s;
  constexpr int levels = 7;
  std::array<long double, levels> p_y, q_x;
  for (int i = 0; i < levels; ++i) {
    const int n = 50 << i;
    const auto x = run_rattle(s, s.start(), period / n, n);
    p_y[i] = x.p[1];
    q_x[i] = x.q[0];
    long double factor = 1;
    for (int j = i; j > 0; --j) {
      factor *= 4;
      p_y[j - 1] = p_y[j] + (p_y[j] - p_y[j - 1]) / (factor - 1);
      q_x[j - 1] = q_x[j] + (q_x[j] - q_x[j - 1]) / (factor - 1);
    }
  }
  EXPECT_LE(std::fabs(static_cast<double>(p_y[0])), 1e-15);
  EXPECT_LE(std::fabs(static_cast<double>(q_x[0] - 1)), 1e-15);
}

}  // namespace
