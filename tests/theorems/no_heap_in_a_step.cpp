// A step of a fixed-size problem does not touch the heap. Every allocation of this program is counted.

#include <taut/problem/double_pendulum.hpp>
#include <taut/problem/pendulum.hpp>
#include <taut/problem/six_node_chain.hpp>
#include <taut/problem/six_node_chain_dynamic.hpp>
#include <taut/problem/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "support/catalogue.hpp"

// Eigen calls malloc, operator new ends there too: the count is taken at the bottom.
namespace {
std::atomic<long> allocations{0};
}

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/allocator_interface.h>
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});
}  // namespace
#else
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own names
void* __libc_malloc(std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
// NOLINTEND(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace {

using namespace taut;

// Allocations of ten steps after the first, which may fill tables.
template <class Method, class P, class X>
long allocations_of(const Method& method, const P& s, X x, double h) {
  const auto stepper = bind(method, s, x);
  EXPECT_TRUE(stepper->step(x, h));
  const long before = allocations;
  bool ok = true;
  for (int n = 0; n < 10; ++n) ok = static_cast<bool>(stepper->step(x, h)) && ok;
  const long after = allocations;
  EXPECT_TRUE(ok);
  return after - before;
}

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

// The counter counts, whoever asks.
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
