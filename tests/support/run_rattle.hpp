#pragma once

// RATTLE from a problem's start, for tests that compare with known solutions.

#include <taut/method/rattle.hpp>

#include <gtest/gtest.h>

namespace taut::test {

// Makes n steps of length h from x; `watch(k, x)` sees the state after step k = 1, …, n.
template <class P, class Watch>
StateOf<P> run_rattle(const P& s, StateOf<P> x, typename P::Scalar h, int n, Watch watch) {
  const Rattle rattle;
  Rattle::Memory<P, StateOf<P>> memory(s, x);
  for (int k = 1; k <= n; ++k) {
    const auto solved = rattle.step(s, x, memory, h);
    if (!solved) {
      ADD_FAILURE() << "step " << k << " failed, residual " << solved.error().residual;
      return x;
    }
    watch(k, x);
  }
  return x;
}

template <class P>
StateOf<P> run_rattle(const P& s, const StateOf<P>& x, typename P::Scalar h, int n) {
  return run_rattle(s, x, h, n, [](int, const auto&) {});
}

}  // namespace taut::test
