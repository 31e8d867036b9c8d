// The free rigid body against its solution in Jacobi's elliptic functions (Landau & Lifshitz, Mechanics, §
// 37), and the integrals of the free body and of Lagrange's top.

#include <taut/problem/ready_made/rigid_body.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/jacobi.hpp"
#include "support/run_rattle.hpp"

namespace {

using namespace taut;
using test::run_rattle;

// With I = (3, 4, 5), ω(0) = (1, 0, 1): 2E = 8 and M² = 34 > 2E I₂, so that ω turns about the third axis.
// What is seen in body axes does not depend on the attitude at the start.
RigidBody<> free_body() {
  RigidBody<> s;
  s.spin = {1, 0, 1};
  return s;
}

Eigen::Vector3d exact_body_momentum(double t) {
  const long double I1 = 3, I2 = 4, I3 = 5, E2 = 8, M2 = 34;
  const long double a = E2 * I3 - M2, b = M2 - E2 * I1;
  const auto [sn, cn, dn] =
      test::jacobi(t * std::sqrt((I3 - I2) * b / (I1 * I2 * I3)), (I2 - I1) * a / ((I3 - I2) * b));
  return Eigen::Vector3d(static_cast<double>(std::sqrt(I1 * a / (I3 - I1)) * cn),
                         static_cast<double>(std::sqrt(I2 * a / (I3 - I2)) * sn),
                         static_cast<double>(std::sqrt(I3 * b / (I3 - I1)) * dn));
}

Eigen::Vector3d body_momentum_at(double t, int n) {
  const auto s = free_body();
  return s.body_momentum(run_rattle(s, s.start(), t / n, n));
}

// The run has 1e4 steps, each rounding sums of size 8 to 1e-15, mostly at random: measured 6e-14.
constexpr double many_roundings = 1e-12;

TEST(FreeRigidBody, TheClosedFormStartsWhereTheProblemDoes) {
  const auto s = free_body();
  EXPECT_LE((s.body_momentum(s.start()) - exact_body_momentum(0)).norm(), 1e-15);
  EXPECT_LE((s.body_momentum(s.start()) - Eigen::Vector3d(3, 0, 5)).norm(), 1e-15);
}

TEST(FreeRigidBody, RattleConvergesToTheEllipticFunctionsWithOrderTwo) {
  const double t = 6;
  const auto error = [&](int n) { return (body_momentum_at(t, n) - exact_body_momentum(t)).norm(); };
  const double e1 = error(120), e2 = error(240), e3 = error(480);
  EXPECT_NEAR(std::log2(e1 / e2), 2, 0.02);
  EXPECT_NEAR(std::log2(e2 / e3), 2, 0.01);
}

// The error has even powers of h only; five of them are taken off.
TEST(FreeRigidBody, ExtrapolatedRattleIsTheClosedForm) {
  for (const double t : {1.0, 6.0}) {
    std::array<Eigen::Vector3d, 6> m;
    for (std::size_t i = 0; i < m.size(); ++i) {
      m[i] = body_momentum_at(t, 80 << i);
      double factor = 1;
      for (std::size_t j = i; j > 0; --j) {
        factor *= 4;
        m[j - 1] = m[j] + (m[j] - m[j - 1]) / (factor - 1);
      }
    }
    EXPECT_LE((m[0] - exact_body_momentum(t)).norm(), 1e-12) << "t = " << t;
  }
}

// RATTLE on the free body is the map of Moser & Veselov (McLachlan & Zanna 2005), which has the integrals of
// the flow: the energy too is kept to rounding.
TEST(FreeRigidBody, StaysARotationAndKeepsMomentumAndEnergy) {
  const auto s = free_body();
  const auto start = s.start();
  const Eigen::Vector3d L = s.space_momentum(start);
  const double E = H(s, start.q, start.p);
  double strain = 0, momentum = 0, energy = 0;
  Vector<double, 6> g;
  run_rattle(s, start, 0.05, 10000, [&](int, const auto& x) {
    s.g(x.q, g);
    strain = std::max(strain, g.lpNorm<Eigen::Infinity>());
    momentum = std::max(momentum, (s.space_momentum(x) - L).norm());
    energy = std::max(energy, std::fabs(H(s, x.q, x.p) - E));
  });
  EXPECT_LE(strain, 8 * epsilon<double>());
  EXPECT_LE(momentum, many_roundings);
  EXPECT_LE(energy, many_roundings);
}

// Lagrange's top: the momentum about its own axis and that about the vertical are integrals of
// the map as well.
TEST(HeavyTop, KeepsBothMomentaOfLagrange) {
  const auto s = heavy_top();
  const auto start = s.start();
  const double p_psi = s.body_momentum(start)[2], p_phi = s.space_momentum(start)[2];
  const double E = H(s, start.q, start.p);
  double about_axis = 0, about_vertical = 0, energy = 0, across = 0, lowest = 1;
  run_rattle(s, start, 0.02, 10000, [&](int, const auto& x) {
    about_axis = std::max(about_axis, std::fabs(s.body_momentum(x)[2] - p_psi));
    about_vertical = std::max(about_vertical, std::fabs(s.space_momentum(x)[2] - p_phi));
    across = std::max(across, std::fabs(s.space_momentum(x)[0] - s.space_momentum(start)[0]));
    energy = std::max(energy, std::fabs(H(s, x.q, x.p) - E));
    lowest = std::min(lowest, x.q[8]);
  });
  EXPECT_LE(about_axis, many_roundings);
  EXPECT_LE(about_vertical, many_roundings);
  EXPECT_LE(energy, 1e-2);
  EXPECT_GE(across, 0.1);  // gravity turns the rest of the momentum: the top does precess
  EXPECT_GE(lowest, 0.5);  // and stays up
}

}  // namespace
