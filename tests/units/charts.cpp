// Charts Aq = δ: their slopes are those of the mechanics, a change of chart moves nothing, and R = [A; G]
// never becomes ill-conditioned.

#include <taut/formulation/charts.hpp>
#include <taut/formulation/multiplier.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/angle.hpp"

namespace {

using namespace taut;

template <class P>
StateOf<P> moving_start(const P& s) {
  StateOf<P> x = s.start();
  for (int i = 0; i < x.q.size(); ++i) x.p[i] += 0.4 * std::cos(3.0 * i);
  EXPECT_TRUE(project_start(s, x));
  return x;
}

// Compares rates of the coordinates along the true motion, by central differences, with the
// slopes of the field.
template <class P, class Field>
double slope_error(const P& s, Field field, const StateOf<P>& x) {
  typename P::Vec v = zero_vector(s), f = v;
  H_p(s, x.q, x.p, v);
  H_q(s, x.q, x.p, f);
  f = -f;
  auto G = s.make_jacobian();
  s.G(x.q, G);
  G.subtract_transpose(*multiplier(s, x.q, x.p), f);
  using Vec = typename Field::Vec;
  Vec delta = Vec::Zero(field.parameters()), theta = delta, d = delta, t = delta, a = delta, b = delta,
      c = delta, e = delta;
  EXPECT_TRUE(field.enter(s, x.q, x.p, delta, theta));
  EXPECT_TRUE(field(s, delta, theta, d, t));
  const double tau = 1e-5;
  // The points are on M to second order: the straight line leaves it by τ²/2, the same on both sides. Only a
  // chart may be entered there.
  EXPECT_TRUE(field.enter(s, x.q + tau * v, x.p + tau * f, a, b));
  EXPECT_TRUE(field.enter(s, x.q - tau * v, x.p - tau * f, c, e));
  return std::max(((a - c) / (2 * tau) - d).norm(), ((b - e) / (2 * tau) - t).norm());
}

// Differences with τ = 1e-5 lose 1e-10; the terms compared are of size 10.
template <class P>
void expect_chart(const P& s) {
  const StateOf<P> x = moving_start(s);
  for (const ChartKind kind : {ChartKind::tangent, ChartKind::coordinates}) {
    EXPECT_LT(slope_error(s, ChartField<P>(s, {.kind = kind}), x), 1e-8);
    ChartField<P> field(s, {.kind = kind});
    typename ChartField<P>::Vec delta = ChartField<P>::Vec::Zero(field.parameters()), theta = delta;
    ASSERT_TRUE(field.enter(s, x.q, x.p, delta, theta));
    StateOf<P> back = x;
    ASSERT_TRUE(field.leave(s, delta, theta, back.q, back.p));
    EXPECT_LT((back.q - x.q).norm(), 1e-14);
    EXPECT_LT((back.p - x.p).norm(), 1e-14);
  }
  ChartField<P> field(s);
  ASSERT_TRUE(field.choose(s, x.q));
  EXPECT_NEAR(field.suits(s, x.q), 1, 1e-14);
}

TEST(Charts, SlopesAndReturn) {
  expect_chart(PlanarPendulum<>{});
  expect_chart(DoublePendulum<>{});
  expect_chart(ChargedParticle<>{});
  expect_chart(SixNodeChainDynamic<>{});
}

// Whatever chart a state is seen in, it is the same state: a change of chart is continuous to rounding.
TEST(Charts, AChangeMovesNothing) {
  const DoublePendulum<> s;
  const auto x = moving_start(s);
  StateOf<DoublePendulum<>> y = x;
  for (int i = 0; i < 100; ++i) {
    ChartField<DoublePendulum<>> field(s, {.kind = i % 2 == 0 ? ChartKind::tangent : ChartKind::coordinates});
    Vector<double, 2> delta, theta;
    ASSERT_TRUE(field.enter(s, y.q, y.p, delta, theta));
    ASSERT_TRUE(field.leave(s, delta, theta, y.q, y.p));
  }
  EXPECT_LT((y.q - x.q).norm() + (y.p - x.p).norm(), 1e-13);
}

template <class Rule>
void expect_well_conditioned(const Rule& rule, double least) {
  const PlanarPendulum<> s;
  const OdeMethod<ExplicitRungeKutta, Charts> method{.scheme = {find_explicit("rk4")}, .formulation = {rule}};
  State<double, 2> x{{1, 0}, {0, -2}};
  auto memory = make_memory(method, s, x);
  double worst = 1, g = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(method.step(s, x, memory, 0.02));
    worst = std::min(worst, memory.field.suits(s, x.q));
    g = std::max(g, position_residual(s, x.q));
    ASSERT_LT(momentum_residual(s, x.q, x.p), 1e-14);
  }
  EXPECT_GE(worst, least);
  EXPECT_LT(g, 1e-14);
  EXPECT_GT(memory.field.charts, 20);  // twelve turns
  EXPECT_LT(memory.field.charts, 100);
}

