// The end of 40 steps of a method, in any scalar.
#pragma once

#include <taut/measure/flow.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "support/catalogue.hpp"

namespace taut::test {

template <class Method, class P>
StateOf<P> end_of(const Method& method, const P& s, StateOf<P> x, double h = 0.05) {
  using T = typename P::Scalar;
  const auto moved = flow(method, s, x, T(h), 40);
  EXPECT_TRUE(moved) << "residual " << moved.error().residual;
  return x;
}

template <class X, class Y>
double difference(const X& x, const Y& y) {
  double worst = 0;
  for (Eigen::Index i = 0; i < x.q.size(); ++i) {
    worst = std::max(worst, std::abs(lane(x.q[i], 0) - lane(y.q[i], 0)));
    worst = std::max(worst, std::abs(lane(x.p[i], 0) - lane(y.p[i], 0)));
  }
  return worst;
}

// This is the rounding of 40 steps in double; the pendulum neither damps nor amplifies it much. Measured
// 2.4e-14 at most (tsitouras10).
inline constexpr double rounding = 1e-12;

template <class T>
void expect_agreement_with_double() {
  const PlanarPendulum<> s;
  const auto t = s.cast<T>();
  for_each_fitting_method<PlanarPendulum<T>>([&](const auto& method) {
    if (!keeps_position(facts_of(method).keeps)) return;  // unstable: rounding is amplified without bound
    EXPECT_LT(difference(end_of(method, s, s.start()), end_of(method, t, t.start())), rounding);
  });
}

}  // namespace taut::test
