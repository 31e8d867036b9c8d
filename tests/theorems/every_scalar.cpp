// One text of a method serves every scalar type: 128-bit floats follow the double run to its rounding, dual
// numbers carry the derivative, and a dynamic-size problem follows the fixed-size one. Lanes have a test of
// their own, and so has long double: tests/variants/long_double.cpp.

#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/n_link_pendulum.hpp>
#include <taut/scalar/dual.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "support/end_of.hpp"

namespace {

using namespace taut;
using test::difference, test::end_of, test::rounding;

TEST(EveryScalar, Float128FollowsDouble) { test::expect_agreement_with_double<Float128>(); }

// 0.05 is not the same number in double and in 128-bit floats, but T(0.05) is; only the rounding of each
// operation differs, so the constraint is met far better there.
TEST(EveryScalar, Float128MeetsTheConstraintToItsOwnRounding) {
  const PlanarPendulum<Float128> s;
  const auto x = end_of(Rattle{}, s, s.start());
  PlanarPendulum<Float128>::Multiplier g;
  s.g(x.q, g);
  EXPECT_LT(lane(magnitude(g[0]), 0), 1e-32);
}

// Compares two tangents of the end by the start with differences of two runs: (f(+δ) - f(-δ))/2δ is wrong by
// δ² and ε/δ, 1e-9 at δ = 1e-5. The third tangent that this problem is compiled for stays zero.
TEST(EveryScalar, DualNumbersCarryTheDerivative) {
  using T = test::PendulumAlongTangents::Scalar;
  const PlanarPendulum<> s;
  const auto t = s.cast<T>();
  const auto rotated = [&](double angle, double speed) {
    return State<double, 2>{{std::cos(angle), std::sin(angle)},
                            {-speed * std::sin(angle), speed * std::cos(angle)}};
  };
  const double angle = 0.3, speed = 0.7, delta = 1e-5;
  test::for_each_fitting_method<PlanarPendulum<T>>([&](const auto& method) {
    if (!keeps_position(facts_of(method).keeps)) return;
    T a(angle), v(speed);
    a.tangent[0] = 1;
    v.tangent[1] = 1;
    const State<T, 2> start{{cos(a), sin(a)}, {-v * sin(a), v * cos(a)}};
    const auto end = end_of(method, t, start);
    EXPECT_LT(difference(end, end_of(method, s, rotated(angle, speed))), rounding);
    for (int k = 0; k < 2; ++k) {
      const double da = k == 0 ? delta : 0, dv = k == 1 ? delta : 0;
      const auto above = end_of(method, s, rotated(angle + da, speed + dv));
      const auto below = end_of(method, s, rotated(angle - da, speed - dv));
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(end.q[i].tangent[static_cast<std::size_t>(k)], (above.q[i] - below.q[i]) / (2 * delta),
                    1e-7);
        EXPECT_NEAR(end.p[i].tangent[static_cast<std::size_t>(k)], (above.p[i] - below.p[i]) / (2 * delta),
                    1e-7);
      }
    }
  });
}

// The double pendulum has sizes known at compile time and at run time: other storage, other elimination,
// the same motion.
TEST(EveryScalar, ADynamicProblemFollowsTheFixedOne) {
  const DoublePendulum<> fixed;
  const NLinkPendulum<> at_run_time(2);
  const auto start = fixed.start();
  test::for_each_fitting_method<DoublePendulum<>>([&](const auto& method) {
    if (!keeps_position(facts_of(method).keeps)) return;
    const StateOf<NLinkPendulum<>> same{start.q, start.p};
    EXPECT_LT(difference(end_of(method, fixed, start), end_of(method, at_run_time, same)), rounding);
  });
}

}  // namespace
