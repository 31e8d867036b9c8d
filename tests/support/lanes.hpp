// One lane of a pack against the scalar run of the same start, to the last bit.
#pragma once

#include <taut/measure/flow.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/catalogue.hpp"

namespace taut::test {

// The start of lane i.
template <class P>
using StartOfLane = std::function<StateOf<P>(int i)>;

// Lane i starts at angle 0.3 i from the horizontal, spinning: some lanes barely move, some need more
// iterations than others.
inline State<double, 2> start_of(const PlanarPendulum<>&, int i) {
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

template <class X, class P>
void put_in_lane(X& x, int i, const StateOf<P>& start) {
  for (int k = 0; k < P::n; ++k) {
    x.q[k].set(i, start.q[k]);
    x.p[k].set(i, start.p[k]);
  }
}
template <class X, class Y>
void expect_lane(const X& x, int i, const Y& y) {
  for (int k = 0; k < y.q.size(); ++k) {
    EXPECT_EQ(x.q[k][i], y.q[k]) << "lane " << i << ", q[" << k << "]";
    EXPECT_EQ(x.p[k][i], y.p[k]) << "lane " << i << ", p[" << k << "]";
    if constexpr (requires { x.q_low; }) {
      EXPECT_EQ(x.q_low[k][i], y.q_low[k]) << "lane " << i << ", q_low[" << k << "]";
      EXPECT_EQ(x.p_low[k][i], y.p_low[k]) << "lane " << i << ", p_low[" << k << "]";
    }
  }
}

template <int lanes, template <class, int> class Point, class Method, class P>
void expect_lanes_equal(const Method& method, const P& s, double h, int steps, const StartOfLane<P>& start) {
  using T = Pack<lanes>;
  const auto packed = s.template cast<T>();
  Point<T, P::n> x{State<T, P::n>{zero_vector(packed), zero_vector(packed)}};
  for (int i = 0; i < lanes; ++i) put_in_lane<Point<T, P::n>, P>(x, i, start(i));
  const auto moved = flow(method, packed, x, T(h), steps);
  ASSERT_TRUE(moved) << "lane " << moved.error().lane << ", residual " << moved.error().residual;
  for (int i = 0; i < lanes; ++i) {
    Point<double, P::n> y{start(i)};
    ASSERT_TRUE(flow(method, s, y, h, steps)) << "lane " << i;
    expect_lane(x, i, y);
  }
}
template <int lanes, template <class, int> class Point, class Method, class P>
void expect_lanes_equal(const Method& method, const P& s, double h, int steps) {
  expect_lanes_equal<lanes, Point>(method, s, h, steps,
                                   StartOfLane<P>([&](int i) { return start_of(s, i); }));
}

template <int lanes, template <class, int> class Point, class P>
void expect_every_row(const P& s) {
  for_each_fitting_method<decltype(s.template cast<Pack<lanes>>())>([&](const auto& method) {
    if (!keeps_position(facts_of(method).keeps)) return;  // leaves M before the end
    expect_lanes_equal<lanes, Point>(method, s, 0.05, 20);
  });
}

}  // namespace taut::test
