// Dual numbers along the axes of phase space. Gradients by q and p are taken with them, a few directions at a
// time.
#pragma once

#include <taut/scalar/dual.hpp>

namespace taut {

// Makes q1 and p1 from q and p with one tangent for each of the axes from, from + 1, … of (q, p).
template <class Vec, class DualVec>
void seed_axes(const Vec& q, const Vec& p, int from, DualVec& q1, DualVec& p1) {
  using Along = typename DualVec::Scalar;
  using T = typename Vec::Scalar;
  constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Along::tangent)>);
  const int n = static_cast<int>(q.size());
  for (int i = 0; i < n; ++i) {
    q1[i] = Along(q[i]);
    p1[i] = Along(p[i]);
    if (i >= from && i < from + width) q1[i].tangent[static_cast<std::size_t>(i - from)] = T(1);
    if (n + i >= from && n + i < from + width) p1[i].tangent[static_cast<std::size_t>(n + i - from)] = T(1);
  }
}

}  // namespace taut
