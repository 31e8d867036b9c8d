// lobatto, dirac-gauss, radau and bdf at points where they cannot continue; and what their results do not
// depend on: how the equations are solved.

#include <taut/formulation/manifold.hpp>
#include <taut/measure/distance.hpp>
#include <taut/measure/flow.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/lennard_jones_chain.hpp>
#include <taut/problem/ready_made/n_link_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/steppers.hpp"

namespace {

using namespace taut;
using Radau = DaeRungeKutta<DaeFamily::radau, false>;
using RadauProjected = DaeRungeKutta<DaeFamily::radau, true>;
using GaussProjected = DaeRungeKutta<DaeFamily::gauss, true>;
using DiracGaussMethod = Projected<DiracGauss>;

// Returns the failure of one step, which leaves the state as it was; a shorter step after it is what it would
// have been without it.
template <class Method, class P>
Failure failure_of(const Method& method, const P& s, const StateOf<P>& start, double h,
                   double shorter = 0.01) {
  SCOPED_TRACE(label(facts_of(method)));
  StateOf<P> x = start, fresh = start;
  const auto stepper = bind(method, s, x), other = bind(method, s, x);
  const auto solved = stepper->step(x, h);
  EXPECT_FALSE(solved);
  if (solved) return {};
  EXPECT_EQ(x.q, start.q);
  EXPECT_EQ(x.p, start.p);
  if (shorter != 0) {
    EXPECT_TRUE(stepper->step(x, shorter));
    EXPECT_TRUE(other->step(fresh, shorter));
    EXPECT_EQ(x.q, fresh.q);
    EXPECT_EQ(x.p, fresh.p);
  }
  return solved.error();
}

template <class P, class Check>
void expect_failures(const P& s, const StateOf<P>& start, double h, double shorter, Check&& check) {
  for (int n = 2; n <= 6; ++n) check(failure_of(Lobatto<>{.s = n}, s, start, h, shorter));
  check(failure_of(Lobatto<3>{}, s, start, h, shorter));
  check(failure_of(Radau{}, s, start, h, shorter));
  check(failure_of(RadauProjected{}, s, start, h, shorter));
  check(failure_of(GaussProjected{}, s, start, h, shorter));
  check(failure_of(Bdf{.k = 2}, s, start, h, shorter));
}

// At h = 6 lobatto's equations have no solution near the start. Those of radau and gauss-projected have one,
// and the step ends on the circle.
TEST(TooLongAStep, FailsInTheStagesAndLeavesTheStateAlone) {
  const PlanarPendulum<> s;
  const auto start = s.start();
  const auto expect = [&](const auto& method) {
    const Failure f = failure_of(method, s, start, 6);
    EXPECT_TRUE(f.kind == FailureKind::not_converged || f.kind == FailureKind::not_finite);
    EXPECT_EQ(f.stage, SolveStage::inner);
    EXPECT_GT(f.iterations, 0);
    EXPECT_FALSE(f.residual < 1e-3);  // large, or not a number
  };
  for (int n = 2; n <= 6; ++n) expect(Lobatto<>{.s = n});
  expect(Lobatto<3>{});
  expect(Bdf{.k = 2});
  for (int n = 2; n <= 3; ++n) {
    const Failure f = failure_of(DiracGaussMethod{.psi = {.s = n}}, s, start, 8);
    EXPECT_NE(f.stage, SolveStage::momentum);  // in the stages, or in landing on g = 0
  }
}
TEST(TooLongAStep, IsMadeIfItsEquationsHaveASolution) {
  const PlanarPendulum<> s;
  const auto expect = [&](const auto& method) {
    SCOPED_TRACE(label(facts_of(method)));
    auto x = s.start();
    ASSERT_TRUE(bind(method, s, x)->step(x, 6));
    EXPECT_LT(position_residual(s, x.q), 1e-14);
  };
  expect(Radau{});
  expect(RadauProjected{});
  expect(GaussProjected{});
}
TEST(TooLongAStep, FailsOnTheDoublePendulumToo) {
  const DoublePendulum<> s;
  auto start = s.start();
  for (const double h : {2.5, 10.0}) {
    const Failure f = failure_of(Lobatto<>{.s = 4}, s, start, h);
    EXPECT_EQ(f.stage, SolveStage::inner);
  }
}

// It fails in the middle of a run, so that what a method remembers of past steps is in play. Radau and
// BDF damp, and solve their equations for any step in which nothing overflows.
template <class Method>
void expect_recovery(const Method& method) {
  SCOPED_TRACE(label(facts_of(method)));
  const PlanarPendulum<> s;
  auto x = s.start(), y = x;
  const auto stepper = bind(method, s, x), other = bind(method, s, y);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(stepper->step(x, 0.05) && other->step(y, 0.05));
  const auto before = x;
  ASSERT_FALSE(stepper->step(x, 1e200));
  EXPECT_EQ(x.q, before.q);
  EXPECT_EQ(x.p, before.p);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(stepper->step(x, 0.05) && other->step(y, 0.05));
  EXPECT_EQ(x.q, y.q);
  EXPECT_EQ(x.p, y.p);
}
TEST(TooLongAStep, InTheMiddleOfARunIsForgotten) {
  expect_recovery(Lobatto<>{.s = 3});
  expect_recovery(DiracGaussMethod{});
  expect_recovery(Radau{});
  expect_recovery(RadauProjected{});
  expect_recovery(GaussProjected{});
  expect_recovery(Bdf{.k = 3});
}

TEST(DependentConstraints, AreReportedBeforeAnyStageIsSolved) {
  const PlanarPendulum<> s;
  const StateOf<PlanarPendulum<>> centre{{0, 0}, {0, 0}};
  expect_failures(s, centre, 0.1, 0, [](const Failure& f) {
    EXPECT_EQ(f.kind, FailureKind::singular);
    EXPECT_EQ(f.stage, SolveStage::inner);
    EXPECT_EQ(f.constraint, 0);
  });
  const Failure of_dirac = failure_of(DiracGaussMethod{}, s, centre, 0.1, 0);
  EXPECT_EQ(of_dirac.kind, FailureKind::singular);
  EXPECT_EQ(of_dirac.constraint, 0);
  NLinkPendulum<> chain(3);  // a second rod beside the middle one
  chain.rods.push_back({0, 1});
  chain.length.push_back(1);
  const Failure f = failure_of(Lobatto<>{.s = 3}, chain, chain.start(), 0.1, 0);
  EXPECT_EQ(f.kind, FailureKind::singular);
  EXPECT_EQ(f.constraint, 3);
}

TEST(AStateThatIsNotANumber, IsReported) {
  const PlanarPendulum<> s;
  auto x = s.start();
  x.p[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(bind(Lobatto<>{.s = 3}, s, x)->step(x, 0.1));
  EXPECT_FALSE(bind(DiracGaussMethod{}, s, x)->step(x, 0.1));
  EXPECT_FALSE(bind(Bdf{.k = 1}, s, x)->step(x, 0.1));
}

// Lobatto's last stage is explicit in a strong potential: it fails at steps at which the midpoint rule
// continues. The spring starts at rest length, so that nothing fast need happen.
struct StiffRun {
  int steps = 0;
  Failure failure{};
  StateOf<StiffPendulum<>> x{};
};
template <class Method>
StiffRun run_stiff(const Method& method, const StiffPendulum<>& s, double h) {
  StiffRun run{.x = s.start()};
  run.x.q[3] = run.x.q[1] - 1;
  const auto stepper = bind(method, s, run.x);
  for (; run.steps < 1000; ++run.steps)
    if (const auto solved = stepper->step(run.x, h); !solved) {
      run.failure = solved.error();
      break;
    }
  return run;
}
TEST(AStiffPotential, StopsLobattoAndNotTheMidpointRule) {
  StiffPendulum<> s;
  s.stiffness = 3000;
  const double h = 0.06;  // h ω = 4.6, ω = √(2k)
  for (int n = 2; n <= 3; ++n) {
    const StiffRun lobatto = run_stiff(Lobatto<>{.s = n}, s, h);
    EXPECT_LT(lobatto.steps, 1000) << n;
    EXPECT_EQ(lobatto.failure.stage, SolveStage::inner);
  }
  const StiffRun midpoint = run_stiff(Projected<ImplicitMidpoint>{}, s, h);
  EXPECT_EQ(midpoint.steps, 1000);
  auto start = s.start();
  start.q[3] = start.q[1] - 1;
  EXPECT_NEAR(H(s, midpoint.x.q, midpoint.x.p), H(s, start.q, start.p), 0.02);
  s.stiffness = 100;  // h ω = 0.85
  EXPECT_EQ(run_stiff(Lobatto<>{.s = 3}, s, h).steps, 1000);
}
TEST(AStiffPotential, StopsLobattoAtOnceWhereItIsVeryStiff) {
  StiffPendulum<> s;
  s.stiffness = 1e8;  // h ω = 141
  for (int n = 2; n <= 6; ++n) {
    const StiffRun run = run_stiff(Lobatto<>{.s = n}, s, 0.01);
    EXPECT_LE(run.steps, 2) << n;
    EXPECT_EQ(run.failure.stage, SolveStage::inner);
  }
}

// Implicit Euler and Radau damp what is fast: they pass any stiff spring. The numbers are those of another
// program, whose damped Newton iteration has the derivatives by hand.
struct Expected200 {
  double stiffness;
  double euler[4], radau[4];  // q after 200 steps
};
constexpr Expected200 stiff_values[] = {
    {1e4,
     {0.01620511670071, -0.99986868847500, 0.39027576024697, -1.92737327675688},
     {-0.08879363750731, -0.99605004389248, 0.48676076565852, -1.81390495760049}},
    {1e6,
     {0.01556518090488, -0.99987885523389, 0.39003658402438, -1.92711836105008},
     {-0.06204159250797, -0.99807356482322, 0.47753889836785, -1.84000871367012}}};

template <class Method>
StateOf<StiffPendulum<>> after_200_stiff_steps(const Method& method, double stiffness) {
  SCOPED_TRACE(label(facts_of(method)) + ", k = " + std::to_string(stiffness));
  StiffPendulum<> s;
  s.stiffness = stiffness;
  auto x = s.start();
  const auto stepper = bind(method, s, x);
  for (int k = 0; k < 200; ++k)
    if (!stepper->step(x, 0.05)) {
      ADD_FAILURE() << "step " << k + 1;
      break;
    }
  return x;
}
TEST(AStiffPotential, IsPassedByBdfAndRadau) {
  for (const double stiffness : {1e4, 1e5, 1e6}) {  // h ω = 7, 22, 70
    for (int k = 1; k <= 4; ++k) after_200_stiff_steps(Bdf{.k = k}, stiffness);
    for (int n = 2; n <= 3; ++n) {
      after_200_stiff_steps(Radau{.s = n}, stiffness);
      after_200_stiff_steps(RadauProjected{.s = n}, stiffness);
    }
  }
  for (const double stiffness : {1e4, 1e5}) after_200_stiff_steps(GaussProjected{}, stiffness);
}
TEST(AStiffPotential, GivesTheNumbersOfAnotherProgram) {
  for (const auto& [stiffness, euler, radau] : stiff_values) {
    const auto x = after_200_stiff_steps(Bdf{.k = 1}, stiffness);
    const auto y = after_200_stiff_steps(Radau{}, stiffness);
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(x.q[j], euler[j], 1e-11);
      EXPECT_NEAR(y.q[j], radau[j], 1e-11);
    }
  }
}

// Leimkuhler and Skeel run BDF on this chain at steps up to 0.4.
TEST(ALongStep, OfBdfOnTheLennardJonesChainIsSolved) {
  const LennardJonesChain<> s;
  for (const double h : {0.25, 0.27, 0.3, 0.35, 0.4}) {
    auto x = s.start();
    const auto stepper = bind(Bdf{.k = 2}, s, x);
    for (int k = 0; k < 100; ++k) {
      const auto solved = stepper->step(x, h);
      ASSERT_TRUE(solved) << h << ", step " << k + 1;
      EXPECT_LT(*solved, 50);
    }
    Vector<double, 6> g;
    s.g(x.q, g);
    EXPECT_LT(g.norm(), 1e-14);
  }
}

template <class P, class A, class B>
double difference(const P& s, const A& a, const B& b, double h, int steps, const SolveOptions& options = {}) {
  auto x = s.start(), y = x;
  const auto first = bind(a, s, x), second = bind(b, s, y, options);
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(first->step(x, h));
    EXPECT_TRUE(second->step(y, h));
    worst = std::max(worst, phase_distance(x, y));
  }
  return worst;
}

