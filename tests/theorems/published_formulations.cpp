// The experiments of Leimkuhler and Reich with the pendulum, figures 2 to 6: which formulation keeps the
// manifold and the energy under the implicit midpoint rule, with the numbers each has when its equations are
// solved to rounding. Start (1, 0, 0, -2).

#include <taut/formulation/charts.hpp>
#include <taut/formulation/dirac.hpp>
#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/hamilton_dirac.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/method/ordinary/ode_gauss.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace {

using namespace taut;

using Pendulum2 = PlanarPendulum<>;

Pendulum2 pendulum(double gravity) {
  Pendulum2 s;
  s.gravity = gravity;
  return s;
}

StateOf<Pendulum2> fast_start() { return {{1, 0}, {0, -2}}; }

struct History {
  std::vector<double> energy, position, momentum;  // H - H(0), g, G H_p after each step
  int failed_at = 0;                               // the step that failed, or 0
  static double largest(const std::vector<double>& values) {
    double m = 0;
    for (const double v : values) m = std::max(m, std::abs(v));
    return m;
  }
};

template <class Formulation>
History midpoint_history(double gravity, double h, int steps, const Formulation& formulation = {},
                         const SolveOptions& options = {}) {
  const Pendulum2 s = pendulum(gravity);
  const OdeMethod<OdeGauss, Formulation> method{
      .scheme = {.s = 1, .is_midpoint = true}, .formulation = formulation, .solve = options};
  auto x = fast_start();
  auto memory = make_memory(method, s, x);
  History history;
  const double before = H(s, x.q, x.p);
  for (int i = 1; i <= steps; ++i) {
    if (!method.step(s, x, memory, h)) {
      history.failed_at = i;
      return history;
    }
    history.energy.push_back(H(s, x.q, x.p) - before);
    history.position.push_back((x.q.squaredNorm() - 1) / 2);
    history.momentum.push_back(x.q.dot(x.p));
  }
  return history;
}

void expect_largest(const History& history, double energy, double position, double momentum) {
  EXPECT_EQ(history.failed_at, 0);
  EXPECT_NEAR(History::largest(history.energy) / energy, 1, 1e-3);
  EXPECT_NEAR(History::largest(history.position) / position, 1, 1e-3);
  EXPECT_NEAR(History::largest(history.momentum) / momentum, 1, 1e-3);
}

TEST(LeimkuhlerReich, Figure3DiracResidualsAreBounded) {
  expect_largest(midpoint_history<Dirac>(0, 0.1, 1000), 3.883e-2, 9.90e-3, 1.979e-2);
  const History history = midpoint_history<Dirac>(1, 0.1, 1000);
  expect_largest(history, 6.276e-2, 1.180e-2, 2.380e-2);
  const History longer = midpoint_history<Dirac>(1, 0.1, 10000);  // unchanged after ten times the time
  EXPECT_LT(History::largest(longer.energy), 1.02 * History::largest(history.energy));
  EXPECT_LT(History::largest(longer.position), 1.02 * History::largest(history.position));
}

// Without gravity φ = (h²/2)(1 - cos 4t) and ψ = -2h² sin 4t, up to O(h⁴).
TEST(LeimkuhlerReich, DiracResidualsHaveTheClosedForm) {
  for (const double h : {0.02, 0.01}) {
    const History history = midpoint_history<Dirac>(0, h, static_cast<int>(2 / h));
    double off = 0;
    for (std::size_t i = 0; i < history.position.size(); ++i) {
      const double t = h * static_cast<double>(i + 1);
      off = std::max(off, std::abs(history.position[i] - h * h / 2 * (1 - std::cos(4 * t))));
      off = std::max(off, std::abs(history.momentum[i] + 2 * h * h * std::sin(4 * t)));
    }
    EXPECT_LT(off, 60 * h * h * h * h);  // measured: 55 h⁴ for both steps
  }
}

TEST(LeimkuhlerReich, Figure4SimplifiedResidualsGrowExponentially) {
  const History g0 = midpoint_history<DiracSimplified>(0, 0.01, 100);
  EXPECT_NEAR(g0.energy.back(), 5.291e-3, 1e-6);
  EXPECT_NEAR(g0.position.back(), -1.3155e-3, 1e-7);
  EXPECT_NEAR(g0.momentum.back(), -5.472e-3, 1e-6);
  const History g1 = midpoint_history<DiracSimplified>(1, 0.01, 100);
  EXPECT_NEAR(g1.energy.back(), 2.302e-2, 1e-5);
  EXPECT_NEAR(g1.position.back(), -3.648e-3, 1e-6);
  EXPECT_NEAR(g1.momentum.back(), -1.8214e-2, 1e-6);
}