TEST(Charts, ChangeBeforeTheMatrixIsIllConditioned) {
  expect_well_conditioned(ChartRule{}, 0.5);
  expect_well_conditioned(ChartRule{.threshold = 0.6}, 0.6);
  expect_well_conditioned(
      ChartRule{.kind = ChartKind::coordinates, .change = ChartSwitch::after, .threshold = std::sqrt(0.5)},
      std::sqrt(0.5));
}

// A chart reports points that it does not have.
TEST(Charts, HasNoPointOutsideItsRange) {
  const PlanarPendulum<> s;
  ChartField<PlanarPendulum<>> field(s, {.kind = ChartKind::coordinates});
  Vector<double, 1> delta, theta, d, t;
  ASSERT_TRUE(field.enter(s, Vector<double, 2>{1, 0}, Vector<double, 2>{0, -2}, delta, theta));
  delta[0] = 1.1;  // y = 1.1 is no point of the circle
  EXPECT_FALSE(field(s, delta, theta, d, t));
}

TEST(StateSpace, TheAnglesSlopesAreThoseOfThePendulum) {
  const PlanarPendulum<> s;
  StateSpaceField<PlanarPendulum<>, test::Angle> field(s, {});
  const double a = 0.7, w = 1.3;
  Vector<double, 1> delta, theta, d, t;
  ASSERT_TRUE(field.enter(s, Vector<double, 2>{std::sin(a), -std::cos(a)},
                          Vector<double, 2>{w * std::cos(a), w * std::sin(a)}, delta, theta));
  EXPECT_NEAR(delta[0], a, 1e-15);
  EXPECT_NEAR(theta[0], w, 1e-15);
  ASSERT_TRUE(field(s, delta, theta, d, t));
  EXPECT_NEAR(d[0], w, 1e-15);
  EXPECT_NEAR(t[0], -std::sin(a), 1e-15);
}

// Spherical coordinates, for any H(q, p): the canonical map of Proposition 2.1 beyond natural systems.
struct Sphere {
  int parameters() const { return 2; }
  template <class U>
  void operator()(const Vector<U, 2>& a, Vector<U, 3>& q) const {
    q[0] = sin(a[0]) * cos(a[1]);
    q[1] = sin(a[0]) * sin(a[1]);
    q[2] = cos(a[0]);
  }
  Vector<double, 2> near(const Vector<double, 3>& q) const {
    return {std::atan2(std::hypot(q[0], q[1]), q[2]), std::atan2(q[1], q[0])};
  }
};

TEST(StateSpace, AParametrisationAndChartsGiveTheSameStep) {
  const ChargedParticle<> s;
  const OdeMethod<ExplicitRungeKutta, StateSpace<Sphere>> angles{.scheme = {find_explicit("dop853")}};
  const OdeMethod<ExplicitRungeKutta, Charts> charts{.scheme = {find_explicit("dop853")}};
  auto x = s.start(), y = x;
  auto memory = make_memory(angles, s, x);
  auto other = make_memory(charts, s, y);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(angles.step(s, x, memory, 0.02));
    ASSERT_TRUE(charts.step(s, y, other, 0.02));
  }
  EXPECT_LT((x.q - y.q).norm() + (x.p - y.p).norm(), 1e-12);
  EXPECT_LT(std::abs(H(s, x.q, x.p) - H(s, s.start().q, s.start().p)), 1e-12);
}

}  // namespace