TEST(TheResult, DoesNotDependOnWhereTheNumberOfStagesIsKnown) {
  EXPECT_LT(difference(PlanarPendulum<>{}, Lobatto<>{.s = 3}, Lobatto<3>{}, 0.1, 200), 1e-13);
}

// A tolerance reaches the stages: fewer corrections, and another result, within it.
TEST(TheResult, OfStagesSolvedToAToleranceIsWithinIt) {
  const DoublePendulum<> s;
  const auto after = [&](double tolerance, int& corrections) {
    auto x = s.start();
    const auto stepper = bind(Lobatto<>{.s = 3}, s, x, {.tolerance = tolerance});
    corrections = 0;
    for (int k = 0; k < 10; ++k) {
      const auto solved = stepper->step(x, 0.05);
      EXPECT_TRUE(solved);
      corrections += *solved;
    }
    return x;
  };
  int loose = 0, sharp = 0;
  const auto x = after(1e-6, loose), y = after(0, sharp);
  EXPECT_LT(loose, sharp / 2);
  EXPECT_LT((x.q - y.q).norm(), 1e-4);
  EXPECT_GT((x.q - y.q).norm(), 1e-10);
  Vector<double, 2> g;
  s.g(x.q, g);
  EXPECT_LT(g.norm(), 1e-5);
}

