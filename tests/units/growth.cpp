// Fits of series whose exponent, drift and scatter are known.

#include <taut/measure/block_averages.hpp>
#include <taut/measure/growth.hpp>
#include <taut/measure/order.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace {

using namespace taut;

TEST(Growth, ALineIsFoundExactly) {
  const std::vector<double> x{0, 1, 2, 5}, y{1, 3, 5, 11};
  const LineFit fit = fit_line(x, y);
  EXPECT_NEAR(fit.slope, 2, 1e-14);
  EXPECT_NEAR(fit.intercept, 1, 1e-14);
  EXPECT_NEAR(fit.slope_error, 0, 1e-14);
}

// With x = 0 … 3, y = 0, 1, 0, 1: slope 0.2, residuals (-0.2, 0.6, -0.6, 0.2), s² = 0.8/2, Σ(x - x̄)² = 5, so
// the error is √(0.4/5).
TEST(Growth, TheSlopeErrorIsTheTextbookOne) {
  const std::vector<double> x{0, 1, 2, 3}, y{0, 1, 0, 1};
  const LineFit fit = fit_line(x, y);
  EXPECT_NEAR(fit.slope, 0.2, 1e-14);
  EXPECT_NEAR(fit.slope_error, std::sqrt(0.08), 1e-14);
  EXPECT_NEAR(fit.confidence(), 4.303 * std::sqrt(0.08), 1e-3);
}

TEST(Growth, StudentsTIsRightToAPercent) {
  EXPECT_NEAR(student_975(3), 3.182, 0.03);
  EXPECT_NEAR(student_975(10), 2.228, 0.001);
  EXPECT_NEAR(student_975(18), 2.101, 0.001);
  EXPECT_NEAR(student_975(1000), 1.962, 0.001);
}

TEST(Growth, APowerLawShowsItsExponent) {
  for (const double exponent : {0.5, 1.0, 1.5, 2.0}) {
    std::vector<double> t, e;
    for (int k = 1; k <= 64; k *= 2) {
      t.push_back(k);
      e.push_back(3e-15 * std::pow(k, exponent));
    }
    e[3] = -e[3];  // the sign of an error does not matter
    EXPECT_NEAR(growth_exponent(t, e).slope, exponent, 1e-12);
  }
}

TEST(Growth, PointsWithoutALogarithmAreLeftOut) {
  const std::vector<double> t{0, 1, 2, 4, 8}, e{5, 1, 0, 4, 8};
  const LineFit fit = growth_exponent(t, e);
  EXPECT_EQ(fit.points, 3);
  EXPECT_NEAR(fit.slope, 1, 1e-12);
}

// The interval claims to hold the truth in 95 of 100 cases; 400 trials scatter by 1.1 %, so it must be
// between 91 % and 99 %.
TEST(Growth, TheConfidenceIntervalHoldsTheExponentAsOftenAsItSays) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.3);
  int inside = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> t, e;
    for (int k = 1; k <= 512; k *= 2) {
      t.push_back(k);
      e.push_back(std::pow(k, 1.5) * std::exp(noise(random)));
    }
    const LineFit fit = growth_exponent(t, e);
    inside += std::abs(fit.slope - 1.5) < fit.confidence();
  }
  EXPECT_GT(inside, 364);
  EXPECT_LT(inside, 396);
}

TEST(Growth, ARandomWalkGrowsLikeTheSquareRootAndADriftLinearly) {
  std::mt19937 random(2);
  std::normal_distribution<double> noise;
  double mean_exponent = 0;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> walk;
    double sum = 0;
    for (int n = 0; n < 4095; ++n) walk.push_back(sum += noise(random));
    mean_exponent += growth_of_history(walk).slope / 50;
  }
  EXPECT_NEAR(mean_exponent, 0.5, 0.1);  // one walk scatters by 0.3, fifty by 0.04
  std::vector<double> drift;
  for (int n = 1; n <= 4095; ++n) drift.push_back(1e-16 * n);
  // The mean over an octave is not quite its first value.
  EXPECT_NEAR(growth_of_history(drift).slope, 1, 0.05);
}