// Without gravity φ = -(h²/2)(cosh 4t - 1), ψ = -2h² sinh 4t while they are small.
TEST(LeimkuhlerReich, SimplifiedResidualsHaveTheClosedForm) {
  const double h = 0.001;
  const History history = midpoint_history<DiracSimplified>(0, h, 1000);
  for (std::size_t i = 99; i < history.position.size(); i += 100) {
    const double t = h * static_cast<double>(i + 1);
    EXPECT_NEAR(history.position[i] / (-h * h / 2 * (std::cosh(4 * t) - 1)), 1, 1e-3);
    EXPECT_NEAR(history.momentum[i] / (-2 * h * h * std::sinh(4 * t)), 1, 1e-3);
  }
}

// The midpoint equations lose their solution as φ nears -1/4: this is a failure, not an answer.
TEST(LeimkuhlerReich, SimplifiedBreaksDown) {
  EXPECT_NEAR(0.01 * midpoint_history<DiracSimplified>(0, 0.01, 400).failed_at, 2.38, 0.05);
  EXPECT_NEAR(0.01 * midpoint_history<DiracSimplified>(1, 0.01, 400).failed_at, 2.19, 0.05);
}

TEST(LeimkuhlerReich, Figure5StandardResidualsOscillate) {
  const History g1 = midpoint_history<Underlying>(1, 0.1, 1000);
  EXPECT_NEAR(History::largest(g1.energy) / 1.399e-2, 1, 1e-3);
  EXPECT_NEAR(History::largest(g1.position) / 2.529e-3, 1, 1e-3);
  EXPECT_LT(History::largest(g1.momentum), 1e-13);
  const History g0 = midpoint_history<Underlying>(0, 0.1, 1000);
  EXPECT_LT(History::largest(g0.energy), 1e-12);
  EXPECT_LT(History::largest(g0.position), 1e-12);
}

// The midpoint rule keeps quadratic first integrals of the field: for dirac-weak H (here), g and G H_p.
TEST(LeimkuhlerReich, Figure6WeakDiracKeepsAllToRounding) {
  for (const double gravity : {0.0, 1.0}) {
    const History weak = midpoint_history<DiracWeak>(gravity, 0.1, 1000);
    EXPECT_LT(History::largest(weak.energy), 1e-12);
    EXPECT_LT(History::largest(weak.position), 1e-12);
    EXPECT_LT(History::largest(weak.momentum), 1e-12);
    const History bracket = midpoint_history<HamiltonDirac>(gravity, 0.1, 1000);
    EXPECT_LT(History::largest(bracket.energy), 1e-12);
    EXPECT_LT(History::largest(bracket.position), 1e-12);
  }
}

// It needs solved stages: if they stop at 1e-6, the residuals are of that size and grow (the
// hypothesis broken).
TEST(LeimkuhlerReich, NotWhenTheIterationIsStoppedEarly) {
  const History weak = midpoint_history<DiracWeak>(1, 0.1, 1000, {}, {.tolerance = 1e-6});
  EXPECT_GT(History::largest(weak.energy), 1e-7);
  EXPECT_LT(History::largest(weak.energy), 1e-4);
}

// Figure 2 has four charts, and the chart is changed after the step that crosses |y| = √2/2. The overshoot of
// half a step in the mean makes the energy drift by -(64/π) h³ per unit of time.
TEST(LeimkuhlerReich, Figure2EnergyDriftsWithTheChartChanges) {
  const ChartRule published{
      .kind = ChartKind::coordinates, .change = ChartSwitch::after, .threshold = std::numbers::sqrt2 / 2};
  const History h01 = midpoint_history<Charts>(0, 0.01, 10000, {published});
  EXPECT_NEAR(h01.energy.back(), -2.041e-3, 2e-6);
  EXPECT_LT(History::largest(h01.position), 1e-14);
  EXPECT_LT(History::largest(h01.momentum), 1e-14);
  EXPECT_NEAR(midpoint_history<Charts>(0, 0.01, 100000, {published}).energy.back(), -2.017e-2, 2e-5);
  for (const double h : {0.02, 0.01, 0.005}) {
    const History history = midpoint_history<Charts>(0, h, static_cast<int>(200 / h), {published});
    EXPECT_NEAR(history.energy.back() / 200 / (-64 / std::numbers::pi * h * h * h), 1, 0.06) << h;
  }
}

TEST(LeimkuhlerReich, Figure2WithGravity) {
  const ChartRule published{
      .kind = ChartKind::coordinates, .change = ChartSwitch::after, .threshold = std::numbers::sqrt2 / 2};
  EXPECT_NEAR(midpoint_history<Charts>(1, 0.01, 10000, {published}).energy.back(), -2.55e-3, 2e-5);
}

}  // namespace