// BDF honours it too, in its start and after it.
TEST(TheResult, OfBdfSolvedToAToleranceIsWithinIt) {
  const DoublePendulum<> s;
  const auto corrections = [&](double tolerance) {
    auto x = s.start();
    const auto stepper = bind(Bdf{.k = 2}, s, x, {.tolerance = tolerance});
    EXPECT_EQ(stepper->promise().tolerance, tolerance);
    int total = 0;
    for (int k = 0; k < 50; ++k) {
      const auto solved = stepper->step(x, 0.05);
      EXPECT_TRUE(solved);
      total += *solved;
      Vector<double, 2> g;
      s.g(x.q, g);
      if (tolerance > 0) {
        EXPECT_LE(g.cwiseAbs().maxCoeff(), tolerance);
      }
    }
    return total;
  };
  const int loose = corrections(1e-4), sharper = corrections(1e-8), to_rounding = corrections(0);
  EXPECT_LT(loose, sharper);
  EXPECT_LT(sharper, to_rounding);
}

// The tolerance holds at the end of the step, not only at its last stage.
TEST(TheResult, IsWithinTheToleranceAtTheEndOfTheStep) {
  const DoublePendulum<> s;
  const auto expect_within = [&](const auto& method, double tolerance) {
    auto x = s.start();
    const auto stepper = bind(method, s, x, {.tolerance = tolerance});
    Vector<double, 2> g;
    for (int k = 0; k < 100; ++k) {
      ASSERT_TRUE(stepper->step(x, 0.05)) << label(facts_of(method)) << k;
      s.g(x.q, g);
      ASSERT_LE(g.cwiseAbs().maxCoeff(), tolerance) << label(facts_of(method)) << k;
    }
  };
  for (const double tolerance : {1e-2, 1e-3, 1e-5}) {
    for (int n = 2; n <= 5; ++n) expect_within(Lobatto<>{.s = n}, tolerance);
    for (int n = 2; n <= 3; ++n) expect_within(Radau{.s = n}, tolerance);
    expect_within(RadauProjected{}, tolerance);
    expect_within(Bdf{.k = 2}, tolerance);
  }
}

