// lobatto, dirac-gauss, radau and bdf on every scalar type: the text of the methods does not change, more
// digits agree with fewer to their rounding, tangents are derivatives, and a lane of a pack is the scalar run
// to the last bit.

#include <taut/measure/flow.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include "support/bent_metric.hpp"

namespace {

using namespace taut;
using Radau = DaeRungeKutta<DaeFamily::radau, false>;
using DiracGaussMethod = Projected<DiracGauss>;

constexpr double h = 0.0625;  // exact in every type
constexpr int steps = 40;

template <class To, class From, int n>
Vector<To, n> cast_vector(const Vector<From, n>& x) {
  return x.unaryExpr([](const From& c) { return convert<To>(c); });
}
template <class T, class P>
auto cast_state(const StateOf<P>& x) {
  return State<T, P::n>{cast_vector<T>(x.q), cast_vector<T>(x.p)};
}

template <class T, class Method, class P>
auto end_in(const Method& method, const P& s, const StateOf<P>& start) {
  auto x = cast_state<T, P>(start);
  const auto problem = s.template cast<T>();
  EXPECT_TRUE(flow(method, problem, x, T(h), steps)) << label(facts_of(method));
  return x;
}

// Calls f(method) for the four families.
template <class F>
void for_each_family(F&& f) {
  f(Lobatto<>{.s = 3});
  f(DiracGaussMethod{.psi = {.s = 2}});
  f(Radau{.s = 2});
  f(Bdf{.k = 2});
}

TEST(EveryScalar, MoreDigitsAgreeWithFewer) {
  const PlanarPendulum<> s;
  for_each_family([&](const auto& method) {
    SCOPED_TRACE(label(facts_of(method)));
    const auto x = end_in<double>(method, s, s.start());
    const auto y = end_in<long double>(method, s, s.start());
    const auto z = end_in<Float128>(method, s, s.start());
    const auto apart = [](const auto& a, const auto& b) {
      double worst = 0;
      for (int i = 0; i < 2; ++i) {
        worst =
            std::max(worst, static_cast<double>(magnitude(Float128(Float128(a.q[i]) - Float128(b.q[i])))));
        worst =
            std::max(worst, static_cast<double>(magnitude(Float128(Float128(a.p[i]) - Float128(b.p[i])))));
      }
      return worst;
    };
    EXPECT_LT(apart(x, z), 1e-12);
    EXPECT_LT(apart(y, z), 1e-15);
    EXPECT_GT(apart(y, z), 0);
  });
}

// Takes tangents along the motion (a shift in time) and along a faster start, against differences
// in long double.
TEST(EveryScalar, TangentsAreDerivatives) {
  using Tangent = Dual<double, 2>;
  const PlanarPendulum<> s;
  const StateOf<PlanarPendulum<>> start{{0.6, -0.8}, {0.4, 0.3}};
  const Vector<double, 2> turn{0.8, 0.6}, push{0.8, 0.6};  // along the circle; p stays along it
  for_each_family([&](const auto& method) {
    SCOPED_TRACE(label(facts_of(method)));
    auto x = cast_state<Tangent, PlanarPendulum<>>(start);
    for (int i = 0; i < 2; ++i) {
      x.q[i].tangent[0] = turn[i];
      x.p[i].tangent[0] = i == 0 ? -0.3 : 0.4;  // p turns with q
      x.p[i].tangent[1] = push[i];
    }
    const auto problem = s.cast<Tangent>();
    ASSERT_TRUE(flow(method, problem, x, Tangent(h), steps));
    const auto plain = end_in<double>(method, s, start);
    EXPECT_NEAR((Vector<double, 2>{x.q[0].value, x.q[1].value} - plain.q).norm(), 0, 1e-13);
    const auto long_problem = s.cast<long double>();
    for (const std::size_t k : {0U, 1U}) {
      const long double d = 1e-6L;
      State<long double, 2> ends[2];
      for (const int side : {0, 1}) {
        const long double t = side == 0 ? d : -d;
        auto y = cast_state<long double, PlanarPendulum<>>(start);
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

// Expects equal lanes from eight starts that need different numbers of iterations.
template <class Method, class P, class Start>
void expect_lanes(const Method& method, const P& s, Start&& start_of) {
  SCOPED_TRACE(label(facts_of(method)));
  constexpr int lanes = 8;
  using Lanes = Pack<lanes>;
  State<Lanes, P::n> x{zero_vector(s.template cast<Lanes>()), zero_vector(s.template cast<Lanes>())};
  for (int l = 0; l < lanes; ++l) {
    const StateOf<P> start = start_of(l);
    for (int i = 0; i < P::n; ++i) {
      x.q[i].set(l, start.q[i]);
      x.p[i].set(l, start.p[i]);
    }
  }
  ASSERT_TRUE(flow(method, s.template cast<Lanes>(), x, Lanes(h), steps));
  for (int l = 0; l < lanes; ++l) {
    auto y = start_of(l);
    ASSERT_TRUE(flow(method, s, y, h, steps));
    for (int i = 0; i < P::n; ++i) {
      EXPECT_EQ(x.q[i][l], y.q[i]) << "lane " << l;
      EXPECT_EQ(x.p[i][l], y.p[i]) << "lane " << l;
    }
  }
}
TEST(EveryScalar, ALaneIsTheScalarRun) {
  const auto on_circle = [](int l) {
    const double angle = 0.3 * l - 2, speed = 0.5 * l - 1;
    return StateOf<PlanarPendulum<>>{{std::cos(angle), std::sin(angle)},
                                     {-speed * std::sin(angle), speed * std::cos(angle)}};
  };
  for_each_family([&](const auto& method) { expect_lanes(method, PlanarPendulum<>{}, on_circle); });
  expect_lanes(Lobatto<5>{}, PlanarPendulum<>{}, on_circle);
}
TEST(EveryScalar, ALaneIsTheScalarRunForAHamiltonianThatIsNotSeparable) {
  const test::BentMetric<> s;
  const auto slower = [&](int l) {
    auto x = s.start();
    x.p *= 1 - 0.1 * l;
    return x;
  };
  expect_lanes(Lobatto<>{.s = 3}, s, slower);
  expect_lanes(DiracGaussMethod{.psi = {.s = 2}}, s, slower);
}

}  // namespace
