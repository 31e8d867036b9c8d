// lobatto(s) and dirac-gauss(s) are symplectic on M, reversible and on M to rounding; the baselines are not
// symplectic, and their energy drifts by amounts known from the papers.

#include <taut/formulation/manifold.hpp>
#include <taut/measure/energy.hpp>
#include <taut/measure/reversibility_defect.hpp>
#include <taut/measure/symplectic_defect.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/bent_metric.hpp"
#include "support/steppers.hpp"

namespace {

using namespace taut;
using Radau = DaeRungeKutta<DaeFamily::radau, false>;
using RadauProjected = DaeRungeKutta<DaeFamily::radau, true>;
using Gauss = DaeRungeKutta<DaeFamily::gauss, false>;
using GaussProjected = DaeRungeKutta<DaeFamily::gauss, true>;
using DiracGaussMethod = Projected<DiracGauss>;

constexpr double rounding = 1e-12;

template <class Method, class P>
double defect(const Method& method, const P& s, double h, int steps) {
  const auto found = symplectic_defect(method, s, s.start(), h, steps);
  EXPECT_TRUE(found) << label(facts_of(method));
  return found ? *found : -1;
}

template <class P>
void expect_symplectic(const P& s, double h, int most_stages) {
  for (int n = 2; n <= most_stages; ++n)
    EXPECT_LT(defect(Lobatto<>{.s = n}, s, h, 20), rounding) << "lobatto " << n;
  for (int n = 1; n <= 3; ++n)
    EXPECT_LT(defect(DiracGaussMethod{.psi = {.s = n}}, s, h, 20), rounding) << "dirac-gauss " << n;
}
TEST(AnyOrderIsSymplectic, OnThePendulum) { expect_symplectic(PlanarPendulum<>{}, 0.2, 8); }
TEST(AnyOrderIsSymplectic, OnTheDoublePendulum) {
  const DoublePendulum<> s;
  for (int n = 2; n <= 6; ++n) EXPECT_LT(defect(Lobatto<>{.s = n}, s, 0.1, 20), rounding) << n;
}
TEST(AnyOrderIsSymplectic, OnTheChargedParticle) {
  for (int n = 2; n <= 5; ++n)
    EXPECT_LT(defect(Lobatto<>{.s = n}, ChargedParticle<>{}, 0.1, 20), rounding) << n;
}

TEST(AnyOrderIsSymplectic, WhereTheMassMatrixIsNotConstant) {
  expect_symplectic(test::BentMetric<>{}, 0.1, 5);
}

TEST(TheBaselines, AreNotSymplectic) {
  const PlanarPendulum<> s;
  for (const double h : {0.1, 0.2}) {
    EXPECT_GT(defect(Radau{}, s, h, 20), 1e-5);
    EXPECT_GT(defect(RadauProjected{}, s, h, 20), 1e-5);
    EXPECT_GT(defect(GaussProjected{}, s, h, 20), 1e-6);
    EXPECT_GT(defect(Bdf{.k = 2}, s, h, 20), 1e-4);
    EXPECT_GT(defect(Bdf{.k = 4}, s, h, 20), 1e-5);
  }
}

template <class Method, class P>
void expect_reversible(const Method& method, const P& s, double h) {
  const auto found = reversibility_defect(method, s, s.start(), h, 100);
  ASSERT_TRUE(found);
  EXPECT_LT(*found, 1e-11) << label(facts_of(method));
}
template <class Method, class P>
void expect_symmetric(const Method& method, const P& s, double h) {
  auto x = s.start();
  ASSERT_TRUE(flow(method, s, x, h, 100));
  ASSERT_TRUE(flow(method, s, x, -h, 100));
  EXPECT_LT(phase_distance(x, s.start()), 1e-11) << label(facts_of(method));
}
// With a magnetic field p ↦ -p does not reverse time, but the step -h still undoes the step h.
TEST(AnyOrderIsReversible, AndSymmetric) {
  for (int n = 2; n <= 6; ++n) {
    expect_reversible(Lobatto<>{.s = n}, PlanarPendulum<>{}, 0.1);
    expect_reversible(Lobatto<>{.s = n}, DoublePendulum<>{}, 0.1);
    expect_symmetric(Lobatto<>{.s = n}, ChargedParticle<>{}, 0.1);
    expect_reversible(Lobatto<>{.s = n}, test::BentMetric<>{}, 0.1);
  }
  for (int n = 1; n <= 3; ++n) {
    expect_reversible(DiracGaussMethod{.psi = {.s = n}}, PlanarPendulum<>{}, 0.1);
    expect_symmetric(DiracGaussMethod{.psi = {.s = n}}, ChargedParticle<>{}, 0.1);
  }
  const auto radau =
      reversibility_defect(RadauProjected{}, PlanarPendulum<>{}, PlanarPendulum<>{}.start(), 0.1, 100);
  ASSERT_TRUE(radau);
  EXPECT_GT(*radau, 1e-4);
}

// Units of rounding: |q| and |H_p| are about 1 to 2 in these problems.
template <class Method, class P>
void expect_on_M(const Method& method, const P& s, double h, int steps) {
  auto x = s.start();
  const auto stepper = bind(method, s, x);
  double g = 0, f = 0;
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(stepper->step(x, h));
    g = std::max(g, position_residual(s, x.q));
    f = std::max(f, momentum_residual(s, x.q, x.p));
  }
  EXPECT_LT(g, 1e-14) << label(facts_of(method));
  EXPECT_LT(f, 1e-14) << label(facts_of(method));
}
TEST(AnyOrderStaysOnM, ToRoundingOverTenThousandSteps) {
  for (const int n : {2, 3, 5}) {
    expect_on_M(Lobatto<>{.s = n}, PlanarPendulum<>{}, 0.1, 10000);
    expect_on_M(Lobatto<>{.s = n}, DoublePendulum<>{}, 0.1, 10000);
    expect_on_M(Lobatto<>{.s = n}, ChargedParticle<>{}, 0.1, 10000);
  }
  expect_on_M(DiracGaussMethod{.psi = {.s = 2}}, PlanarPendulum<>{}, 0.1, 10000);
  expect_on_M(DiracGaussMethod{.psi = {.s = 2}}, ChargedParticle<>{}, 0.1, 2000);
}

