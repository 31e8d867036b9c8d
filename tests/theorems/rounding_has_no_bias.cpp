// Rounding moves the energy of a long run to both sides alike: a random walk, no drift. Sixteen pendulums of
// different amplitudes, in the lanes of a pack, make 3·10⁸ steps together, in which a mean change of 3e-22 a
// step shows. It was that large when Newton's iteration looked at a q₁ that was a rounding off the one at
// which the sums arrive. The bits are those of any machine: after the start there are only + - * / and sqrt.
#undef TAUT_NO_FLATTEN  // the steps are many

#include <taut/measure/smooth_window.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace taut;

constexpr int lanes = 16;
using Lanes = Pack<lanes>;
using Bobs = PlanarPendulum<Lanes>;
using Plain = StateOf<Bobs>;
using Compensated = CompensatedState<Lanes, 2>;

// The energy is read every 10 steps, 5000 times in a block: after 60 periods the window has averaged the
// oscillation away. Between two blocks there are this many times 10 steps without a reading; none under
// sanitizers, with which a step takes a hundred times as long.
constexpr int blocks = 12, stride = 10, looks = 5000;
constexpr int long_pause = flattened ? 140'000 : 0;

// The pendulums are released at rest, this many radians from the lowest point: evenly from just above the
// first to the last.
struct Swings {
  double from, to, h;
};
constexpr Swings usual{1, 1.8, 0.01};

Plain start(const Swings& swings) {
  Plain x{Bobs::Vec::Constant(Lanes(0)), Bobs::Vec::Constant(Lanes(0))};
  for (int i = 0; i < lanes; ++i) {
    const double angle = swings.from + (swings.to - swings.from) / lanes * (i + 1);
    x.q[0].set(i, std::sin(angle));
    x.q[1].set(i, -std::cos(angle));
  }
  return x;
}

struct Drift {
  double mean = 0, error = 0;  // change of the energy a step, over all lanes, and its standard error
  double largest_lane = 0;     // the drift of one lane alone, in its standard errors
};

// Finds the drift from the changes between blocks that are so many steps apart.
Drift drift_of(const std::vector<Lanes>& average, double steps) {
  const double changes = static_cast<double>(average.size() - 1);
  Drift drift;
  double variance = 0;
  for (int i = 0; i < lanes; ++i) {
    const double mean = (average.back()[i] - average.front()[i]) / changes;
    double squares = 0;
    for (std::size_t b = 1; b < average.size(); ++b) {
      const double off = average[b][i] - average[b - 1][i] - mean;
      squares += off * off;
    }
    const double lane_variance = squares / (changes - 1) / changes;
    drift.mean += mean / lanes / steps;
    variance += lane_variance;
    drift.largest_lane = std::max(drift.largest_lane, std::abs(mean) / std::sqrt(lane_variance));
  }
  drift.error = std::sqrt(variance) / lanes / steps;
  return drift;
}

// Measures the drift; `disturb` is applied to the state every 10 steps.
template <class X, class Disturb>
Drift measured(const Swings& swings, const SolveOptions& options, int pause, Disturb disturb) {
  const Bobs s;
  X x(start(swings));
  const Rattle rattle{.solve = options};
  Rattle::Memory<Bobs, X> memory(s, x);
  int failed = 0;
  const auto go_on = [&] {
    for (int i = 0; i < stride; ++i) failed += !rattle.step(s, x, memory, Lanes(swings.h));
    disturb(x);
  };
  const Lanes H0 = H(s, x.q, x.p);
  const std::vector<double> window = smooth_window(looks);
  std::vector<Lanes> average(blocks, Lanes(0));
  for (Lanes& sum : average) {
    for (const double weight : window) {
      go_on();
      sum += Lanes(weight) * (H(s, x.q, x.p) - H0);
    }
    for (int i = 0; i < pause; ++i) go_on();
  }
  EXPECT_EQ(failed, 0);
  return drift_of(average, stride * (looks + pause));
}
const auto nothing = [](auto&) {};

// Chance passes 3.5 standard errors once in 2000 times. It passes six of one lane of sixteen, which come from
// eleven changes, once in 500.
TEST(RoundingHasNoBias, WithCompensatedSums) {
  const Drift drift = measured<Compensated>(usual, {}, long_pause, nothing);
  EXPECT_LT(std::abs(drift.mean), 3.5 * drift.error);  // (1 ± 6)e-23
  EXPECT_LT(drift.largest_lane, 6);                    // 5.2
  EXPECT_LT(drift.error, flattened ? 1e-22 : 5e-22);
}

// Above the horizontal, where the rod pushes, the drift was (8 ± 2)e-22 while the weight and the impulse were
// rounded together; below it, with a power of two for a step, (-8 ± 1)e-22 while h p_low was left out.
TEST(RoundingHasNoBias, AtOtherSteps) {
  for (const Swings& swings : {Swings{1.55, 1.87, 0.02}, Swings{0.9, 1.54, 0x1p-5}}) {
    const Drift drift = measured<Compensated>(swings, {}, long_pause, nothing);
    EXPECT_LT(std::abs(drift.mean), 3.5 * drift.error) << swings.h;
    EXPECT_LT(drift.largest_lane, 6) << swings.h;
    EXPECT_LT(drift.error, flattened ? 2e-22 : 2e-21) << swings.h;
  }
}

// A drift of 3.1e-22 a step is put in, a stretch of the momentum far below its last bit, and (3.7 ±
// 0.5)e-22 comes out.
TEST(RoundingHasNoBias, AndADriftThatSmallIsSeen) {
  const double stretch = flattened ? 3.9e-21 : 2e-20;
  Lanes given(0);
  const auto disturb = [&](Compensated& x) {
    x.p_low += Lanes(stretch) * x.p;
    given += Lanes(stretch) * x.p.dot(x.p);
  };
  const Drift drift = measured<Compensated>(usual, {}, long_pause, disturb);
  double known = 0;
  for (int i = 0; i < lanes; ++i) known += given[i] / lanes / blocks / (looks + long_pause) / stride;
  EXPECT_NEAR(drift.mean, known, 4 * drift.error);
  EXPECT_GT(drift.mean, 3.5 * drift.error);
}

TEST(RoundingHasNoBias, ButPlainSumsHave) {
  const Drift drift = measured<Plain>(usual, {}, 0, nothing);
  EXPECT_GT(std::abs(drift.mean), 10 * drift.error);  // (-4.3 ± 0.2)e-19
}

// An iteration that stops at 1e-13 stops at the same side again and again.
TEST(RoundingHasNoBias, ButAnIterationStoppedEarlyHas) {
  const Drift drift = measured<Compensated>(usual, {.tolerance = 1e-13}, 0, nothing);
  EXPECT_GT(std::abs(drift.mean), 10 * drift.error);  // (2.33 ± 0.05)e-20
}

}  // namespace
