// What a compensated update of the state keeps: all of it, to twice the digits of a float.
#include <taut/problem/state.hpp>
#include <taut/scalar/number.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace taut;

namespace {

// q after `count` drifts by the entries of `moves` in turn, against the sum in 128 bits.
double lost_by_drifts(const std::vector<double>& moves, int count) {
  CompensatedState<double, 1> x;
  x.q[0] = 0.7;
  x.p[0] = 0;
  Float128 wide = x.q[0];
  for (int k = 0; k < count; ++k) {
    const double d = moves[static_cast<std::size_t>(k) % moves.size()];
    drift(x, Vector<double, 1>(d));
    wide += Float128(d);
  }
  return std::abs(static_cast<double>(wide - (Float128(x.q[0]) + Float128(x.q_low[0]))));
}

TEST(CompensatedSums, TwoSumIsExactWhicheverIsLarger) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> some(-1, 1);
  for (int k = 0; k < 1000; ++k) {
    const double a = std::ldexp(some(random), k % 40), b = std::ldexp(some(random), k % 17);
    const TwoSum<double> t(a, b);
    EXPECT_EQ(t.sum, a + b);
    EXPECT_TRUE(Float128(t.sum) + Float128(t.lost) == Float128(a) + Float128(b)) << a << " + " << b;
  }
}

// A constant kick and others of other binades, as the substeps of a composition make them. Kahan's form, which rounds d + low, is off by 2e-14 here.
TEST(CompensatedSums, RepeatedMovesLoseNothing) {
  const std::vector<double> moves{0.03 * 0.7, -0.03 * 0.19, 0.03 / 7, -0.0194};
  EXPECT_LT(lost_by_drifts(moves, 100000), 1e-25);
}

}  // namespace
