// One lane of a pack is one trajectory: it agrees with the scalar run of the same start to the last bit,
// whatever the other lanes do and however many iterations they need. tests/variants/lanes.cpp has compensated
// sums and a Hamiltonian that is not separable.

#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/lanes.hpp"

namespace {

using namespace taut;
using test::expect_every_row, test::expect_lanes_equal, test::start_of;

TEST(ALaneEqualsTheScalarRun, EveryRowWithEightLanes) { expect_every_row<8, State>(PlanarPendulum<>{}); }

// The iterations of lobatto, dirac-gauss, radau and bdf end at different corrections in these lanes.
TEST(ALaneEqualsTheScalarRun, OfLongerStepsFromTheWholeCircle) {
  const test::StartOfLane<PlanarPendulum<>> on_circle = [](int l) {
    const double angle = 0.3 * l - 2, speed = 0.5 * l - 1;
    return StateOf<PlanarPendulum<>>{{std::cos(angle), std::sin(angle)},
                                     {-speed * std::sin(angle), speed * std::cos(angle)}};
  };
  test::for_each_family([&](const auto& method) {
    SCOPED_TRACE(label(facts_of(method)));
    expect_lanes_equal<8, State>(method, PlanarPendulum<>{}, 0.0625, 40, on_circle);
  });
  expect_lanes_equal<8, State>(Lobatto<5>{}, PlanarPendulum<>{}, 0.0625, 40, on_circle);
}

TEST(ALaneEqualsTheScalarRun, WithTwoConstraints) {
  const DoublePendulum<> s;
  expect_lanes_equal<8, State>(Shake{}, s, 0.05, 100);
  expect_lanes_equal<8, State>(ShakeVelocity{}, s, 0.05, 100);
  expect_lanes_equal<8, State>(Rattle{}, s, 0.05, 100);
  expect_lanes_equal<4, CompensatedState>(Rattle{}, s, 0.05, 100);
  expect_lanes_equal<8, State>(Projected<Verlet>{}, s, 0.05, 100);
  expect_lanes_equal<8, State>(Composition<Rattle>{find_composition("yoshida4")}, s, 0.05, 100);
}

TEST(ALaneEqualsTheScalarRun, ThoughOneKeepsItsFactorAndAnotherDoesNot) {
  const SixNodeChain<> s;
  expect_lanes_equal<8, State>(Rattle{}, s, 0.01, 100);
  expect_lanes_equal<8, State>(Composition<Rattle>{find_composition("kahan-li8")}, s, 0.05, 20);
}

// The hypothesis that matters: lanes really take different numbers of iterations.
TEST(ALaneEqualsTheScalarRun, ThoughTheLanesIterateDifferently) {
  const PlanarPendulum<> s;
  std::vector<int> iterations;
  for (int i = 0; i < 8; ++i) {
    auto x = start_of(s, i);
    const auto stepper = bind(Rattle{}, s, x);
    const auto taken = take_steps(*stepper, x, 0.05, 20);
    ASSERT_TRUE(taken);
    iterations.push_back(*taken);
  }
  EXPECT_NE(*std::min_element(iterations.begin(), iterations.end()),
            *std::max_element(iterations.begin(), iterations.end()));
}

}  // namespace
