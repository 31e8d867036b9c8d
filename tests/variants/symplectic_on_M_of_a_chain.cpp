// theorems/symplectic_on_M.cpp on a larger problem: five coupled constraints, fourteen dimensions of M.

#include <taut/measure/symplectic_defect.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

#include <gtest/gtest.h>

#include "support/catalogue.hpp"

namespace {

using namespace taut;

TEST(SymplecticOnM, EveryRowOnTheSixNodeChain) {
  const SixNodeChain<> s;
  test::for_each_fitting_method<SixNodeChain<>>([&](const auto& method) {
    if constexpr (test::never_symplectic<std::decay_t<decltype(method)>>) {
      EXPECT_FALSE(facts_of(method).symplectic);
    } else {
      if (!facts_of(method).symplectic) return;
      for (const double h : {0.01, 0.05}) {
        const auto defect = symplectic_defect(method, s, s.start(), h, 20);
        ASSERT_TRUE(defect) << "h = " << h << ", residual " << defect.error().residual;
        EXPECT_LT(*defect, 1e-12) << "h = " << h;  // the worst row reaches 1.3e-14
      }
    }
  });
}

// The measure sees what it should: rattle, stopped early.
TEST(SymplecticOnM, ButNotTheSixNodeChainWithNewtonStoppedEarly) {
  const SixNodeChain<> s;
  const auto defect = symplectic_defect(Rattle{}, s, s.start(), 0.05, 20, {.tolerance = 1e-2});
  ASSERT_TRUE(defect);
  EXPECT_GT(*defect, 1e-6) << *defect;
}

}  // namespace
