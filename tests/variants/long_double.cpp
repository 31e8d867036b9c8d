// every_scalar.cpp in long double: the text of the methods does not change, more digits agree with fewer to
// their rounding, and tangents are the derivatives that differences in more digits give.

#include <taut/scalar/dual.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/end_of.hpp"

namespace {

using namespace taut;
using test::end_of;

constexpr double h = 0.0625;  // exact in every type

TEST(EveryScalar, LongDoubleFollowsDouble) { test::expect_agreement_with_double<long double>(); }

template <class X, class Y>
double apart(const X& a, const Y& b) {
  double worst = 0;
  for (int i = 0; i < 2; ++i) {
    worst = std::max(worst, static_cast<double>(magnitude(Float128(Float128(a.q[i]) - Float128(b.q[i])))));
    worst = std::max(worst, static_cast<double>(magnitude(Float128(Float128(a.p[i]) - Float128(b.p[i])))));
  }
  return worst;
}
TEST(EveryScalar, MoreDigitsAgreeWithFewer) {
  const PlanarPendulum<> s;
  const PlanarPendulum<long double> finer;
  const PlanarPendulum<Float128> finest;
  test::for_each_family([&](const auto& method) {
    SCOPED_TRACE(label(facts_of(method)));
    const auto x = end_of(method, s, s.start(), h);
    const auto y = end_of(method, finer, finer.start(), h);
    const auto z = end_of(method, finest, finest.start(), h);
    EXPECT_LT(apart(x, z), 1e-12);
    EXPECT_LT(apart(y, z), 1e-15);
    EXPECT_GT(apart(y, z), 0);
  });
}

template <class T>
State<T, 2> cast_state(const State<double, 2>& x) {
  const auto cast = [](double c) { return convert<T>(c); };
  return {x.q.unaryExpr(cast), x.p.unaryExpr(cast)};
}

// Takes tangents along the motion (a shift in time) and along a faster start, against differences
// in long double.
TEST(EveryScalar, TangentsAlongTheMotionAreItsDerivatives) {
  using Tangent = test::PendulumAlongTangents::Scalar;
  constexpr int steps = 40;
  const PlanarPendulum<> s;
  const StateOf<PlanarPendulum<>> start{{0.6, -0.8}, {0.4, 0.3}};
  const Vector<double, 2> turn{0.8, 0.6}, push{0.8, 0.6};  // along the circle; p stays along it
  test::for_each_family([&](const auto& method) {
    SCOPED_TRACE(label(facts_of(method)));
    auto x = cast_state<Tangent>(start);
    for (int i = 0; i < 2; ++i) {
      x.q[i].tangent[0] = turn[i];
      x.p[i].tangent[0] = i == 0 ? -0.3 : 0.4;  // p turns with q
      x.p[i].tangent[1] = push[i];
    }
    const auto problem = s.cast<Tangent>();
    ASSERT_TRUE(flow(method, problem, x, Tangent(h), steps));
    const auto plain = end_of(method, s, start, h);
    EXPECT_NEAR((Vector<double, 2>{x.q[0].value, x.q[1].value} - plain.q).norm(), 0, 1e-13);
    const auto long_problem = s.cast<long double>();
    for (const std::size_t k : {0U, 1U}) {
      const long double d = 1e-6L;
      State<long double, 2> ends[2];
      for (const int side : {0, 1}) {
        const long double t = side == 0 ? d : -d;
        auto y = cast_state<long double>(start);
        if (k == 0) {
          const long double c = std::cos(t), sn = std::sin(t);
          y.q = State<long double, 2>::Vec{c * y.q[0] - sn * y.q[1], sn * y.q[0] + c * y.q[1]};
          y.p = State<long double, 2>::Vec{c * y.p[0] - sn * y.p[1], sn * y.p[0] + c * y.p[1]};
        } else {
          for (int i = 0; i < 2; ++i) y.p[i] += t * static_cast<long double>(push[i]);
        }
        ASSERT_TRUE(flow(method, long_problem, y, static_cast<long double>(h), steps));
        ends[side] = y;
      }
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(x.q[i].tangent[k], static_cast<double>((ends[0].q[i] - ends[1].q[i]) / (2 * d)), 1e-9);
        EXPECT_NEAR(x.p[i].tangent[k], static_cast<double>((ends[0].p[i] - ends[1].p[i]) / (2 * d)), 1e-9);
      }
    }
  });
}

}  // namespace
