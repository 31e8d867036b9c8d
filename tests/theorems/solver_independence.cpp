// The map is defined by its equations, not by the iteration that solves them: full Newton, the simplified
// symmetric iteration and SHAKE's sweeps give one trajectory, and a tolerance that is asked for is met.

#include <taut/formulation/manifold.hpp>
#include <taut/measure/distance.hpp>
#include <taut/measure/flow.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>

#include <gtest/gtest.h>

#include "support/catalogue.hpp"

namespace {

using namespace taut;

template <class Method, class P>
StateOf<P> end_of(const Method& method, const P& s, double h, int steps, const SolveOptions& options) {
  StateOf<P> x = s.start();
  const auto moved = flow(method, s, x, h, steps, options);
  EXPECT_TRUE(moved) << "residual " << moved.error().residual << " after " << moved.error().iterations;
  return x;
}

// Every row that needs a solve of the constraints is run with the three. Rounding of 100 steps: measured
// 2.9e-14 at most.
TEST(SolverIndependence, ThreeIterationsOneTrajectoryForEveryRow) {
  const DoublePendulum<> s;
  test::for_each_fitting_method<DoublePendulum<>>([&](const auto& method) {
    if (!facts_of(method).symplectic) return;
    const auto newton = end_of(method, s, 0.05, 100, {.iteration = Iteration::full_newton});
    const auto symmetric = end_of(method, s, 0.05, 100, {.iteration = Iteration::symmetric});
    const auto sweep = end_of(method, s, 0.05, 100, {.iteration = Iteration::sweep});
    EXPECT_LT(phase_distance(newton, symmetric), 1e-11);
    EXPECT_LT(phase_distance(newton, sweep), 1e-11);
  });
}

TEST(SolverIndependence, OnTheSixNodeChainInEitherStorage) {
  const SixNodeChain<> fixed;
  const SixNodeChainDynamic<> at_run_time;
  const auto newton = end_of(Rattle{}, fixed, 0.01, 1000, {});
  for (const Iteration iteration : {Iteration::full_newton, Iteration::symmetric, Iteration::sweep}) {
    EXPECT_LT(phase_distance(newton, end_of(Rattle{}, fixed, 0.01, 1000, {.iteration = iteration})), 1e-11);
    const auto other = end_of(Rattle{}, at_run_time, 0.01, 1000, {.iteration = iteration});
    EXPECT_LT((newton.q - other.q).norm() + (newton.p - other.p).norm(), 1e-11);
  }
}

TEST(SolverIndependence, ATightToleranceIsMetAtEveryStep) {
  const SixNodeChain<> s;
  for (const Iteration iteration : {Iteration::full_newton, Iteration::symmetric, Iteration::sweep})
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      StateOf<SixNodeChain<>> x = s.start();
      const auto stepper = bind(Rattle{}, s, x, {.iteration = iteration, .tolerance = tolerance});
      for (int n = 0; n < 200; ++n) {
        ASSERT_TRUE(stepper->step(x, 0.01));
        EXPECT_LE(position_residual(s, x.q), tolerance);
        EXPECT_LE(momentum_residual(s, x.q, x.p), tolerance);
      }
    }
}

// A looser tolerance is fewer iterations and another trajectory, so the option is not idle.
TEST(SolverIndependence, ALooseToleranceSavesIterationsAndShows) {
  const SixNodeChain<> s;
  const auto iterations = [&](double tolerance) {
    StateOf<SixNodeChain<>> x = s.start();
    const auto stepper = bind(Rattle{}, s, x, {.iteration = Iteration::sweep, .tolerance = tolerance});
    const auto taken = take_steps(*stepper, x, 0.01, 200);
    EXPECT_TRUE(taken);
    return *taken;
  };
  EXPECT_LT(2 * iterations(1e-4), iterations(1e-12));
  const SolveOptions loose{.iteration = Iteration::sweep, .tolerance = 1e-4};
  EXPECT_GT(phase_distance(end_of(Rattle{}, s, 0.01, 200, loose), end_of(Rattle{}, s, 0.01, 200, {})), 1e-6);
}

}  // namespace