// Jay, examples 1 and 2, h = 0.12, 5000 steps: the range of H(t_n) - H(0).
struct Range {
  double least, most;
};
template <class Method, class P>
Range energy_range(const Method& method, const P& s) {
  auto x = s.start();
  const auto stepper = bind(method, s, x);
  const auto errors = energy_errors(s, *stepper, x, 0.12, 5000);
  EXPECT_TRUE(errors) << label(facts_of(method));
  if (!errors) return {};
  const auto [least, most] = std::minmax_element(errors->begin(), errors->end());
  return {*least, *most};
}
void expect_digits(double found, double known, double share = 1e-5) {
  EXPECT_NEAR(found / known, 1, share) << found;
}

TEST(Jay, Example1KeepsTheEnergyOfLobattoAndLosesThatOfRadau) {
  const ChargedParticle<> s;
  const Range lobatto = energy_range(Lobatto<>{.s = 3}, s);
  expect_digits(lobatto.least, -4.93159e-06);
  EXPECT_LT(lobatto.most, 1e-12);  // one-sided
  const Range radau = energy_range(Radau{}, s), projected = energy_range(RadauProjected{}, s);
  expect_digits(radau.least, -8.95658e-01);
  expect_digits(radau.most, -6.69364e-04);
  expect_digits(projected.least, -9.09577e-01);
  expect_digits(projected.most, -6.70738e-04);
}
TEST(Jay, Example2DriftsLessForGaussThanForRadauThanForProjectedRadau) {
  const DoublePendulum<> s;
  const Range lobatto = energy_range(Lobatto<>{.s = 3}, s);
  expect_digits(lobatto.least, -7.27973e-06);
  expect_digits(lobatto.most, 9.61344e-06);
  expect_digits(energy_range(GaussProjected{}, s).least, -8.55535e-02);
  expect_digits(energy_range(Radau{}, s).least, -1.54113e-01);
  expect_digits(energy_range(RadauProjected{}, s).least, -2.11412e-01);
}

// The method is symplectic, and useless: the stages are on g = 0, the steps are not, and the distance grows
// until no step can be taken.
TEST(Jay, UnprojectedGaussDivergesAndSaysSo) {
  const DoublePendulum<> s;
  auto x = s.start();
  const double before = H(s, x.q, x.p);
  const auto stepper = bind(Gauss{}, s, x);
  double worst = 0;
  int steps = 0;
  Expected<int> solved = 0;
  for (; steps < 1000; ++steps) {
    const auto last = x;
    solved = stepper->step(x, 0.12);
    if (!solved) {
      EXPECT_EQ(x.q, last.q);
      EXPECT_EQ(x.p, last.p);
      break;
    }
    worst = std::max(worst, std::abs(H(s, x.q, x.p) - before));
  }
  ASSERT_FALSE(solved);
  EXPECT_EQ(solved.error().stage, SolveStage::inner);
  EXPECT_LT(steps, 200);
  EXPECT_GT(worst, 10);
}

// Returns the energy H - H(0) at three numbers of steps.
template <class Method>
std::array<double, 3> energies(const Method& method, const PlanarPendulum<>& s, StateOf<PlanarPendulum<>> x,
                               double h, std::array<int, 3> at) {
  const auto stepper = bind(method, s, x);
  const double before = H(s, x.q, x.p);
  std::array<double, 3> found{};
  int steps = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    for (; steps < at[k]; ++steps) EXPECT_TRUE(stepper->step(x, h)) << steps;
    found[k] = H(s, x.q, x.p) - before;
  }
  return found;
}

