// A symplectic method follows the exact motion of a nearby Hamiltonian: its energy error oscillates and does
// not drift. Over 10⁶ steps of the pendulum no linear trend is seen beyond its error bar; a method that is
// not symplectic shows one at once.

#include <taut/formulation/manifold.hpp>
#include <taut/measure/energy.hpp>
#include <taut/measure/growth.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include "support/catalogue.hpp"

namespace {

using namespace taut;
using Bob = PlanarPendulum<>;

struct Energy {
  double largest = 0;
  LineFit trend;  // per step
};

template <class Method>
Energy energy_of(const Method& method, double h, int steps, const SolveOptions& options = {}) {
  const Bob s;
  StateOf<Bob> x = s.start();
  const auto stepper = bind(method, s, x, options);
  const auto errors = energy_errors(s, *stepper, x, h, steps);
  if (!errors) {
    ADD_FAILURE() << "residual " << errors.error().residual;
    return {};
  }
  return {largest_error(*errors), linear_trend(*errors)};
}

// Explicit Euler with both projections: on M, first order, not symplectic.
struct ProjectedEuler {
  [[maybe_unused]] static constexpr MethodFacts facts{
      .name = "projected explicit Euler", .what = {}, .source = {}, .theory = {}, .order = 1};
  SolveOptions solve{};
  template <class P>
  static constexpr bool fits = Natural<P>;
  template <class P, class X>
  struct Memory {
    Memory(const P&, const X&) {}
  };
  template <class P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>&, double h) const {
    typename P::Vec grad, v;
    s.grad_V(x.q, grad);
    s.W().times(x.p, v);
    x.q += h * v;
    x.p -= h * grad;
    if (const auto moved = project_start(s, x, solve); !moved) return moved.error();
    return 1;
  }
};

// The limit is five standard errors: chance alone passes them once in 10⁴ fits to 20 blocks.
void expect_no_drift(const Energy& e) { EXPECT_LT(std::abs(e.trend.slope), 5 * e.trend.slope_error); }
void expect_drift(const Energy& e) { EXPECT_GT(std::abs(e.trend.slope), 5 * e.trend.slope_error); }

// Measured per step: (-0.3 ± 1.2)e-13. The bar is the statement's sharpness: over all 10⁶ steps it is a
// ten-thousandth of the oscillation.
TEST(EnergyIsBounded, ForRattleOverAMillionSteps) {
  const Energy e = energy_of(Rattle{}, 0.05, 1'000'000);
  expect_no_drift(e);
  EXPECT_LT(e.largest, 1e-3);  // 9.4e-4 = O(h²), as large in the first period as in the last
  EXPECT_LT(1e6 * e.trend.slope_error, 1e-3 * e.largest);
}
TEST(EnergyIsBounded, ForYoshida4) {
  const Energy e = energy_of(Composition<Rattle>{find_composition("yoshida4")}, 0.1, 200'000);
  expect_no_drift(e);  // (-0.3 ± 1.5)e-13
  EXPECT_LT(e.largest, 2e-4);
}
TEST(EnergyIsBounded, ForTheMidpointRule) {
  expect_no_drift(energy_of(Projected<ImplicitMidpoint>{}, 0.05, 200'000));  // (-0.7 ± 1.1)e-12
}
TEST(EnergyIsBounded, ForSymplecticEulerThoughItIsNotSymmetric) {
  expect_no_drift(energy_of(Projected<SymplecticEuler>{}, 0.05, 200'000));  // (-0.6 ± 5.5)e-11
}

TEST(EnergyIsBounded, ButNotForRattleStoppedEarly) {
  expect_drift(energy_of(Rattle{}, 0.05, 100'000, {.iteration = Iteration::symmetric, .tolerance = 1e-3}));
}  // (5.7 ± 0.2)e-7
TEST(EnergyIsBounded, ButNotForAMethodThatIsNotSymplectic) {
  expect_drift(energy_of(ProjectedEuler{}, 0.001, 100'000));
}  // (-6.28 ± 0.03)e-7

}  // namespace