TEST(Growth, ATrendIsFoundUnderAnOscillationMuchLargerThanIt) {
  std::vector<double> series;
  for (int n = 0; n < 100'000; ++n) series.push_back(std::sin(0.1 * n) + 1e-7 * n);
  const LineFit trend = linear_trend(series);
  EXPECT_NEAR(trend.slope, 1e-7, 5 * trend.slope_error);
  EXPECT_LT(trend.slope_error, 3e-8);  // measured 2.3e-8, a quarter of the trend
}

// Neighbours of an autoregressive series are correlated over a hundred entries. Its drift is zero, and the
// error bar must say so: three standard errors hold it in nearly all of 100 trials, while the scatter of
// single entries would give a bar 14 times too small.
TEST(Growth, TheErrorBarOfATrendAllowsForCorrelation) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  int blocked = 0, naive = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> series, time;
    double value = 0;
    for (int n = 0; n < 20'000; ++n) {
      series.push_back(value = 0.99 * value + noise(random));
      time.push_back(n);
    }
    const LineFit with = linear_trend(series), without = fit_line(time, series);
    blocked += std::abs(with.slope) < 3 * with.slope_error;
    naive += std::abs(without.slope) < 3 * without.slope_error;
  }
  EXPECT_GT(blocked, 93);
  EXPECT_LT(naive, 50);
}

Trend trend_of(const std::vector<double>& series) {
  const auto length = static_cast<std::int64_t>(series.size());
  BlockAverages averages(length);
  for (const double value : series) averages.add(value);
  return averages.trend(length).value();
}

// The energy error of a symplectic method is a sum of oscillations and drifts nowhere. The bar is a 95 %
// interval: of waves from a third of an oscillation to 300 in a run, at any phase and with a second one, at
// most one in twenty may look like a drift. A line through the blocks alone called one in ten a drift.
TEST(Growth, AnOscillationIsNoDriftAtTheStatedConfidence) {
  int alarms = 0, trials = 0;
  for (double cycles = 0.33; cycles < 300; cycles *= 1.13)
    for (int phase = 0; phase < 8; ++phase, ++trials) {
      std::vector<double> wave;
      for (int n = 0; n < 4000; ++n) {
        const double angle = 2 * std::numbers::pi * cycles * n / 4000 + phase * 0.8;
        wave.push_back(std::cos(angle) + 0.4 * std::cos(1.618 * angle) - std::cos(phase * 0.8));
      }
      alarms += trend_of(wave).beyond_its_error() ? 1 : 0;
    }
  EXPECT_LT(alarms, trials / 20) << trials;
}

TEST(Growth, ADriftUnderAnOscillationIsSeen) {
  for (const double cycles : {7.7, 40.0, 123.4}) {
    std::vector<double> series;
    for (int n = 0; n < 4000; ++n)
      series.push_back(std::cos(2 * std::numbers::pi * cycles * n / 4000) - 1 - 5e-4 * n);
    const Trend trend = trend_of(series);
    EXPECT_TRUE(trend.beyond_its_error()) << cycles << ": " << trend.total << " ± " << trend.error;
    EXPECT_NEAR(trend.total, -2, trend.error) << cycles;
  }
}

TEST(Growth, APartOfASlowWaveIsCalledACurve) {
  std::vector<double> half;
  for (int n = 0; n < 4000; ++n) half.push_back(1 - std::cos(std::numbers::pi * 0.6 * n / 4000));
  EXPECT_TRUE(trend_of(half).bent);
  EXPECT_FALSE(trend_of(half).beyond_its_error());
}

// An error C h³ is added to the exact flow of q' = p, p' = 0: order 3 by a reference and by self-convergence.
TEST(Order, IsTheSlopeOfTheError) {
  using X = State<long double, 1>;
  const auto end = [](int steps) -> Expected<X> {
    X x{X::Vec::Zero(), X::Vec::Zero()};
    x.q[0] = 1 + 5 / std::pow(static_cast<long double>(steps), 3.0L);
    return x;
  };
  X exact{X::Vec::Zero(), X::Vec::Zero()};
  exact.q[0] = 1;
  const std::vector<int> steps{10, 20, 40, 80};
  EXPECT_NEAR(measured_order(end, steps, exact)->order, 3, 1e-9);
  EXPECT_NEAR(measured_order(end, steps, exact)->last, 3, 1e-9);
  EXPECT_NEAR(measured_order(end, steps)->order, 3, 1e-9);
  EXPECT_EQ(measured_order(end, steps)->sizes.size(), 3U);
}

TEST(Order, AFailureOnTheWayIsHandedOn) {
  using X = State<double, 1>;
  const auto end = [](int) -> Expected<X> { return Failure{.iterations = 7}; };
  const std::vector<int> steps{10, 20, 40};
  const auto found = measured_order(end, steps);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().iterations, 7);
}

}  // namespace
