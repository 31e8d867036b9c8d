// A step that cannot be taken says so by a value: which kind, how far it got, which constraint; and it leaves
// the state as it was.

#include <taut/formulation/dependent.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/n_link_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/failing_problems.hpp"

namespace {

using namespace taut;
using test::Broken, test::expect_failure, test::for_each_fitting_method, test::Twice;
using Bob = PlanarPendulum<>;

// A pendulum whose bend is half of what its Jacobian leaves out.
struct HalfBent : PlanarPendulum<> {
  void bend(const Vec& d, Multiplier& b) const {
    PlanarPendulum<>::bend(d, b);
    b /= 2;
  }
};

// Half-explicit methods ask for G H_p = 0 alone: g may be anything.
template <class Method>
bool is_of_index_two(const Method& method) {
  return facts_of(method).name == "half-explicit";
}

// From horizontal at rest, gravity alone moves the bob h²/2 downwards: with h = 3 no point of the circle is
// in reach of a method that lands in one go. Stages may reach one; then the step ends on the circle.
TEST(AStepTooLong, IsAFailureUnlessStagesReachTheCircle) {
  const Bob s;
  const StateOf<Bob> start = s.start();
  int failed = 0;
  for_each_fitting_method<Bob>([&](const auto& method) {
    StateOf<Bob> x = start;
    const auto solved = bind(method, s, x)->step(x, 3);
    const std::string name = label(facts_of(method));
    if (solved) {
      EXPECT_TRUE(std::regex_search(name, std::regex("^(lobatto|radau|gauss|bdf|dirac-gauss|half-explicit)")))
          << name;
      if (name.find("unprojected") == name.npos && !is_of_index_two(method)) {
        EXPECT_NEAR(x.q.squaredNorm(), 1, 1e-12) << name;
      }
      return;
    }
    ++failed;
    const Failure& f = solved.error();
    EXPECT_TRUE(f.kind == FailureKind::not_converged || f.kind == FailureKind::not_finite) << name;
    EXPECT_GT(f.iterations, 0) << name;
    EXPECT_FALSE(f.residual < 1e-3) << name;
    if (f.stage == SolveStage::position) {
      EXPECT_EQ(f.constraint, 0) << name;
    }
    EXPECT_EQ(x.q, start.q) << name << " touched the state";
    EXPECT_EQ(x.p, start.p) << name << " touched the state";
  });
  EXPECT_GT(failed, 5);
}

TEST(AStepTooLong, DoesNotConvergeAndSaysHowFarItGot) {
  const Bob s;
  StateOf<Bob> x = s.start();
  const auto solved = bind(Rattle{}, s, x, {.max_iterations = 17})->step(x, 3);
  ASSERT_FALSE(solved);
  EXPECT_EQ(solved.error().kind, FailureKind::not_converged);
  EXPECT_EQ(solved.error().stage, SolveStage::position);
  EXPECT_EQ(solved.error().iterations, 17);
  EXPECT_EQ(solved.error().constraint, 0);
  EXPECT_GT(solved.error().residual, 1e-3);
}

TEST(AStepTooLong, IsForgottenByARestart) {
  const Bob s;
  for_each_fitting_method<Bob>([&](const auto& method) {
    StateOf<Bob> x = s.start(), fresh = x;
    const auto stepper = bind(method, s, x), other = bind(method, s, x);
    if (stepper->step(x, 3)) x = fresh;
    stepper->restart(x);
    ASSERT_TRUE(stepper->step(x, 0.1));
    ASSERT_TRUE(other->step(fresh, 0.1));
    EXPECT_EQ(x.q, fresh.q);
    EXPECT_EQ(x.p, fresh.p);
  });
}

// One-step maps take a shorter step from the same state at once; rows that remember half steps or old points
// need the restart.
TEST(AStepTooLong, LeavesNoTraceInAOneStepMap) {
  const Bob s;
  const auto expect = [&](const auto& method) {
    SCOPED_TRACE(label(facts_of(method)));
    StateOf<Bob> x = s.start(), fresh = x;
    const auto stepper = bind(method, s, x), other = bind(method, s, x);
    ASSERT_FALSE(stepper->step(x, 3));
    ASSERT_TRUE(stepper->step(x, 0.1));
    ASSERT_TRUE(other->step(fresh, 0.1));
    EXPECT_EQ(x.q, fresh.q);
    EXPECT_EQ(x.p, fresh.p);
  };
  expect(Rattle{});
  expect(Projected<SymplecticEuler>{});
  expect(Projected<Verlet>{});
  expect(Projected<ImplicitMidpoint>{});
  for (const CompositionScheme& scheme : composition_schemes)
    if (!scheme.alternates) expect(Composition<Rattle>{&scheme});
}

TEST(SingularConstraints, AreNamedWhereTheGradientVanishes) {
  StateOf<Bob> centre{Bob::Vec::Zero(), Bob::Vec::Zero()};
  const auto names_the_rod = [](const Failure& f) {
    EXPECT_EQ(f.kind, FailureKind::singular);
    if (f.stage != SolveStage::position) return;
    EXPECT_EQ(f.constraint, 0);
    EXPECT_NEAR(f.residual, 0.5, 1e-2);  // g = -L²/2 at the centre, less what gravity moves
  };
  // A bob at rest meets G H_p = 0 at the centre too.
  for_each_fitting_method<Bob>([&](const auto& method) {
    if (!is_of_index_two(method)) test::expect_failure_of(method, Bob{}, centre, 0.1, names_the_rod);
  });
  EXPECT_EQ(dependent_constraints(Bob{}, centre), std::vector{0});
  EXPECT_EQ(constraint_name(Bob{}, 0), "the rod");
}

TEST(SingularConstraints, AreNamedWhereOneIsWrittenTwice) {
  const Twice<> s;
  test::expect_failure_of(Rattle{}, s, s.start(), 0.1, test::expect_second_is_singular);
  test::expect_failure_of(Lobatto<>{.s = 3}, s, s.start(), 0.1, test::expect_second_is_singular);
  EXPECT_EQ(dependent_constraints(Twice<>{}, Twice<>{}.start()), (std::vector{0, 1}));
}

// A chain of three links has a second rod beside the middle one, and nothing wrong with the others.
TEST(SingularConstraints, OnlyTheDependentOnesAreNamed) {
  NLinkPendulum<> s(3);
  s.rods.push_back({0, 1});
  s.length.push_back(1);
  const auto x = s.start();
  const auto found = dependent_constraints(s, x);
  ASSERT_EQ(found, (std::vector{1, 3}));
  EXPECT_EQ(constraint_name(s, found[0]), "rod 1-2");
  StateOf<NLinkPendulum<>> y = x;
  Rattle::Memory<NLinkPendulum<>, StateOf<NLinkPendulum<>>> at(s, y);
  const auto solved = Rattle{}.step(s, y, at, 0.1);
  ASSERT_FALSE(solved);
  EXPECT_EQ(solved.error().kind, FailureKind::singular);
  EXPECT_EQ(solved.error().constraint, 3);
}

TEST(SingularConstraints, IndependentOnesAreNotNamed) {
  EXPECT_TRUE(dependent_constraints(DoublePendulum<>{}, DoublePendulum<>{}.start()).empty());
}

// A step would end at a point with g ≠ 0 and call that solved. This is not a failure of a step: no method
// that uses bend is made.
TEST(AWrongBend, IsRefusedWhereMemoryIsMade) {
  const HalfBent s;
  const StateOf<HalfBent> x = s.start();
  const auto refusal = [](auto make) -> std::string {
    try {
      make();
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([&] { Rattle::Memory<HalfBent, StateOf<HalfBent>>(s, x); }),
            "bend does not fit g and G in the rod: with |d| up to 1e+06, g(q + d) - g(q) - G(q) d = "
            "1.90316e+11 and "
            "bend(d) = 9.51579e+10, 9.5e+10 apart where rounding explains 0.012. Steps would end off the "
            "constraint. "
            "Mend bend or G, or leave bend out: all that it saves is a look at g.");
  EXPECT_NE(refusal([&] { bind(Rattle{}, s, x); }), "");
  EXPECT_NE(refusal([&] { bind(ShakeVelocity{}, s, CompensatedState<double, 2>(x)); }), "");
  EXPECT_NE(refusal([&] { bind(Composition<Rattle>{&composition_schemes[0]}, s, x); }), "");
}

TEST(APotentialThatIsNotANumber, IsReportedAtTheStartOfAStep) {
  const Broken<> s;
  test::expect_failure_of(Rattle{}, s, s.start(), 0.1, test::expect_not_finite);
  test::expect_failure_of(Projected<Verlet>{}, s, s.start(), 0.1, test::expect_not_finite);
  test::expect_failure_of(Lobatto<>{.s = 3}, s, s.start(), 0.1, test::expect_not_finite);
}
// It is NaN only at the end of the step: methods that evaluate the force there fail in the momentum, and must
// give the old state back.
TEST(APotentialThatIsNotANumber, IsReportedAtTheEndOfAStep) {
  Broken<> s;
  s.edge = 1;  // the start is at q = (1, 0), every other point is to the left
  StateOf<Broken<>> x = s.start();
  const auto expect = [&](const auto& method) {
    const auto stepper = bind(method, s, x);
    const auto solved = stepper->step(x, 0.1);
    ASSERT_FALSE(solved);
    EXPECT_EQ(solved.error().kind, FailureKind::not_finite);
    EXPECT_EQ(solved.error().stage, SolveStage::momentum);
    EXPECT_EQ(x.q, s.start().q);
    EXPECT_EQ(x.p, s.start().p);
  };
  expect(Rattle{});
  expect(Projected<Verlet>{});
}

TEST(AStateThatIsNotANumber, IsReported) {
  StateOf<Bob> x = Bob{}.start();
  x.p[1] = std::numeric_limits<double>::quiet_NaN();
  for_each_fitting_method<Bob>([&](const auto& method) {
    StateOf<Bob> y = x;
    const auto solved = bind(method, Bob{}, y)->step(y, 0.1);
    ASSERT_FALSE(solved);
    // A matrix of NaN has no pivot: implicit maps that factor one before they see a residual
    // call it singular.
    EXPECT_NE(solved.error().kind, FailureKind::not_converged);
    EXPECT_TRUE(solved.error().stage == SolveStage::inner || solved.error().kind == FailureKind::not_finite);
  });
  EXPECT_FALSE(check_start(Bob{}, x).consistent());
}

TEST(AStartOffTheManifold, IsRefusedWithItsResidual) {
  const DoublePendulum<> s;
  auto x = s.start();
  EXPECT_TRUE(check_start(s, x).consistent());
  x.q[3] += 0.01;  // the second rod gets longer
  const StartCheck longer = check_start(s, x);
  EXPECT_FALSE(longer.on_position);
  EXPECT_EQ(longer.worst_position, 1);
  EXPECT_NEAR(longer.position, 0.01 * std::sqrt(3.0) / 2, 1e-4);  // ∂g/∂y = y₂ - y₁ = -√3/2

  x = s.start();
  x.p[1] = -0.1;  // along the first rod, away from the origin
  const StartCheck stretching = check_start(s, x);
  EXPECT_TRUE(stretching.on_position);
  EXPECT_FALSE(stretching.on_momentum);
  EXPECT_NEAR(stretching.momentum, 0.1 * std::sqrt(3.0) / 2, 1e-14);
}

TEST(AStartOffTheManifold, IsProjectedAndTheMoveReported) {
  const Bob s;
  StateOf<Bob> x{Bob::Vec(1.1, 0.0), Bob::Vec(0.3, 0.2)};
  const auto moved = project_start(s, x);
  ASSERT_TRUE(moved);
  EXPECT_NEAR(x.q[0], 1, 1e-15);
  EXPECT_NEAR(x.p[0], 0, 1e-16);
  EXPECT_NEAR(x.p[1], 0.2, 1e-15);
  EXPECT_NEAR(moved->q, 0.1, 1e-15);
  EXPECT_NEAR(moved->p, 0.3, 1e-15);
  EXPECT_TRUE(check_start(s, x).consistent());
}

TEST(AStartOffTheManifold, ThatCannotBeProjectedIsLeftAlone) {
  const Bob s;
  StateOf<Bob> x{Bob::Vec::Zero(), Bob::Vec(0.3, 0.2)};
  const auto moved = project_start(s, x);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind, FailureKind::singular);
  EXPECT_EQ(x.q, Bob::Vec::Zero());
}

}  // namespace
