// Ordinary methods through the interface of all methods: problems of dynamic size, compensated states,
// counted projections.

#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/linear.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_gauss.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "support/after.hpp"

namespace {

using namespace taut;
using taut::test::after;

// The chain gives the same numbers with sizes known at compile time and at run time.
TEST(OdeMethod, DynamicAndFixedSizesAgree) {
  const OdeMethod<ExplicitRungeKutta, DiracWeak> method{.scheme = {find_explicit("dopri5")},
                                                        .projection = {ProjectionKind::both, 0}};
  const auto fixed = after(method, SixNodeChain<>{}, SixNodeChain<>{}.start(), 0.01, 50);
  const auto at_run_time = after(method, SixNodeChainDynamic<>{}, SixNodeChainDynamic<>{}.start(), 0.01, 50);
  for (int i = 0; i < 12; ++i) {
    EXPECT_NEAR(fixed.q[i], at_run_time.q[i], 1e-13);
    EXPECT_NEAR(fixed.p[i], at_run_time.p[i], 1e-13);
  }
  EXPECT_LT(position_residual(SixNodeChain<>{}, fixed.q), 1e-15);
  EXPECT_LT(momentum_residual(SixNodeChain<>{}, fixed.q, fixed.p), 1e-14);
}

TEST(OdeMethod, CompensatedSumsCarryWhatRoundingCutsOff) {
  const PlanarPendulum<> s;
  const OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit("rk4")}};
  const State<double, 2> x{{1, 0}, {0, -2}};
  const auto plain = after(method, s, x, 1e-4, 10000);
  const auto compensated = after(method, s, CompensatedState<double, 2>(x), 1e-4, 10000);
  const PlanarPendulum<long double> finer;
  const auto reference = after(method, finer, State<long double, 2>{{1, 0}, {0, -2}}, 1e-4, 10000);
  const auto off = [&](const auto& y) {
    return std::hypot(static_cast<double>(y.q[0] - reference.q[0]),
                      static_cast<double>(y.q[1] - reference.q[1]));
  };
  EXPECT_LT(off(compensated), off(plain));
  EXPECT_LT(off(compensated), 1e-15);
}

TEST(OdeMethod, ProjectionsAreCounted) {
  const PlanarPendulum<> s;
  State<double, 2> x{{1, 0}, {0, -2}};
  OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit("rk4")},
                                                   .projection = {ProjectionKind::both, 0}};
  auto memory = make_memory(method, s, x);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(method.step(s, x, memory, 0.01));
  EXPECT_EQ(memory.projections().position, 10);
  EXPECT_EQ(memory.projections().momentum, 10);
  method.projection.tolerance = 1;
  ASSERT_TRUE(method.step(s, x, memory, 0.01));
  EXPECT_EQ(memory.projections().position, 10);
}

// A stage equation without a solution is a failure, and the state is as it was.
TEST(OdeMethod, AFailedStepLeavesTheState) {
  const PlanarPendulum<> s;
  State<double, 2> x{{1, 0}, {0, -2}};
  const auto before = x;
  const OdeMethod<OdeGauss, DiracWeak> method{.scheme = {.s = 2}};
  auto memory = make_memory(method, s, x);
  const auto solved = method.step(s, x, memory, 1e4);  // up to h = 200 there is a solution
  ASSERT_FALSE(solved);
  EXPECT_EQ(solved.error().stage, SolveStage::inner);
  EXPECT_EQ(x.q, before.q);
  EXPECT_EQ(x.p, before.p);
}

// H = ½|p|² + V(q) with q₁ + 2q₂ = 0.3, V = sin q₁ cosh-like in q₂: a linear constraint that does not pass
// through the origin, and a potential that is not quadratic.
template <class T>
struct OnALine : Shape<T, 2, 1> {
  using typename Shape<T, 2, 1>::Vec;
  using typename Shape<T, 2, 1>::Multiplier;
  using typename Shape<T, 2, 1>::Jacobian;
  DiagonalMass<T, 2> mass{Vec{T(1), T(0.25)}};
  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  T V(const Vec& q) const { return sin(q[0]) + q[1] * q[1] * q[0]; }
  void grad_V(const Vec& q, Vec& f) const {
    f[0] = cos(q[0]) + q[1] * q[1];
    f[1] = q[0] * q[1] * T(2);
  }
  const DiagonalMass<T, 2>& W() const { return mass; }
  void g(const Vec& q, Multiplier& g) const { g[0] = q[0] + q[1] * T(2) - T(0.3); }
  void G(const Vec&, Jacobian& G) const {
    G(0, 0) = T(1);
    G(0, 1) = T(2);
  }
  template <class U>
  OnALine<U> cast() const {
    return {{}, mass.template cast<U>()};
  }
};

TEST(LinearConstraints, TheSameMotionAndAGradientOffM) {
  const OnALine<double> s;
  State<double, 2> x{{0.5, -0.1}, {0.3, 0.7}};
  ASSERT_TRUE(project_start(s, x));
  EXPECT_FALSE(Linear::refusal(s, x));
  const OdeMethod<ExplicitRungeKutta, Linear> linear{.scheme = {find_explicit("dop853")}};
  const OdeMethod<ExplicitRungeKutta, Underlying> standard{.scheme = {find_explicit("dop853")}};
  const auto a = after(linear, s, x, 0.05, 40), b = after(standard, s, x, 0.05, 40);
  EXPECT_LT((a.q - b.q).norm() + (a.p - b.p).norm(), 1e-11);
  // Off M ∂p'/∂q is symmetric, as a gradient's is; that of the standard equations is not.
  const auto skewness = [&](auto formulation) {
    using U = Dual<double, 2>;
    const auto lifted = s.cast<U>();
    auto field = make_field(formulation, lifted);
    Vector<U, 2> q{U(0.8), U(-0.4)}, p{U(0.2), U(0.1)}, v, f;
    q[0].tangent[0] = q[1].tangent[1] = 1;
    EXPECT_TRUE(field(lifted, q, p, v, f));
    return std::abs(f[0].tangent[1] - f[1].tangent[0]);
  };
  EXPECT_LT(skewness(Linear{}), 1e-15);
  EXPECT_GT(skewness(Underlying{}), 1e-2);
}

}  // namespace
