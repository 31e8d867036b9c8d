// any_order.cpp on Hamiltonians that are not separable, and dirac-gauss(s) in q, p and λ.

#include <taut/method/catalogue.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include "support/bent_metric.hpp"
#include "support/exact_motions.hpp"
#include "support/steppers.hpp"

namespace {

using namespace taut;
using test::charged_particle_at, test::expect_order, test::Motion, test::pendulum_at, test::Real;

TEST(AnyOrder, LobattoOnAHamiltonianThatIsNotSeparable) {
  const ChargedParticle<Real> s;
  const auto exact = charged_particle_at(2);
  expect_order(Lobatto<>{.s = 2}, s, exact, 2, 160, 0.05);
  expect_order(Lobatto<>{.s = 3}, s, exact, 2, 40, 0.05);
  expect_order(Lobatto<>{.s = 4}, s, exact, 2, 32, 0.05);
  expect_order(Lobatto<>{.s = 5}, s, exact, 2, 32, 0.05);
}

// H_pp depends on q and p. The reference is lobatto(8), of order 14; that other methods converge to
// it is the check.
TEST(AnyOrder, WhereTheMassMatrixIsNotConstant) {
  const test::BentMetric<Real> s;
  auto end = s.start();
  ASSERT_TRUE(flow(Lobatto<>{.s = 8}, s, end, Real(1) / 40, 40));
  const auto lambda = multiplier(s, end.q, end.p);
  ASSERT_TRUE(lambda);
  const Motion<2, 1> exact{end, *lambda};
  expect_order(Lobatto<>{.s = 2}, s, exact, 1, 80, 0.05);
  expect_order(Lobatto<>{.s = 3}, s, exact, 1, 40, 0.05);
  expect_order(Lobatto<>{.s = 4}, s, exact, 1, 32, 0.05);
  expect_order(Lobatto<>{.s = 5}, s, exact, 1, 24, 0.05);
  expect_order(Bdf{.k = 3}, s, exact, 1, 320, 0.1);
  const auto rounded = exact.cast<long double>();
  expect_order(Projected<DiracGauss>{.psi = {.s = 1}}, s.cast<long double>(), rounded, 1, 80, 0.05);
  expect_order(Projected<DiracGauss>{.psi = {.s = 2}}, s.cast<long double>(), rounded, 1, 40, 0.05);
}

// This runs in long double: the order is not high, and the gradient of H_M is long. At t = 2 the leading
// error of λ happens to vanish for the particle.
TEST(AnyOrder, DiracGauss) {
  using Long = long double;
  const auto pendulum = pendulum_at(2).cast<Long>();
  const auto particle = charged_particle_at(Real(3) / 2).cast<Long>();
  const int steps[] = {0, 80, 40, 20};
  for (int n = 1; n <= 3; ++n) {
    expect_order(Projected<DiracGauss>{.psi = {.s = n}}, PlanarPendulum<Long>{}, pendulum, 2, steps[n], 0.02);
    expect_order(Projected<DiracGauss>{.psi = {.s = n}}, ChargedParticle<Long>{}, particle, 1.5L, steps[n],
                 0.05);
  }
}

}  // namespace