constexpr double period = 7.41629870920548767;

// Leimkuhler & Reich, figure 1.
TEST(LeimkuhlerReich, BackwardDifferentiationLosesTheEnergy) {
  const PlanarPendulum<> s;
  const StateOf<PlanarPendulum<>> start{{1, 0}, {0, -1}};
  const auto lost = energies(Bdf{.k = 2}, s, start, 0.05, {200, 2000, 8000});
  EXPECT_NEAR(0.5 + lost[0], 0.476, 6e-4);
  EXPECT_NEAR(0.5 + lost[1], 0.404, 6e-4);
  EXPECT_NEAR(0.5 + lost[2], 0.165, 6e-4);
}
// The principal root of BDF4 for an oscillator has |ζ| - 1 = +θ⁶/3: with a fixed step energy is
// gained, not lost.
TEST(Reich, FixedStepBackwardDifferentiationOfOrder4GainsEnergy) {
  const PlanarPendulum<> s;
  const auto gained = energies(Bdf{.k = 4}, s, s.start(), 0.01 * period, {100, 200, 400});
  expect_digits(gained[0], 5.85e-4, 2e-3);
  expect_digits(gained[1], 1.168e-3, 2e-3);
  expect_digits(gained[2], 2.336e-3, 2e-3);
  const auto finer = energies(Bdf{.k = 4}, s, s.start(), 0.004 * period, {250, 500, 1000});
  expect_digits(finer[0], 6.12e-6, 2e-3);
  expect_digits(finer[2], 2.442e-5, 2e-3);
  const auto fifth = energies(Bdf{.k = 5}, s, s.start(), 0.01 * period, {100, 200, 400});
  expect_digits(fifth[0], -2.64e-4, 3e-3);
  expect_digits(fifth[2], -1.05e-3, 1e-2);
}
TEST(Reich, LowOrderBackwardDifferentiationDamps) {
  const PlanarPendulum<> s;
  const auto second = energies(Bdf{.k = 2}, s, s.start(), 0.04 * period, {25, 50, 100});
  EXPECT_NEAR(second[0], -0.325, 6e-4);
  EXPECT_NEAR(second[1], -0.507, 6e-4);
  EXPECT_NEAR(second[2], -0.700, 6e-4);
  const auto first = energies(Bdf{.k = 1}, s, s.start(), 0.04 * period, {25, 50, 100});
  EXPECT_NEAR(first[0], -0.936, 6e-4);
  EXPECT_NEAR(first[1], -0.993, 6e-4);
  EXPECT_NEAR(first[2], -0.9999, 6e-5);
}

// Reich, tables 1 and 2: |p_y| after 1, 2, 4 periods with h = T/25, and the largest energy error over 4
// periods with T/25 and T/250.
struct ReichRow {
  std::array<double, 3> phase{};
  double coarse = 0, fine = 0;
};
template <class Method>
ReichRow reich_row(const Method& method) {
  const PlanarPendulum<> s;
  ReichRow row;
  for (const int per_period : {25, 250}) {
    auto x = s.start();
    const auto stepper = bind(method, s, x);
    double& worst = per_period == 25 ? row.coarse : row.fine;
    for (int k = 1; k <= 4 * per_period; ++k) {
      EXPECT_TRUE(stepper->step(x, period / per_period));
      worst = std::max(worst, std::abs(H(s, x.q, x.p)));
      if (per_period == 25 && (k == 25 || k == 50 || k == 100))
        row.phase[k == 25 ? 0 : k == 50 ? 1 : 2] = std::abs(x.p[1]);
    }
  }
  return row;
}
void expect_row(const ReichRow& found, const ReichRow& known) {
  for (std::size_t k = 0; k < 3; ++k) expect_digits(found.phase[k], known.phase[k], 5e-5);
  expect_digits(found.coarse, known.coarse, 5e-5);
  expect_digits(found.fine, known.fine, 5e-5);
}
TEST(Reich, Tables1And2) {
  expect_row(reich_row(Composition<Rattle>{find_composition("yoshida4")}),
             {{7.7446e-2, 1.5488e-1, 3.0936e-1}, 1.4974e-2, 8.5970e-7});
  expect_row(reich_row(Lobatto<>{.s = 3}), {{3.3959e-4, 6.7917e-4, 1.3583e-3}, 4.7461e-5, 4.6573e-9});
  // This is not the printed row; see docs/theory/dirac-gauss.md.
  expect_row(reich_row(DiracGaussMethod{.psi = {.s = 2}}),
             {{1.3074e-3, 2.6148e-3, 5.2295e-3}, 1.5629e-4, 1.6129e-8});
}

}  // namespace
