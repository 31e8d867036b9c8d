// Reich 1996, Theorem 3.3, second part: a symmetric method of order ν composed by the triple jump with
// γ = 1/(2 - 2^{1/(ν+1)}) has order ν + 2, is symmetric again and symplectic if its base is; so it can be
// composed once more. The base may be any symmetric method.

#include <taut/measure/flow.hpp>
#include <taut/measure/order.hpp>
#include <taut/measure/reversibility_defect.hpp>
#include <taut/measure/symplectic_defect.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace taut;
using Real = Float128;

template <class Method, class P>
auto end_in(const Method& method, const P& s, Real time) {
  return [=](int steps) -> Expected<StateOf<P>> {
    StateOf<P> x = s.start();
    if (const auto moved = flow(method, s, x, Real(time / steps), steps); !moved) return moved.error();
    return x;
  };
}

// A composition over rattle or the midpoint rule, by its text.
template <class Base>
Composition<Base> composed(std::string_view heads) {
  const CompositionScheme* scheme = made_composition(heads, facts_of(Base{}));
  EXPECT_NE(scheme, nullptr) << heads;
  return {scheme};
}

// The measured slope between the two smallest steps.
template <class Method, class P>
void expect_order(const Method& method, const P& s, Real time, int order, const std::vector<int>& steps,
                  const StateOf<P>& exact) {
  SCOPED_TRACE(label(facts_of(method)));
  EXPECT_EQ(facts_of(method).order, order);
  const auto found = measured_order(end_in(method, s, time), steps, exact);
  ASSERT_TRUE(found) << "residual " << found.error().residual;
  EXPECT_NEAR(found->last, order, 0.1) << "errors " << testing::PrintToString(found->sizes);
}

TEST(CompositionOfCompositions, RaisesTheOrderByTwoEachTime) {
  const PlanarPendulum<Real> s;
  const Real time = Real(1) / 2;
  const auto exact = end_in(Composition<Rattle>{find_composition("kahan-li10")}, s, time)(400);
  ASSERT_TRUE(exact);
  expect_order(composed<Rattle>("yoshida4"), s, time, 4, {40, 80, 160}, *exact);
  expect_order(composed<Rattle>("yoshida4(yoshida4)"), s, time, 6, {40, 80, 160}, *exact);
  expect_order(composed<Rattle>("suzuki4(suzuki4)"), s, time, 6, {20, 40, 80}, *exact);
  expect_order(composed<Rattle>("yoshida4(suzuki4)"), s, time, 6, {20, 40, 80}, *exact);
  expect_order(composed<Rattle>("yoshida4(yoshida4(yoshida4))"), s, time, 8, {80, 160, 320}, *exact);
  expect_order(composed<Rattle>("suzuki4(yoshida6)"), s, time, 8, {20, 40, 80}, *exact);
}

// A table of order 6 satisfies the fewer conditions of a base of order 4 too: it leads to 6, as on order 2.
TEST(CompositionOfCompositions, OfATableOnAHigherOrder) {
  const PlanarPendulum<Real> s;
  const Real time = Real(1) / 2;
  const auto exact = end_in(Composition<Rattle>{find_composition("kahan-li10")}, s, time)(400);
  ASSERT_TRUE(exact);
  expect_order(composed<Rattle>("yoshida6(suzuki4)"), s, time, 6, {20, 40, 80}, *exact);
}

TEST(CompositionOfCompositions, OverTheAdjointInTurn) {
  const PlanarPendulum<Real> s;
  const Real time = Real(1) / 2;
  const auto exact = end_in(Composition<Rattle>{find_composition("kahan-li10")}, s, time)(400);
  ASSERT_TRUE(exact);
  expect_order(composed<Projected<SymplecticEuler>>("yoshida4(blanes-moan4)"), s, time, 6, {10, 20, 40},
               *exact);
}

