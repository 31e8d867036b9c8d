// Jay 1996, after (3.16): the half-explicit method of order one is symplectic if H is separable.

#include <taut/measure/flow.hpp>
#include <taut/measure/symplectic_defect.hpp>
#include <taut/method/explicit_maps.hpp>
#include <taut/method/half_explicit.hpp>
#include <taut/method/projected.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>

#include <gtest/gtest.h>

namespace {

using namespace taut;

TEST(HalfExplicit, IsSymplecticIfHIsSeparable) {
  const DoublePendulum<> s;
  for (const double h : {0.01, 0.05, 0.1}) {
    const auto defect = symplectic_defect(HalfExplicit{}, s, s.start(), h, 20);
    ASSERT_TRUE(defect);
    EXPECT_LT(*defect, 1e-13) << h;  // measured 2e-16
  }
}

TEST(HalfExplicit, ButNotIfItIsNot) {
  const ChargedParticle<> s;
  const auto defect = symplectic_defect(HalfExplicit{}, s, s.start(), 0.05, 20);
  ASSERT_TRUE(defect);
  EXPECT_GT(*defect, 1e-2);  // measured 0.067
}

// What the projection of symplectic-euler takes from p, the next impulse of this method takes.
TEST(HalfExplicit, HasThePositionsOfSymplecticEuler) {
  const DoublePendulum<> s;
  auto x = s.start(), y = x;
  ASSERT_TRUE(flow(HalfExplicit{}, s, x, 0.02, 100));
  ASSERT_TRUE(flow(Projected<SymplecticEuler>{}, s, y, 0.02, 100));
  EXPECT_LT((x.q - y.q).norm(), 1e-12);
  EXPECT_GT((x.p - y.p).norm(), 1e-4);
}

}  // namespace
