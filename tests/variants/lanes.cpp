// a_lane_equals_the_scalar_run.cpp with compensated sums, and on a Hamiltonian that is not separable.

#include <gtest/gtest.h>

#include "support/bent_metric.hpp"
#include "support/lanes.hpp"

namespace {

using namespace taut;

TEST(ALaneEqualsTheScalarRun, CompensatedUpdates) {
  test::expect_every_row<4, CompensatedState>(PlanarPendulum<>{});
}

TEST(ALaneEqualsTheScalarRun, ForAHamiltonianThatIsNotSeparable) {
  using P = test::BentMetric<>;
  const P s;
  const test::StartOfLane<P> slower = [&](int l) {
    auto x = s.start();
    x.p *= 1 - 0.1 * l;
    return x;
  };
  test::expect_lanes_equal<8, State>(Lobatto<>{.s = 3}, s, 0.0625, 40, slower);
  test::expect_lanes_equal<8, State>(Projected<DiracGauss>{.psi = {.s = 2}}, s, 0.0625, 40, slower);
}

}  // namespace
