// Every method has the order it claims, on nonlinear problems: linear ones flatter methods. Everything runs
// in 128-bit floats, in which the errors of order 10 stay far above rounding.

#include <taut/measure/flow.hpp>
#include <taut/measure/order.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "support/catalogue.hpp"

namespace {

using namespace taut;
using test::for_each_fitting_method;
using Real = Float128;

// The slope between the two smallest steps differs from the order by O(h²) for symmetric methods, O(h) for
// others. With the steps below this is 0.047 at most (kahan-li10, whose leading error constant is unusually
// small); a method one order off misses by 1.
constexpr double slope_slack = 0.07;

template <class Method, class P>
auto end_in(const Method& method, const P& s, Real time) {
  return [=](int steps) -> Expected<StateOf<P>> {
    StateOf<P> x = s.start();
    if (const auto moved = flow(method, s, x, Real(time / steps), steps); !moved) return moved.error();
    return x;
  };
}

template <class P>
StateOf<P> reference(std::string_view method, const P& s, Real time, int steps) {
  StateOf<P> end = s.start();
  const auto unknown = with_method(method, [&](const auto& m) {
    if constexpr (std::decay_t<decltype(m)>::template fits<P>) {
      const auto found = end_in(m, s, time)(steps);
      EXPECT_TRUE(found);
      if (found) end = *found;
    }
  });
  EXPECT_FALSE(unknown);
  return end;
}

template <class Method, class P>
void expect_order(const Method& method, const P& s, Real time, int order, const std::vector<int>& steps,
                  const StateOf<P>& exact) {
  const auto found = measured_order(end_in(method, s, time), steps, exact);
  ASSERT_TRUE(found) << "residual " << found.error().residual;
  EXPECT_NEAR(found->last, order, slope_slack) << "errors " << testing::PrintToString(found->sizes);
}

// Multistep formulas need shorter steps than one-step maps until their leading error shows alone.
std::vector<int> step_counts(const MethodFacts& facts) {
  return is_symmetric_map(facts) ? std::vector{20, 40, 80} : std::vector{80, 160, 320};
}

TEST(OrderOfEveryRow, OnThePendulum) {
  const PlanarPendulum<Real> s;
  const auto exact = reference("kahan-li10", s, 1, 400);
  for_each_fitting_method<PlanarPendulum<Real>>([&](const auto& method) {
    const MethodFacts facts = facts_of(method);
    expect_order(method, s, 1, facts.order, step_counts(facts), exact);
  });
}

// From horizontal at rest the pendulum is back after T = 4K(1/√2): the orders above converge to the
// motion itself.
TEST(OrderOfEveryRow, TheReferenceHasTheExactPeriod) {
  const PlanarPendulum<Real> s;
  const Real period = parse_decimal<Real>("7.41629870920548767373540138878");
  // The 30 digits of T are right to 5e-30, and the speed is below √2; 2000 steps of order 10 leave 1e-26
  // (measured 3e-27).
  EXPECT_LT(phase_distance(reference("kahan-li10", s, period, 2000), s.start()), 1e-25);
}

// V = V_slow + V_fast is nonlinear in both parts: this serves the rows that split it, and all others. The
// fast frequency is about 14, so the steps are short. Order 10, and rows that are not symmetric and so need
// still shorter steps, are left to the pendulum above.
TEST(OrderOfEveryRow, OnTheStiffPendulum) {
  const StiffPendulum<Real> s;
  const Real time = Real(1) / 8;
  const auto exact = reference("kahan-li10", s, time, 100);
  for_each_fitting_method<StiffPendulum<Real>>([&](const auto& method) {
    const MethodFacts facts = facts_of(method);
    if (facts.order > 8 || !facts.symmetric) return;
    expect_order(method, s, time, facts.order,
                 facts.past > 0 ? std::vector{80, 160, 320} : std::vector{10, 20, 40}, exact);
  });
}

// The slow force of the stiff pendulum is constant, and for a constant force kicks and the midpoint rule are
// the same; here it bends.
template <class T>
struct BentField : StiffPendulum<T> {
  using typename StiffPendulum<T>::Vec;
  BentField() = default;
  explicit BentField(const StiffPendulum<T>& s) : StiffPendulum<T>(s) {}
  T V_slow(const Vec& q) const { return q[3] + 2 * q[2] * q[2] * q[3]; }
  void grad_V_slow(const Vec& q, Vec& f) const { f << T(0), T(0), 4 * q[2] * q[3], T(1) + 2 * q[2] * q[2]; }
  T V(const Vec& q) const { return V_slow(q) + this->V_fast(q); }
  void grad_V(const Vec& q, Vec& f) const {
    Vec slow;
    grad_V_slow(q, slow);
    this->grad_V_fast(q, f);
    f += slow;
  }
  template <class U>
  BentField<U> cast() const {
    return BentField<U>(StiffPendulum<T>::template cast<U>());
  }
};

TEST(OrderOfEveryRow, OfSplittingsWhereTheSlowForceIsNotConstant) {
  const BentField<Real> s;
  const auto exact = end_in(Composition<Rattle>{find_composition("kahan-li10")}, s, 1)(800);
  ASSERT_TRUE(exact);
  expect_order(Projected<Impulse>{}, s, 1, 2, {160, 320, 640}, *exact);
  expect_order(Projected<Impulse>{.psi = {.substeps = 1}}, s, 1, 2, {160, 320, 640}, *exact);
  expect_order(Projected<MixedMidpoint>{}, s, 1, 2, {160, 320, 640}, *exact);
  // The mixed rule differs from the midpoint rule, so the splitting is what is measured.
  const auto mixed = end_in(Projected<MixedMidpoint>{}, s, 1)(160),
             whole = end_in(Projected<ImplicitMidpoint>{}, s, 1)(160);
  ASSERT_TRUE(mixed && whole);
  EXPECT_GT(phase_distance(*mixed, *whole), 1e-6);
}

// H is not separable: this serves the midpoint rule, its compositions, and the implicit rows. Two unrelated
// methods agree on the reference.
TEST(OrderOfEveryRow, OnTheChargedParticle) {
  const ChargedParticle<Real> s;
  const auto exact = reference("lobatto(6)", s, 1, 150);
  EXPECT_LT(phase_distance(exact, reference("kahan-li8a(midpoint)", s, 1, 50)), 1e-16);
  for_each_fitting_method<ChargedParticle<Real>>([&](const auto& method) {
    const MethodFacts facts = facts_of(method);
    expect_order(method, s, 1, facts.order,
                 facts.symmetric ? std::vector{10, 20, 40} : std::vector{80, 160, 320}, exact);
  });
  for (const std::string_view name : {"yoshida4(midpoint)", "kahan-li6a(midpoint)"}) {
    SCOPED_TRACE(name);
    const auto unknown = with_method(name, [&](const auto& method) {
      if constexpr (std::decay_t<decltype(method)>::template fits<ChargedParticle<Real>>)
        expect_order(method, s, 1, facts_of(method).order, {10, 20, 40}, exact);
      else
        ADD_FAILURE() << "does not fit";
    });
    EXPECT_FALSE(unknown);
  }
}

// The composition theorem assumes a symmetric base. Over one that is not, Σγ = 1 alone holds and the
// order stays at 1.
TEST(OrderOfEveryRow, ButNotOverABaseThatIsNotSymmetric) {
  const PlanarPendulum<Real> s;
  const auto exact = reference("kahan-li10", s, 2, 800);
  expect_order(Composition<Projected<SymplecticEuler>>{find_composition("yoshida4")}, s, 2, 1,
               {160, 320, 640}, exact);
}

}  // namespace
