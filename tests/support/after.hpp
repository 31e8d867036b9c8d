#pragma once

#include <taut/method/memory.hpp>

#include <gtest/gtest.h>

namespace taut::test {

// Returns x after so many steps of length h.
template <class Method, class P, class X>
X after(const Method& method, const P& s, X x, double h, int steps) {
  auto memory = make_memory(method, s, x);
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(method.step(s, x, memory, typename P::Scalar(h)));
  return x;
}

}  // namespace taut::test
