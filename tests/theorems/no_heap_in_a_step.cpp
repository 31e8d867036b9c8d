// A step of a fixed-size problem does not touch the heap. Every allocation of this program is counted.

#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <memory>

#include "support/allocations.hpp"
#include "support/catalogue.hpp"

namespace {

using namespace taut;

using test::allocations;
using test::allocations_of;

template <class P>
void expect_no_heap(const P& s, double h) {
  test::for_each_fitting_method<P>([&](const auto& method) {
    if (facts_of(method).name == "bdf") return;  // a multistep baseline: it keeps its past in a growing list
    EXPECT_EQ(allocations_of(method, s, s.start(), h), 0);
  });
}

TEST(NoHeapInAStep, Pendulum) { expect_no_heap(PlanarPendulum<>{}, 0.05); }
TEST(NoHeapInAStep, StiffPendulum) { expect_no_heap(StiffPendulum<>{}, 0.01); }

TEST(NoHeapInAStep, CompensatedSixNodeChain) {
  const SixNodeChain<> s;
  const CompensatedState<double, 12> x(s.start());
  EXPECT_EQ(allocations_of(Rattle{}, s, x, 0.01), 0);
  EXPECT_EQ(allocations_of(Shake{}, s, x, 0.01), 0);
  EXPECT_EQ(allocations_of(Composition<Rattle>{find_composition("yoshida4")}, s, x, 0.01), 0);
}

// A dynamic-size problem works in buffers that outlive the step.
TEST(NoHeapInAStep, DynamicSixNodeChain) {
  const SixNodeChainDynamic<> s;
  EXPECT_EQ(allocations_of(Rattle{}, s, s.start(), 0.01), 0);
  EXPECT_EQ(allocations_of(Shake{}, s, s.start(), 0.01), 0);
  EXPECT_EQ(allocations_of(Projected<Verlet>{}, s, s.start(), 0.01), 0);
  EXPECT_EQ(allocations_of(Composition<Rattle>{find_composition("yoshida4")}, s, s.start(), 0.01), 0);
}

// Trajectories side by side do so, too.
TEST(NoHeapInAStep, DynamicSixNodeChainsInLanes) {
  const SixNodeChainDynamic<Pack<4>> s;
  const CompensatedState<Pack<4>, dynamic> x(s.start());
  EXPECT_EQ(allocations_of(Rattle{}, s, x, 0.01), 0);
  EXPECT_EQ(allocations_of(Composition<Rattle>{find_composition("yoshida4")}, s, x, 0.01), 0);
}

// The counter counts every request, whoever makes it.
TEST(NoHeapInAStep, AndTheCounterSeesTheHeap) {
  long before = allocations;
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(5);
  EXPECT_EQ(allocations - before, 1);
  before = allocations;
  const auto p = std::make_unique<int>(static_cast<int>(v.size()));
  EXPECT_EQ(allocations - before, 1);
  EXPECT_EQ(*p, 5);
}

}  // namespace
