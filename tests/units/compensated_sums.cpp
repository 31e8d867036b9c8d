// What a compensated update of the state keeps: all of it, to twice the digits of a float, while q is
// larger than its moves. If q passes through zero, it keeps all but a rounding of the move, which errs
// to either side.
#include <taut/problem/state.hpp>
#include <taut/scalar/number.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

using namespace taut;

namespace {

constexpr double half_unit = 0x1p-53;

// Returns the error of q + q_low after `count` drifts from `q` by the entries of `moves` in turn, against the
// sum in 128 bits.
double off_after_drifts(double q, const std::vector<double>& moves, int count) {
  CompensatedState<double, 1> x;
  x.q[0] = q;
  x.p[0] = 0;
  Float128 wide = q;
  for (int k = 0; k < count; ++k) {
    const double d = moves[static_cast<std::size_t>(k) % moves.size()];
    drift(x, Vector<double, 1>(d));
    wide += Float128(d);
  }
  return static_cast<double>(Float128(x.q[0]) + Float128(x.q_low[0]) - wide);
}

TEST(CompensatedSums, NothingIsLostWhileTheSumIsTheLarger) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> some(-1, 1);
  for (int k = 0; k < 1000; ++k) {
    const double s = 1 + 0.5 * some(random), low = half_unit * some(random),
                 d = std::ldexp(some(random), -(k % 30));
    const CompensatedSum<double> t(s, low, d);
    const Float128 off = Float128(t.sum) + Float128(t.low) - (Float128(s) + Float128(low) + Float128(d));
    EXPECT_LE(std::abs(static_cast<double>(off)), 0x1p-105) << s << " + " << d;
    EXPECT_LE(std::abs(t.low), half_unit * 2);
  }
}

// A constant kick comes with others of other binades, as the substeps of a composition make them. Kahan's
// form, which rounds d + low, is wrong by 2e-14 here.
TEST(CompensatedSums, RepeatedMovesLoseNothing) {
  const std::vector<double> moves{0.03 * 0.7, -0.03 * 0.19, 0.03 / 7, -0.0194};
  EXPECT_LT(std::abs(off_after_drifts(0.7, moves, 100000)), 1e-25);
}

// If q passes through zero by moves of different sizes, the hypothesis is broken and something is lost.
TEST(CompensatedSums, APassageThroughZeroLosesRoundingsOfTheMoveToEitherSide) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> some(0.1, 0.2);
  const std::vector<double> down{-0.03 * 0.71, -0.03 * 0.19, -0.03 / 7, -0.0194},
      up{0.03 * 0.71, 0.03 * 0.19, 0.03 / 7, 0.0194};
  const int passages = 20000;
  double sum = 0, squares = 0;
  for (int k = 0; k < passages; ++k) {
    const double off =
        k % 2 == 0 ? off_after_drifts(some(random), down, 24) : off_after_drifts(-some(random), up, 24);
    EXPECT_LE(std::abs(off), 2 * 0.0213 * half_unit);
    sum += off;
    squares += off * off;
  }
  const double error = std::sqrt(squares) / passages;  // standard error of the mean
  EXPECT_GT(error, 0);
  EXPECT_LT(std::abs(sum / passages), 4 * error);
}

}  // namespace
