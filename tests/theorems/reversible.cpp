// A symmetric method is reversible: after p ↦ -p it retraces its steps (Reich 1996; Leimkuhler & Skeel
// 1994, section 4).

#include <taut/measure/reversibility_defect.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include "support/catalogue.hpp"

namespace {

using namespace taut;
using test::for_each_fitting_method;

// The worst row reaches 1.0e-13 (pendulum, 2 × 500 steps).
constexpr double rounding = 1e-11;

// Returns a point that the method itself has reached. For shake-velocity it matters: the normal part of its
// p_n is fixed by the two positions beside q_n. The first step forgets the zero normal part of a start on M,
// which therefore cannot come back.
template <class Method, class P>
StateOf<P> reached(const Method& method, const P& s, double h) {
  StateOf<P> x = s.start();
  EXPECT_TRUE(flow(method, s, x, h, 3));
  return x;
}

template <class P>
void expect_reversible(const P& s, double h, int steps) {
  for_each_fitting_method<P>([&](const auto& method) {
    if (!is_symmetric_map(facts_of(method))) return;  // multistep formulas: theorems/multistep.cpp
    const auto defect = reversibility_defect(method, s, reached(method, s, h), h, steps);
    ASSERT_TRUE(defect) << "residual " << defect.error().residual;
    EXPECT_LT(*defect, rounding);
  });
}

TEST(Reversible, EverySymmetricRowOnThePendulum) { expect_reversible(PlanarPendulum<>{}, 0.1, 500); }
TEST(Reversible, EverySymmetricRowOnTheDoublePendulum) { expect_reversible(DoublePendulum<>{}, 0.05, 200); }
TEST(Reversible, EverySymmetricRowOnTheStiffPendulum) { expect_reversible(StiffPendulum<>{}, 0.02, 200); }

// p ↦ -p does not reverse the motion of a charge in a magnetic field, since H is not even in p;
// negative steps do.
TEST(Reversible, MidpointOnTheChargedParticleByNegativeSteps) {
  const ChargedParticle<> s;
  auto x = s.start();
  ASSERT_TRUE(flow(Projected<ImplicitMidpoint>{}, s, x, 0.1, 500));
  ASSERT_TRUE(flow(Projected<ImplicitMidpoint>{}, s, x, -0.1, 500));
  EXPECT_LT(phase_distance(x, s.start()), rounding);
}

// Φ_{-h} Φ_h = 1 is the definition of symmetry, for every row and for time that runs backwards.
TEST(Reversible, NegativeStepsUndoEverySymmetricRow) {
  const DoublePendulum<> s;
  for_each_fitting_method<DoublePendulum<>>([&](const auto& method) {
    if (!is_symmetric_map(facts_of(method))) return;  // multistep formulas: theorems/multistep.cpp
    const auto start = reached(method, s, 0.05);
    auto x = start;
    ASSERT_TRUE(flow(method, s, x, 0.05, 100));
    ASSERT_TRUE(flow(method, s, x, -0.05, 100));
    EXPECT_LT(phase_distance(x, start), rounding);
  });
}

TEST(Reversible, ButNotSymplecticEulerWhichIsNotSymmetric) {
  const PlanarPendulum<> s;
  const Projected<SymplecticEuler> method;
  ASSERT_FALSE(facts_of(method).symmetric);
  const auto defect = reversibility_defect(method, s, s.start(), 0.1, 500);
  ASSERT_TRUE(defect);
  EXPECT_GT(*defect, 1e-3);  // measured 0.21
}

// A symmetric method whose solve is stopped early is not reversible either.
TEST(Reversible, ButNotWhenNewtonIsStoppedEarly) {
  const PlanarPendulum<> s;
  const auto defect = reversibility_defect(Rattle{}, s, s.start(), 0.1, 500, {.tolerance = 1e-4});
  ASSERT_TRUE(defect);
  EXPECT_GT(*defect, 1e-6);  // measured 1.8e-3
}

}  // namespace