// Whole steps of methods that are not scheme (24), on a Hamiltonian that is not separable.
TEST(ComposedSteps, OfLobattoAndOfGaussOnTheChargedParticle) {
  const ChargedParticle<Real> s;
  const Real time = Real(1) / 2;
  const auto exact = end_in(Lobatto<>{.s = 7}, s, time)(40);
  ASSERT_TRUE(exact);
  for (const auto& [stages, order] : {std::pair{2, 4}, {3, 6}, {4, 8}}) {
    const Lobatto<> base{.s = stages};
    expect_order(ComposedSteps<Lobatto<>>{made_composition("yoshida4", facts_of(base)), base}, s, time, order,
                 {10, 20, 40}, *exact);
  }
  const Lobatto<> second{.s = 2};
  expect_order(ComposedSteps<Lobatto<>>{made_composition("yoshida4(yoshida4)", facts_of(second)), second}, s,
               time, 6, {20, 40, 80}, *exact);
  const Projected<DiracGauss> midpoint{.psi = {.s = 1}};
  expect_order(ComposedSteps<Projected<DiracGauss>>{find_composition("yoshida4"), midpoint}, s, time, 4,
               {20, 40, 80}, *exact);
}

// The exponent follows the order of the base: the jump of order 2 in place of that of order 4 loses order 6.
TEST(ComposedSteps, ButNotByTheJumpOfAnotherOrder) {
  const ChargedParticle<Real> s;
  const Real time = Real(1) / 2;
  const auto exact = end_in(Lobatto<>{.s = 7}, s, time)(40);
  ASSERT_TRUE(exact);
  const ComposedSteps<Lobatto<>> wrong{find_composition("yoshida4"), {.s = 3}};
  const auto found = measured_order(end_in(wrong, s, time), std::vector{10, 20, 40}, *exact);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->last, 4, 0.1);
}

// The stiff pendulum has the split that impulse(k) asks for; k = 8 is not its usual number of substeps.
TEST(CompositionOfCompositions, OverImpulsesWithAnyNumberOfSubsteps) {
  const StiffPendulum<Real> s;
  const Real time = Real(1) / 8;
  const auto exact = end_in(Composition<Rattle>{find_composition("kahan-li10")}, s, time)(100);
  ASSERT_TRUE(exact);
  const Projected<Impulse> base{.psi = {.substeps = 8}};
  expect_order(Composition<Projected<Impulse>>{find_composition("yoshida4"), base}, s, time, 4, {10, 20, 40},
               *exact);
}

template <class Method, class P>
void expect_geometry(const Method& method, const P& s, double h) {
  SCOPED_TRACE(label(facts_of(method)));
  const auto turned = reversibility_defect(method, s, s.start(), h, 50);
  ASSERT_TRUE(turned);
  EXPECT_LT(*turned, 1e-11);
  const auto defect = symplectic_defect(method, s, s.start(), h, 20);
  ASSERT_TRUE(defect);
  EXPECT_LT(*defect, 1e-11);
}

TEST(CompositionOfCompositions, IsSymmetricAndSymplectic) {
  const DoublePendulum<> s;
  expect_geometry(composed<Rattle>("yoshida4(yoshida4)"), s, 0.05);
  expect_geometry(composed<Rattle>("yoshida4(yoshida4(yoshida4))"), s, 0.02);
  expect_geometry(composed<Rattle>("yoshida6(suzuki4)"), s, 0.05);
  expect_geometry(ComposedSteps<Lobatto<>>{made_composition("yoshida4", facts_of(Lobatto<>{}))}, s, 0.05);
}

// Coefficients of one's own that are not the same backwards make a map that is symplectic and not symmetric,
// as its row says.
TEST(OwnComposition, ThatIsNotAPalindromeIsNotSymmetric) {
  const DoublePendulum<> s;
  const auto lopsided = composed<Rattle>("composition(0.3, 0.7)");
  EXPECT_FALSE(facts_of(lopsided).symmetric);
  EXPECT_EQ(facts_of(lopsided).order, 2);
  const auto turned = reversibility_defect(lopsided, s, s.start(), 0.1, 50);
  ASSERT_TRUE(turned);
  EXPECT_GT(*turned, 1e-5);  // measured 6e-5
  const auto defect = symplectic_defect(lopsided, s, s.start(), 0.1, 20);
  ASSERT_TRUE(defect);
  EXPECT_LT(*defect, 1e-11);
}

