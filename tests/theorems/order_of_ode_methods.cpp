// Every ordinary method on every formulation tends to the same trajectory as h → 0, with the order of the
// method. The reference is the angle of the pendulum, integrated by itself.

#include <taut/measure/growth.hpp>
#include <taut/mechanism/any_formulation.hpp>
#include <taut/method/ordinary/ode_catalogue.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/angle.hpp"

namespace {

using namespace taut;

using T = long double;
using P = PlanarPendulum<T>;
const T end = 1;

StateOf<P> start() {
  const T a = 0.7L, w = 1.3L;
  return {{std::sin(a), -std::cos(a)}, {w * std::cos(a), w * std::sin(a)}};
}

template <class Method>
StateOf<P> after(const Method& method, int steps) {
  const P s;
  StateOf<P> x = start();
  auto memory = make_memory(method, s, x);
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(method.step(s, x, memory, end / steps)) << "step " << i;
  return x;
}

const StateOf<P>& reference() {
  static const StateOf<P> x = after(OdeMethod<OdeGauss, StateSpace<test::Angle>>{.scheme = {.s = 6}}, 40);
  return x;
}

double error(const StateOf<P>& x) {
  return static_cast<double>((x.q - reference().q).norm() + (x.p - reference().p).norm());
}

template <class Formulation>
void expect_orders(const Formulation& formulation = {}) {
  for_each_ode_scheme([&](const auto& scheme) {
    using Scheme = std::decay_t<decltype(scheme)>;
    const OdeMethod<Scheme, Formulation> method{.scheme = scheme, .formulation = formulation};
    const int order = method.facts().order;
    SCOPED_TRACE(label(method.facts()));
    if (order > 6 && scheme.facts().name == "gauss") return;  // rounding is met before the slope
    const int coarse = order >= 8 ? 10 : order == 6 ? 16 : order == 5 ? 128 : 64;
    const double a = error(after(method, coarse)), b = error(after(method, 2 * coarse));
    EXPECT_NEAR(std::log2(a / b), order, order >= 8 ? 0.5 : 0.2) << a << " " << b;
  });
}

TEST(OrderOfOdeMethods, Underlying) { expect_orders<Underlying>(); }
TEST(OrderOfOdeMethods, Dirac) { expect_orders<Dirac>(); }
TEST(OrderOfOdeMethods, DiracSimplified) { expect_orders<DiracSimplified>(); }
TEST(OrderOfOdeMethods, DiracWeak) { expect_orders<DiracWeak>(); }
TEST(OrderOfOdeMethods, HamiltonDirac) { expect_orders<HamiltonDirac>(); }
TEST(OrderOfOdeMethods, Baumgarte) { expect_orders<Baumgarte>(); }
TEST(OrderOfOdeMethods, ImpetusStriction) { expect_orders<ImpetusStriction>(); }
TEST(OrderOfOdeMethods, Charts) { expect_orders<Charts>(); }
TEST(OrderOfOdeMethods, AParametrisation) { expect_orders<StateSpace<test::Angle>>(); }

// The embedded estimates have their own order: the error of one step of the lower method.
TEST(OrderOfOdeMethods, ErrorEstimates) {
  const P s;
  const auto estimate = [&](const char* name, T h) {
    const OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit(name)}};
    StateOf<P> x = start();
    auto memory = make_memory(method, s, x);
    EXPECT_TRUE(method.step(s, x, memory, h));
    return memory.inner.estimate();
  };
  EXPECT_NEAR(std::log2(estimate("dopri5", 0.02L) / estimate("dopri5", 0.01L)), 5, 0.2);
  EXPECT_NEAR(std::log2(estimate("dop853", 0.1L) / estimate("dop853", 0.05L)), 8, 0.3);
  EXPECT_EQ(estimate("rk4", 0.1L), 0);
}

}  // namespace
