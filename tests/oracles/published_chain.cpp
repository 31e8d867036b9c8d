// Leimkuhler & Skeel's chains and Jay's double pendulum by RATTLE. The papers show figures only; the numbers
// are those of an independent computation with the starts of six_node_chain.hpp and lennard_jones_chain.hpp,
// to all digits given.

#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/lennard_jones_chain.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "support/run_rattle.hpp"

namespace {

using namespace taut;
using test::run_rattle;

template <class P>
double energy(const P& s, const StateOf<P>& x) {
  return H(s, x.q, x.p);
}

struct Row {
  double h;
  int steps;
  double energy_error, half_digit;
};

TEST(SixNodeChain, EnergyErrorAtTenHasThePublishedDigits) {
  const SixNodeChain<> s;
  EXPECT_NEAR(energy(s, s.start()), 10.5, 1e-14);
  for (const Row& row :
       {Row{.1, 100, 8.723e-2, 5e-6}, Row{.05, 200, 2.747e-2, 5e-6}, Row{.025, 400, 7.196e-3, 5e-7},
        Row{.01, 1000, 1.166e-3, 5e-7}, Row{.005, 2000, 2.919e-4, 5e-8}}) {
    const auto x = run_rattle(s, s.start(), row.h, row.steps);
    EXPECT_NEAR(std::fabs(energy(s, x) - 10.5), row.energy_error, row.half_digit) << "h = " << row.h;
  }
}

TEST(SixNodeChain, EnergyStaysInItsBandUpToHundred) {
  const SixNodeChain<> s;
  double worst = 0;
  run_rattle(s, s.start(), .01, 10000,
             [&](int, const auto& x) { worst = std::max(worst, std::fabs(energy(s, x) - 10.5)); });
  EXPECT_NEAR(worst, 6.600e-3, 5e-7);
}

// Rounding differs in the order of sums only, but the chain is chaotic: 1e-12 becomes 1e-2 by t = 100.
TEST(SixNodeChain, WithSizesKnownAtRunTimeMovesAlike) {
  const SixNodeChain<> fixed;
  const SixNodeChainDynamic<> free;
  const auto x = run_rattle(fixed, fixed.start(), .01, 1000);
  const auto y = run_rattle(free, free.start(), .01, 1000);
  EXPECT_LE((x.q - y.q).norm() + (x.p - y.p).norm(), 1e-11);
}

// Jay's Example 2 at t = 5, from the angles of the rods by Taylor series with 30 digits. The error of RATTLE
// has even powers of h only: it is extrapolated.
TEST(DoublePendulum, ReachesTheReferenceAtFive) {
  const DoublePendulum<long double> s;
  using Point = Vector<long double, 8>;
  Point reference;
  reference << 0.29044054395820123452L, -0.95689304022198017885L, -0.22354703503283829702L,
      -1.8146906670798130619L, -0.35725597033712354841L, -0.10843596305492882862L, 0.16839231981371559035L,
      -0.42340150224053331556L;
  std::array<Point, 7> level;
  for (std::size_t i = 0; i < level.size(); ++i) {
    const int n = 50 << i;
    const auto x = run_rattle(s, s.start(), 5.0L / n, n);
    level[i] << x.q, x.p;
    long double factor = 1;
    for (std::size_t j = i; j > 0; --j) {
      factor *= 4;
      level[j - 1] = level[j] + (level[j] - level[j - 1]) / (factor - 1);
    }
  }
  EXPECT_LE(static_cast<double>((level[0] - reference).norm()), 1e-14);
}

TEST(LennardJonesChain, EnergyHasThePublishedRange) {
  const LennardJonesChain<> s;
  const double E = energy(s, s.start());
  EXPECT_NEAR(E, -1.215727860, 5e-10);
  double least = 0, most = 0;
  std::map<int, double> at;
  run_rattle(s, s.start(), .1, 2000, [&](int k, const auto& x) {
    const double change = energy(s, x) - E;
    least = std::min(least, change);
    most = std::max(most, change);
    if (k == 100 || k == 500 || k == 1000 || k == 2000) at[k / 10] = change;
  });
  EXPECT_NEAR(least, -2.86e-4, 5e-7);
  EXPECT_NEAR(most, 1.615e-3, 5e-7);
  EXPECT_NEAR(at[10], 7.83e-4, 5e-7);
  EXPECT_NEAR(at[50], 6.52e-4, 5e-7);
  EXPECT_NEAR(at[100], 6.44e-4, 5e-7);
  EXPECT_NEAR(at[200], 9.79e-4, 5e-7);
}

}  // namespace