// Reich's remark after Theorem 3.2: λ(q, p) is a good first guess, and a function of the state.
template <class P>
double corrections(const P& s, std::string_view scheme, double h, FirstGuess guess) {
  auto x = s.start();
  const auto stepper = bind(composed<Rattle>(scheme), s, x, {.first_guess = guess});
  int all = 0;
  for (int k = 0; k < 200; ++k) {
    const auto made = stepper->step(x, h);
    EXPECT_TRUE(made);
    if (made) all += *made;
  }
  return all / 200.0;
}

TEST(FirstGuess, AtTheMultiplierSavesCorrections) {
  const DoublePendulum<> s;
  constexpr FirstGuess zero = FirstGuess::zero, lambda = FirstGuess::multiplier;
  EXPECT_LT(corrections(s, "composition(1)", 0.05, lambda),
            corrections(s, "composition(1)", 0.05, zero) - 0.7);
  EXPECT_LT(corrections(s, "composition(1)", 0.01, lambda),
            corrections(s, "composition(1)", 0.01, zero) - 0.7);
  EXPECT_LT(corrections(s, "yoshida4", 0.05, lambda), corrections(s, "yoshida4", 0.05, zero) - 0.5);
}

TEST(FirstGuess, ChangesNothingButRounding) {
  const DoublePendulum<> s;
  auto x = s.start(), y = x;
  const auto zero = bind(composed<Rattle>("composition(1)"), s, x),
             guessed =
                 bind(composed<Rattle>("composition(1)"), s, y, {.first_guess = FirstGuess::multiplier});
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(zero->step(x, 0.05) && guessed->step(y, 0.05));
  EXPECT_LT(phase_distance(x, y), 1e-11);
  // No history: from the same state, another memory makes the same step to the last bit.
  auto z = y;
  const auto fresh = bind(composed<Rattle>("composition(1)"), s, z, {.first_guess = FirstGuess::multiplier});
  ASSERT_TRUE(guessed->step(y, 0.05) && fresh->step(z, 0.05));
  EXPECT_EQ(y.q, z.q);
  EXPECT_EQ(y.p, z.p);
}

// Leimkuhler and Skeel 7.1: the polynomial through the last three impulses. It is exact for those that are
// quadratic in time, and off by their third difference otherwise.
TEST(FirstGuess, ByAPolynomialIsExactForQuadratics) {
  const DoublePendulum<> s;
  PastImpulses<DoublePendulum<>> past(s);
  auto mu = zero_multiplier(s);
  const auto impulse = [&](double t, double cubic) {
    mu[0] = 3 - 2 * t + 5 * t * t + cubic * t * t * t;
    mu[1] = 1 + t;
    return mu;
  };
  past.offer(mu);
  EXPECT_EQ(mu[0], 0);  // nothing is known
  past.keep(impulse(0, 0));
  past.offer(mu);
  EXPECT_EQ(mu[0], 3);  // a constant
  past.keep(impulse(1, 0));
  past.offer(mu);
  EXPECT_EQ(mu[0], 2 * 6 - 3);  // a line
  past.keep(impulse(2, 0));
  past.offer(mu);
  EXPECT_EQ(mu[0], 3 - 2 * 3 + 5 * 9);
  EXPECT_EQ(mu[1], 4);
  for (const double t : {0, 1, 2}) past.keep(impulse(t, 1));
  past.offer(mu);
  EXPECT_EQ(mu[0], 3 - 2 * 3 + 5 * 9 + 27 - 6);  // the third difference of t³ is 6
}

