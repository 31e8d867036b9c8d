// A symplectic method that commutes with translations and rotations keeps what they keep.
#include <taut/measure/momentum_maps.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

#include <support/run_rattle.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace taut;

TEST(Momentum, IsTheSumOverTheParticles) {
  State<double, 6> x;
  x.q << 1, 2, 3, 4, 5, 6;
  x.p << 7, 8, 10, -1, 2, 3;
  EXPECT_EQ(linear_momentum<3>(x), (Vector<double, 3>(6, 10, 13)));
  // (1,2,3)x(7,8,10) = (-4, 11, -6) and (4,5,6)x(-1,2,3) = (3, -18, 13), by hand.
  EXPECT_EQ(angular_momentum<3>(x), (Vector<double, 3>(-1, -7, 7)));
  // In the plane it is 1*8 - 2*7, 3*(-1) - 4*10, 5*3 - 6*2.
  EXPECT_EQ(angular_momentum<2>(x)[0], -6 - 43 + 3);
}

// Springs and rods act between nodes: 1000 steps leave only the rounding of sums whose terms
// reach |q||p| ~ 10.
TEST(Momentum, OfTheFreeChainIsKeptByRattle) {
  const SixNodeChain<> s;
  const auto start = s.start();
  const auto end = test::run_rattle(s, start, 0.01, 1000);
  EXPECT_LT((linear_momentum<2>(end) - linear_momentum<2>(start)).norm(), 1e-12);
  EXPECT_LT(std::abs(angular_momentum<2>(end)[0] - angular_momentum<2>(start)[0]), 1e-12);
}

// The hypothesis broken: gravity turns a pendulum.
TEST(Momentum, OfAPendulumIsNot) {
  const PlanarPendulum<> s;
  const auto end = test::run_rattle(s, s.start(), 0.01, 100);
  EXPECT_GT(std::abs(angular_momentum<2>(end)[0]), 0.1);
}

// Nothing turns a spherical pendulum about the vertical axis.
TEST(Momentum, AboutTheVerticalIsKeptInSpace) {
  const SphericalPendulum<> s;
  const auto start = s.start();
  const auto end = test::run_rattle(s, start, 0.01, 1000);
  EXPECT_NEAR(angular_momentum<3>(end)[2], angular_momentum<3>(start)[2], 1e-12);
}

}  // namespace
