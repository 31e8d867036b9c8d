// Counts how often the heap is asked for memory. It replaces malloc for the whole program: only one file of
// it may include this.
#pragma once

#include <taut/method/stepper.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

// Eigen calls malloc, and operator new ends there too: the count is taken at the bottom.
namespace taut::test {
inline std::atomic<long> allocations{0};
}

#ifdef __SANITIZE_ADDRESS__
// It is in the sanitizer's library; gcc does not bring the header sanitizer/allocator_interface.h.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++taut::test::allocations; }, [](const volatile void*) {});
}  // namespace
#else
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own names
void* __libc_malloc(std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
// NOLINTEND(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  ++taut::test::allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++taut::test::allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace taut::test {

// Returns the allocations of ten steps after the first, which may fill tables.
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

}  // namespace taut::test
