// g = 0 and G H_p = 0 hold to rounding after 2·10⁴ steps, and 10⁵ in the long form, for every method that
// keeps them: no drift off the manifold.

#include <taut/formulation/manifold.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "support/catalogue.hpp"
#include "support/in_full.hpp"

namespace {

using namespace taut;
using test::for_each_fitting_method;

// The largest |g| and |G H_p|, each in units of ε times the largest coordinate: the effect of rounding q
// alone on a constraint grows with q, and the chain flies off to a distance of 300. They are measured
// every tenth step.
struct Residuals {
  double position = 0, momentum = 0;
};

template <class Method, class P>
Residuals worst_residuals(const Method& method, const P& s, double h, int steps,
                          const SolveOptions& options = {}) {
  StateOf<P> x = s.start();
  const auto stepper = bind(method, s, x, options);
  Residuals worst;
  for (int n = 1; n <= steps; ++n) {
    const auto solved = stepper->step(x, h);
    if (!solved) {
      ADD_FAILURE() << "step " << n << ", residual " << solved.error().residual;
      break;
    }
    if (n % 10 != 0) continue;
    StateOf<P> mesh = x;
    EXPECT_TRUE(stepper->output(mesh, h));
    const double unit = epsilon<double>() * largest_entry(mesh.q);
    worst.position = std::max(worst.position, position_residual(s, mesh.q) / unit);
    // half-explicit(1) gains energy: its velocities become large, and G H_p is rounded in their units.
    const double fast = std::max(1.0, largest_entry(mesh.p));
    worst.momentum = std::max(worst.momentum, momentum_residual(s, mesh.q, mesh.p) / (unit * fast));
  }
  return worst;
}

// Measured: 1.4 units at most on the pendulum, 3 on the chain.
constexpr double few_units = 10;

const int many_steps = test::in_full() ? 100'000 : 20'000;

template <class Method, class P>
void expect_on_M(const Method& method, const P& s, double h) {
  const MethodFacts facts = facts_of(method);
  if (facts.keeps == Keeps::nothing) return;
  // The energy of rows that are not symplectic drifts, upwards for some until no step converges: these
  // make a short run.
  const Residuals worst = worst_residuals(method, s, h, facts.symplectic ? many_steps : 5'000);
  if (keeps_position(facts.keeps))
    EXPECT_LT(worst.position, few_units);
  else
    EXPECT_GT(worst.position, 1e3) << "keeps the position constraint without claiming it";
  if (keeps_momentum(facts.keeps))
    EXPECT_LT(worst.momentum, few_units);
  else
    EXPECT_GT(worst.momentum, 1e6) << "keeps the momentum constraint without claiming it";
}

// The rows are dealt out one by one into groups, because 10⁵ steps of them all take minutes under
// the sanitizers.
constexpr int groups = 12;
class EveryRow : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(StaysOnM, EveryRow, testing::Range(0, groups));

TEST_P(EveryRow, OnThePendulum) {
  int row = 0;
  for_each_fitting_method<PlanarPendulum<>>([&](const auto& method) {
    if (row++ % groups == GetParam()) expect_on_M(method, PlanarPendulum<>{}, 0.05);
  });
}

TEST(StaysOnM, ShakeAndRattleOnTheSixNodeChain) {
  expect_on_M(Shake{}, SixNodeChain<>{}, 0.02);
  expect_on_M(ShakeVelocity{}, SixNodeChain<>{}, 0.02);
  expect_on_M(Rattle{}, SixNodeChain<>{}, 0.02);
}

// If q₁ is not affine in the impulse, the position solve converges linearly. Ended as if it were Newton's
// iteration, it leaves 19 units here.
TEST(StaysOnM, ImplicitMidpointOnTheStiffPendulum) {
  const Residuals worst = worst_residuals(Projected<ImplicitMidpoint>{}, StiffPendulum<>{}, 0.03, 3'000);
  EXPECT_LT(worst.position, 4);
  EXPECT_LT(worst.momentum, few_units);
}

// The measure sees a manifold that is left: RATTLE's simplified iteration, stopped at a tolerance, ends far
// above rounding and below the tolerance.
TEST(StaysOnM, OnlyToTheToleranceAskedFor) {
  const double tolerance = 1e-6;
  const Residuals worst = worst_residuals(Rattle{}, PlanarPendulum<>{}, 0.05, 1000,
                                          {.iteration = Iteration::symmetric, .tolerance = tolerance});
  // The factor 1.5 allows for a unit that shrinks with the largest coordinate.
  EXPECT_LT(worst.position, 1.5 * tolerance / epsilon<double>());
  EXPECT_GT(worst.position, 1e-3 * tolerance / epsilon<double>());
}

}  // namespace
