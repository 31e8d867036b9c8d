// A periodogram is right if a known sine stands where it must, with the power it must have, and if the
// powers add up.

#include <taut/measure/periodogram.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using taut::periodogram;
using taut::Periodogram;
using taut::Window;

constexpr double pi = std::numbers::pi;

std::vector<double> sine(std::size_t n, double spacing, double frequency, double amplitude, double mean) {
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i)
    y[i] = mean + amplitude * std::sin(2 * pi * frequency * spacing * static_cast<double>(i) + 0.3);
  return y;
}

std::size_t highest(const Periodogram& p) {
  return static_cast<std::size_t>(std::max_element(p.power.begin(), p.power.end()) - p.power.begin());
}

// The lengths are a power of two, an even and an odd number, and a prime.
class Lengths : public testing::TestWithParam<std::size_t> {};

TEST_P(Lengths, ASineStandsAtItsFrequencyWithHalfItsAmplitudeSquared) {
  const std::size_t n = GetParam();
  const double spacing = 0.05, frequency = 12 / (static_cast<double>(n) * spacing);
  for (const Window window : {Window::none, Window::hann}) {
    const Periodogram p = periodogram(sine(n, spacing, frequency, 3.0, 7.0), spacing, window);
    ASSERT_EQ(p.frequency.size(), n / 2);
    EXPECT_EQ(highest(p), 11U);  // k = 12
    EXPECT_NEAR(p.frequency[11], frequency, 1e-13);
    EXPECT_NEAR(p.power[11], 4.5, 1e-11);
    // Off the line there is only rounding without a window, and the two neighbours of the line with one.
    for (std::size_t k = 0; k < p.power.size(); ++k) {
      const bool near = window == Window::hann ? k >= 10 && k <= 12 : k == 11;
      EXPECT_TRUE(near || p.power[k] < 1e-24) << k << ": " << p.power[k];
    }
  }
}

TEST_P(Lengths, ThePowersAddUpToTheVariance) {
  const std::size_t n = GetParam();
  std::vector<double> y(n);
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = std::sin(0.1 * static_cast<double>(i * i % 97)) + 0.01 * static_cast<double>(i);
    mean += y[i] / static_cast<double>(n);
  }
  for (const double value : y) variance += (value - mean) * (value - mean) / static_cast<double>(n);
  double sum = 0;
  for (const double power : periodogram(y, 1.0).power) sum += power;
  EXPECT_NEAR(sum, variance, 1e-12 * variance);
}

INSTANTIATE_TEST_SUITE_P(Periodogram, Lengths, testing::Values(64, 100, 101, 1009));

TEST(Periodogram, AWindowKeepsALineBetweenTwoFrequenciesFromLeakingEverywhere) {
  const std::size_t n = 512;
  const auto y = sine(n, 1.0, 100.5 / n, 1.0, 0.0);
  const Periodogram plain = periodogram(y, 1.0), tapered = periodogram(y, 1.0, Window::hann);
  EXPECT_GT(plain.power[200], 1e-6);
  EXPECT_LT(tapered.power[200], 1e-10);
}

TEST(Periodogram, TooShortASeriesHasNone) {
  EXPECT_TRUE(taut::periodogram(std::vector<double>{1.0}, 1.0).power.empty());
}

}  // namespace
