// Random numbers of an ensemble: the distributions are those that were asked for, and a draw depends on
// nothing but the seed, the trajectory, the name and its number.

#include <taut/random/draws.hpp>
#include <taut/scalar/number.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

extern "C" {
__extension__ __float128 erfcq(__float128) noexcept;
__extension__ __float128 expq(__float128) noexcept;
__extension__ __float128 atanq(__float128) noexcept;
}

namespace {

using namespace taut;

double probability_below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

// Returns sqrt(n) times the largest distance of the empirical distribution from `cdf` (Kolmogorov-Smirnov). A
// value above 1.95 has probability 1e-3; the seeds here are fixed.
double distance(std::vector<double> x, const std::function<double(double)>& cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(x[i]), here = static_cast<double>(i);
    worst = std::max({worst, f - here / n, (here + 1) / n - f});
  }
  return std::sqrt(n) * worst;
}

std::vector<double> drawn(double (*draw)(const Draw&), std::uint64_t seed, std::size_t count = 100000) {
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) x.push_back(draw({seed, i, stream_of("x"), 0}));
  return x;
}

TEST(Draws, UniformNumbersAreUniform) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 0xffffffffffffffffULL})
    EXPECT_LT(distance(drawn(uniform, seed), [](double u) { return u; }), 1.95) << seed;
}

TEST(Draws, NormalNumbersAreNormal) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 0xffffffffffffffffULL})
    EXPECT_LT(distance(drawn(normal, seed), probability_below), 1.95) << seed;
}

TEST(Draws, TheDistanceSeesAWrongDistribution) {
  EXPECT_GT(distance(drawn(uniform, 1), [](double u) { return u * u; }), 10);
  EXPECT_GT(distance(drawn(normal, 1), [](double z) { return probability_below(z / 1.05); }), 3);
}

TEST(Draws, UniformNumbersAreNeitherZeroNorOne) {
  for (const double u : drawn(uniform, 7)) {
    EXPECT_GT(u, 0);
    EXPECT_LT(u, 1);
  }
  // The ends of the formula itself: 0 of 2⁵³ becomes a half, and the largest is below 1.
  EXPECT_EQ(std::max(0.0, 0.5) * 0x1p-53, 0x1p-54);
  EXPECT_LT(static_cast<double>((1ULL << 53) - 1) * 0x1p-53, 1);
}

TEST(Draws, EveryNumberOfAChoiceIsAsLikely) {
  constexpr std::uint64_t sides = 7;
  std::vector<int> count(sides);
  constexpr int n = 70000;
  for (std::uint64_t i = 0; i < n; ++i) ++count[one_of({3, i, stream_of("die"), 0}, sides)];
  double chi = 0;  // six degrees of freedom: above 22.5 with probability 1e-3
  for (const int c : count) chi += (c - n / 7.0) * (c - n / 7.0) / (n / 7.0);
  EXPECT_LT(chi, 22.5);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(one_of({3, i, 1, 0}, 1), 0U);
}

TEST(Draws, SeedTrajectoryNameAndNumberAllMatter) {
  std::set<std::uint64_t> bits;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (std::uint64_t i = 0; i < 3; ++i)
      for (const char* name : {"x", "y", "p_x"})
        for (std::uint32_t k = 0; k < 3; ++k) bits.insert(random_bits({seed, i, stream_of(name), k}));
  EXPECT_EQ(bits.size(), 81U);
  EXPECT_NE(random_bits({1, 1ULL << 32, 5, 0}), random_bits({1, 0, 5, 0}));
  EXPECT_NE(random_bits({1ULL << 32, 1, 5, 0}), random_bits({0, 1, 5, 0}));
}

TEST(Draws, NamesAreIndependent) {
  double sum = 0;
  constexpr std::uint64_t n = 100000;
  for (std::uint64_t i = 0; i < n; ++i)
    sum += normal({1, i, stream_of("x"), 0}) * normal({1, i, stream_of("p_x"), 0});
  EXPECT_LT(std::abs(sum) / std::sqrt(static_cast<double>(n)), 3.3);  // this has probability 1e-3
}

TEST(Draws, TheStreamOfANameNeverChanges) {
  EXPECT_EQ(stream_of(""), 0xcbf29ce4U ^ 0x84222325U);
  EXPECT_EQ(stream_of("a"), 0xaf63dc4cU ^ 0x8601ec8cU);  // FNV-1a of "a" is af63dc4c8601ec8c
}

// Returns the quantile with 113 bits, by Newton's iteration on erfc from the value that is to be checked.
Float128 exact_quantile(double p, double guess) {
  const Float128 root_half = sqrt(Float128(0.5)), pi = 4 * atanq(1);
  Float128 z = guess;
  const bool lower = p < 0.5;
  const Float128 tail = lower ? Float128(p) : 1 - Float128(p);
  for (int k = 0; k < 4; ++k) {
    const Float128 beyond = erfcq((lower ? -z : z) * root_half) / 2 - tail;  // too much in the tail
    const Float128 step = beyond / (expq(-z * z / 2) / sqrt(2 * pi));
    z += lower ? -step : step;
  }
  return z;
}

double relative_error(double p) {
  const double z = normal_quantile(p);
  const Float128 exact = exact_quantile(p, z);
  return std::abs(static_cast<double>((Float128(z) - exact) / exact));
}

TEST(Draws, NormalQuantilesAreExactTo15Digits) {
  double worst = 0;
  for (int k = 1; k <= 54; ++k)  // tails
    for (const double part : {1.0, 1.23456789, 1.5, 1.987654321}) {
      const double p = std::ldexp(part, -k);
      if (p < 1 && p != 0.5) worst = std::max(worst, relative_error(p));
      if (k < 53 && p < 1 && p != 0.5) worst = std::max(worst, relative_error(1 - p));
    }
  for (int i = 1; i < 4000; ++i)  // the middle
    if (i != 2000) worst = std::max(worst, relative_error(i / 4000.0));
  for (std::uint64_t i = 0; i < 4000; ++i) worst = std::max(worst, relative_error(uniform({9, i, 0, 0})));
  EXPECT_LT(worst, 1e-15);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Draws, TheQuantileIsSymmetricAndReachesTheTails) {
  EXPECT_NEAR(normal_quantile(0x1p-54), -8.292361075813595, 1e-14);
  for (const double p : {0x1p-20, 0x1p-7, 0.25, 0.375})
    EXPECT_EQ(normal_quantile(p), -normal_quantile(1 - p));
}

}  // namespace