TEST(FirstGuess, FromEarlierStepsSavesMoreThanTheMultiplier) {
  const DoublePendulum<> s;
  constexpr FirstGuess zero = FirstGuess::zero, lambda = FirstGuess::multiplier, past = FirstGuess::quadratic;
  for (const double h : {0.05, 0.01}) {
    EXPECT_LT(corrections(s, "composition(1)", h, past), corrections(s, "composition(1)", h, zero) - 0.9)
        << h;
    EXPECT_LE(corrections(s, "composition(1)", h, past), corrections(s, "composition(1)", h, lambda)) << h;
  }
  EXPECT_LT(corrections(s, "yoshida4", 0.05, past), corrections(s, "yoshida4", 0.05, zero) - 0.5);
}

// The impulses of earlier steps are memory: a stepper that begins anew makes more corrections, and one that
// is filled from the saved bytes goes on to the same bits.
TEST(FirstGuess, FromEarlierStepsIsMemory) {
  const DoublePendulum<> s;
  const SolveOptions options{.first_guess = FirstGuess::quadratic};
  auto x = s.start();
  const auto stepper = bind(composed<Rattle>("composition(1)"), s, x, options);
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(stepper->step(x, 0.05));
  auto fresh = x, filled = x;
  const auto anew = bind(composed<Rattle>("composition(1)"), s, fresh, options),
             again = bind(composed<Rattle>("composition(1)"), s, filled, options);
  Carry saving;
  stepper->carry(saving);
  Carry filling(saving.bytes());
  again->carry(filling);
  ASSERT_TRUE(filling.complete());
  const auto here = stepper->step(x, 0.05), there = again->step(filled, 0.05),
             without = anew->step(fresh, 0.05);
  ASSERT_TRUE(here && there && without);
  EXPECT_EQ(*here, *there);
  EXPECT_EQ(x.q, filled.q);
  EXPECT_EQ(x.p, filled.p);
  EXPECT_LT(*here, *without);
}

// Leimkuhler and Skeel 7.1: the change and the residual, both in the 2-norm. Stopped by its last change,
// Newton's iteration leaves far less than the tolerance.
TEST(StopRule, TheChangeAndTheResidualAreBelowTheTolerance) {
  const DoublePendulum<> s;
  const auto left = [&](double tolerance, StopRule stop) {
    auto x = s.start();
    const auto stepper =
        bind(composed<Rattle>("composition(1)"), s, x, {.tolerance = tolerance, .stop = stop});
    double worst = 0;
    auto g = zero_multiplier(s);
    for (int k = 0; k < 100; ++k) {
      EXPECT_TRUE(stepper->step(x, 0.05));
      s.g(x.q, g);
      worst = std::max(worst, g.norm());
    }
    return worst;
  };
  for (const double tolerance : {1e-3, 1e-6}) {
    EXPECT_LT(left(tolerance, StopRule::change), tolerance);
    EXPECT_LT(left(tolerance, StopRule::change), left(tolerance, StopRule::residual) / 10);
  }
}

// A step that fails leaves the state and the memory as they were: the next step has the same bits.
TEST(ComposedSteps, LeavesNothingBehindIfASubstepFails) {
  const DoublePendulum<> s;
  const ComposedSteps<Lobatto<>> method{made_composition("yoshida4", facts_of(Lobatto<>{}))};
  auto x = s.start();
  ComposedSteps<Lobatto<>>::Memory<DoublePendulum<>, StateOf<DoublePendulum<>>> at(s, x, method);
  ASSERT_FALSE(method.step(s, x, at, 40.0));
  EXPECT_EQ(x.q, s.start().q);
  EXPECT_EQ(x.p, s.start().p);
  ASSERT_TRUE(method.step(s, x, at, 0.1));
  auto fresh = s.start();
  ASSERT_TRUE(flow(method, s, fresh, 0.1, 1));
  EXPECT_EQ(x.q, fresh.q);
  EXPECT_EQ(x.p, fresh.p);
}

}  // namespace
