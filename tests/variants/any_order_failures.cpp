// theorems/any_order_failures.cpp: what results do not depend on, on more problems, states and digits.

#include <taut/measure/distance.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>

#include <gtest/gtest.h>

#include "support/steppers.hpp"

namespace {

using namespace taut;

template <class P, class A, class B>
double difference(const P& s, const A& a, const B& b, double h, int steps) {
  auto x = s.start(), y = x;
  const auto first = bind(a, s, x), second = bind(b, s, y);
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(first->step(x, h));
    EXPECT_TRUE(second->step(y, h));
    worst = std::max(worst, phase_distance(x, y));
  }
  return worst;
}

TEST(TheResult, DoesNotDependOnWhereMoreStagesAreKnown) {
  EXPECT_LT(difference(DoublePendulum<>{}, Lobatto<>{.s = 5}, Lobatto<5>{}, 0.05, 200), 1e-13);
  EXPECT_LT(difference(ChargedParticle<>{}, Lobatto<>{.s = 4}, Lobatto<4>{}, 0.1, 200), 1e-13);
}

// The simplified iteration converges to what Newton's would: in 128-bit floats the same step leaves only the
// rounding of double.
TEST(TheResult, IsThatOfTheSameStepsInMoreDigits) {
  const DoublePendulum<> s;
  const auto exact = s.cast<Float128>();
  auto x = s.start();
  StateOf<DoublePendulum<Float128>> y{x.q.cast<Float128>(), x.p.cast<Float128>()};
  const double h = 0.0625;
  const auto stepper = bind(Lobatto<>{.s = 4}, s, x);
  const auto other = bind(Lobatto<>{.s = 4}, exact, y);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(stepper->step(x, h) && other->step(y, h));
  EXPECT_LT((y.q.cast<double>() - x.q).norm() + (y.p.cast<double>() - x.p).norm(), 1e-13);
}

TEST(TheResult, OfACompensatedStateIsTheSameToRoundingInEveryFamily) {
  const auto compare = [](const auto& method, const auto& s) {
    using P = std::decay_t<decltype(s)>;
    auto x = s.start();
    CompensatedState<double, P::n> y(x);
    const auto plain = bind(method, s, x);
    const auto compensated = bind(method, s, y);
    for (int k = 0; k < 200; ++k) ASSERT_TRUE(plain->step(x, 0.0625) && compensated->step(y, 0.0625));
    EXPECT_LT((x.q - y.q).norm() + (x.p - y.p).norm(), 1e-12) << label(facts_of(method));
  };
  compare(Lobatto<>{.s = 5}, PlanarPendulum<>{});
  compare(Projected<DiracGauss>{}, PlanarPendulum<>{});
  compare(test::RadauProjected{}, PlanarPendulum<>{});
  compare(Bdf{.k = 2}, PlanarPendulum<>{});
}

}  // namespace
