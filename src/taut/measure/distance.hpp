// Measures how far two points of phase space are apart.
#pragma once

#include <taut/problem/state.hpp>

namespace taut {

// Returns the Euclidean distance in q and p together, as a double. Differences far below the precision of
// double come out right too.
template <class T, int n>
double phase_distance(const State<T, n>& x, const State<T, n>& y) {
  const Vector<T, n> dq = x.q - y.q, dp = x.p - y.p;
  return lane(sqrt(dq.dot(dq) + dp.dot(dp)), 0);
}

}  // namespace taut
