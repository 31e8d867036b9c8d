// Linear and angular momentum of particles in the plane or in space, their coordinates stored one particle
// after the other. A symplectic method that commutes with translations and rotations keeps what these leave
// alone.
#pragma once

#include <taut/problem/state.hpp>

namespace taut {

template <int d, class T, int n>
Vector<T, d> linear_momentum(const State<T, n>& x) {
  Vector<T, d> sum = Vector<T, d>::Zero();
  for (Eigen::Index i = 0; i < x.p.size(); i += d) sum += x.p.template segment<d>(i);
  return sum;
}

// Returns Σ r × p about the origin: a vector in space, its one component in the plane.
template <int d, class T, int n>
Vector<T, d == 2 ? 1 : 3> angular_momentum(const State<T, n>& x) {
  static_assert(d == 2 || d == 3);
  Vector<T, d == 2 ? 1 : 3> sum = Vector < T, d == 2 ? 1 : 3 > ::Zero();
  for (Eigen::Index i = 0; i < x.q.size(); i += d) {
    const auto r = x.q.template segment<d>(i), p = x.p.template segment<d>(i);
    if constexpr (d == 2) {
      sum[0] += r[0] * p[1] - r[1] * p[0];
    } else {
      for (int a = 0; a < 3; ++a) sum[a] += r[(a + 1) % 3] * p[(a + 2) % 3] - r[(a + 2) % 3] * p[(a + 1) % 3];
    }
  }
  return sum;
}

}  // namespace taut
