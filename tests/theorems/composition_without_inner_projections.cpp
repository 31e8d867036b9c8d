// Reich (26)-(27): a composition may leave out the momentum projections between its substeps. Both act along
// Gᵀ at the same q, so the next impulse contains what the projection would have removed: the maps are equal,
// and so are their orders, over any base.

#include <taut/measure/flow.hpp>
#include <taut/measure/order.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/catalogue.hpp"
#include "support/in_full.hpp"

namespace {

using namespace taut;

template <class Method, class P>
StateOf<P> end_of(const Method& method, const P& s, double h, int steps) {
  StateOf<P> x = s.start();
  EXPECT_TRUE(flow(method, s, x, h, steps));
  return x;
}

template <class Base, class P>
void expect_projections_change_nothing(const P& s, double h, int steps, bool alternates = false) {
  for (const CompositionScheme& scheme : composition_schemes) {
    if (scheme.alternates != alternates) continue;
    SCOPED_TRACE(std::string(scheme.name));
    Composition<Base> without{&scheme}, with{&scheme};
    with.inner_projections = true;
    // They are equal in exact arithmetic; rounding over 200 steps of up to 35 substeps measured
    // 6.7e-14 at most.
    EXPECT_LT(phase_distance(end_of(without, s, h, steps), end_of(with, s, h, steps)), 1e-11);
  }
}

TEST(InnerProjections, ChangeNothingOverRattle) {
  expect_projections_change_nothing<Rattle>(DoublePendulum<>{}, 0.05, 200);
}
TEST(InnerProjections, ChangeNothingOverSymplecticEulerAndItsAdjoint) {
  expect_projections_change_nothing<Projected<SymplecticEuler>>(DoublePendulum<>{}, 0.05, 200, true);
}
TEST(InnerProjections, ChangeNothingOverTheMidpointRuleWhereHIsNotSeparable) {
  expect_projections_change_nothing<Projected<ImplicitMidpoint>>(ChargedParticle<>{}, 0.05, 200);
}

// Leaving out the last one too does change something: the momentum leaves M. The test above can thus fail.
TEST(InnerProjections, ButTheLastOneIsNeeded) {
  const DoublePendulum<> s;
  StateOf<DoublePendulum<>> x = s.start();
  const Rattle rattle;
  Rattle::Memory<DoublePendulum<>, StateOf<DoublePendulum<>>> at(s, x);
  for (int n = 0; n < 20; ++n) ASSERT_TRUE(rattle.advance(s, x, at, 0.05));
  EXPECT_LT((x.q - end_of(rattle, s, 0.05, 20).q).norm(), 1e-12);
  EXPECT_GT((x.p - end_of(rattle, s, 0.05, 20).p).norm(), 1e-4);
}

TEST(Verlet, UnderTheProjectionIsRattle) {
  const DoublePendulum<> s;
  EXPECT_LT(phase_distance(end_of(Projected<Verlet>{}, s, 0.05, 1000), end_of(Rattle{}, s, 0.05, 1000)),
            1e-11);  // measured 6e-14
}

template <class P, class Method>
auto end_in(const Method& method, const P& s) {
  using T = typename P::Scalar;
  return [=](int steps) -> Expected<StateOf<P>> {
    StateOf<P> x = s.start();
    if (const auto moved = flow(method, s, x, T(T(1) / 2 / steps), steps); !moved) return moved.error();
    return x;
  };
}

// This runs in 128-bit floats, so that rounding plays no part. Slopes measured: within 0.01 of the order. The
// long form of the test has two schemes more.
TEST(CompositionOrder, IsTheSameOverEveryBase) {
  using P = StiffPendulum<Float128>;
  const P s;
  const auto exact = end_in(Composition<Rattle>{find_composition("kahan-li10")}, s)(400);
  ASSERT_TRUE(exact);
  std::vector<std::string> schemes{"yoshida4", "kahan-li6a"};
  if (test::in_full()) schemes.insert(schemes.end(), {"suzuki4", "kahan-li8a"});
  for (const std::string_view base : {"rattle", "verlet", "midpoint", "mixed-midpoint", "impulse"})
    for (const std::string& scheme : schemes) {
      const std::string name = scheme + "(" + std::string(base) + ")";
      const auto unknown = with_method(name, [&](const auto& method) {
        if constexpr (std::decay_t<decltype(method)>::template fits<P>) {
          const auto found = measured_order(end_in<P>(method, s), std::vector{40, 80, 160}, *exact);
          ASSERT_TRUE(found) << name;
          EXPECT_NEAR(found->last, facts_of(method).order, 0.05) << name;
        } else {
          ADD_FAILURE() << name << " does not fit the problem";
        }
      });
      EXPECT_FALSE(unknown) << unknown->message;
    }
}

TEST(CompositionOrder, IsTheSameWithInnerProjections) {
  using P = StiffPendulum<Float128>;
  const P s;
  const auto exact = end_in(Composition<Rattle>{find_composition("kahan-li10")}, s)(400);
  ASSERT_TRUE(exact);
  Composition<Rattle> with{find_composition("yoshida4")};
  with.inner_projections = true;
  const auto found = measured_order(end_in(with, s), std::vector{40, 80, 160}, *exact);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->last, 4, 0.05);
}

}  // namespace