// The position and momentum equations of the projections are solved by other iterations, and to a tolerance
// that is still far below the error.
TEST(TheResult, DoesNotDependOnTheIteration) {
  const DoublePendulum<> s;
  const SolveOptions symmetric{.iteration = Iteration::symmetric}, sweep{.iteration = Iteration::sweep};
  for (const SolveOptions& options : {symmetric, sweep}) {
    EXPECT_LT(difference(s, Lobatto<>{.s = 3}, Lobatto<>{.s = 3}, 0.05, 100, options), 1e-12);
    EXPECT_LT(difference(s, RadauProjected{}, RadauProjected{}, 0.05, 100, options), 1e-12);
    EXPECT_LT(difference(s, GaussProjected{}, GaussProjected{}, 0.05, 100, options), 1e-12);
    EXPECT_LT(difference(PlanarPendulum<>{}, DiracGaussMethod{}, DiracGaussMethod{}, 0.05, 100, options),
              1e-12);
  }
  EXPECT_LT(difference(s, Lobatto<>{.s = 3}, Lobatto<>{.s = 3}, 0.05, 100, {.tolerance = 1e-12}), 1e-9);
}

TEST(TheResult, OfACompensatedStateIsTheSameToRounding) {
  const DoublePendulum<> s;
  auto x = s.start();
  CompensatedState<double, 4> y(x);
  const auto plain = bind(Lobatto<>{.s = 3}, s, x);
  const auto compensated = bind(Lobatto<>{.s = 3}, s, y);
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(plain->step(x, 0.0625) && compensated->step(y, 0.0625));
  EXPECT_LT((x.q - y.q).norm() + (x.p - y.p).norm(), 1e-12);
}

}  // namespace
