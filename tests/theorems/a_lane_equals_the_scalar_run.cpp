// One lane of a pack is one trajectory: it agrees with the scalar run of the same start to the last bit,
// whatever the other lanes do and however many iterations they need.

#include <taut/measure/flow.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catalogue.hpp"

namespace {

using namespace taut;

// Lane i starts at angle 0.3 i from the horizontal, spinning: some lanes barely move, some need more
// iterations than others.
State<double, 2> start_of(const PlanarPendulum<>&, int i) {
  const double angle = 0.3 * i, speed = 0.1 * i * i - 1;
  return {{std::cos(angle), std::sin(angle)}, {-speed * std::sin(angle), speed * std::cos(angle)}};
}
// Starts unit masses that turn about the origin as one rigid body.
template <class P>
StateOf<P> start_of(const P& s, int i) {
  auto x = s.start();
  const double speed = 0.1 * i * i - 1;
  for (int k = 0; k < P::n; k += 2) {
    x.p[k] = -speed * x.q[k + 1];
    x.p[k + 1] = speed * x.q[k];
  }
  return x;
}

template <int lanes, template <class, int> class Point, class Method, class P>
void expect_lanes_equal(const Method& method, const P& s, double h, int steps) {
  using T = Pack<lanes>;
  const auto packed = s.template cast<T>();
  Point<T, P::n> x{State<T, P::n>{zero_vector(packed), zero_vector(packed)}};
  for (int i = 0; i < lanes; ++i) {
    const auto start = start_of(s, i);
    for (int k = 0; k < P::n; ++k) {
      x.q[k].set(i, start.q[k]);
      x.p[k].set(i, start.p[k]);
    }
  }
  const auto moved = flow(method, packed, x, T(h), steps);
  ASSERT_TRUE(moved) << "lane " << moved.error().lane << ", residual " << moved.error().residual;
  for (int i = 0; i < lanes; ++i) {
    Point<double, P::n> y{start_of(s, i)};
    ASSERT_TRUE(flow(method, s, y, h, steps)) << "lane " << i;
    for (int k = 0; k < P::n; ++k) {
      EXPECT_EQ(x.q[k][i], y.q[k]) << "lane " << i << ", q[" << k << "]";
      EXPECT_EQ(x.p[k][i], y.p[k]) << "lane " << i << ", p[" << k << "]";
      if constexpr (requires { x.q_low; }) {
        EXPECT_EQ(x.q_low[k][i], y.q_low[k]) << "lane " << i << ", q_low[" << k << "]";
        EXPECT_EQ(x.p_low[k][i], y.p_low[k]) << "lane " << i << ", p_low[" << k << "]";
      }
    }
  }
}

template <int lanes, template <class, int> class Point, class P>
void expect_every_row(const P& s) {
  test::for_each_fitting_method<decltype(s.template cast<Pack<lanes>>())>([&](const auto& method) {
    if (facts_of(method).keeps == Keeps::nothing) return;  // leaves M before the end
    expect_lanes_equal<lanes, Point>(method, s, 0.05, 20);
  });
}

TEST(ALaneEqualsTheScalarRun, EveryRowWithEightLanes) { expect_every_row<8, State>(PlanarPendulum<>{}); }
TEST(ALaneEqualsTheScalarRun, CompensatedUpdates) {
  expect_every_row<4, CompensatedState>(PlanarPendulum<>{});
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
