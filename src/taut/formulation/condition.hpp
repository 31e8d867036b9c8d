// Asks how nearly the constraints connected to this one depend on each other. This is asked when a solve
// failed: the condition number of their part of G W Gᵀ, each constraint scaled to unit length, by power
// iterations with the matrix and with its factor.
#pragma once

#include <taut/formulation/sparse_constraint_matrix.hpp>
#include <taut/solve/failure.hpp>

#include <cmath>
#include <limits>

namespace taut {

template <Natural P>
  requires(has_groups<typename P::Jacobian>)
Connection connection_of(const P& s, const StateOf<P>& x, int constraint) {
  using Row = typename P::Multiplier;
  typename P::Jacobian G = s.make_jacobian();
  s.G(x.q, G);
  ConstraintMatrix<P> matrix(s);
  matrix.right(s, x.q, x.p, G, 1.0);
  matrix.assemble(G);
  const std::vector<int> component = matrix.component_with(constraint);
  const int count = static_cast<int>(component.size());
  if (matrix.factor() >= 0) return {count, std::numeric_limits<double>::infinity()};

  Row scale = zero_multiplier(s), v = scale, work = scale;  // scale: K(i, i) to the power -1/2
  G.for_each([&](int i, int j, double entry) { scale[i] += s.W().weight(j) * entry * entry; });
  scale = scale.cwiseSqrt().cwiseInverse();
  typename P::Vec impulse = zero_vector(s), velocity = impulse;
  const auto largest_eigenvalue = [&](auto&& apply) {
    // This many give two digits and more, unless the largest eigenvalues lie close together; then any of them
    // will do.
    constexpr int iterations = 30;
    double size = 0;
    v.setZero();
    for (int k = 0; k < count; ++k) v[component[k]] = std::cos(1.0 + 2.3 * k);
    for (int k = 0; k < iterations; ++k) {
      v.normalize();
      apply(v);
      size = v.norm();
    }
    return size;
  };
  const double most = largest_eigenvalue([&](Row& y) {
    work = -y.cwiseProduct(scale);
    impulse.setZero();
    G.subtract_transpose(work, impulse);
    s.W().times(impulse, velocity);
    G.times(velocity, y);
    y.array() *= scale.array();
  });
  const double least = largest_eigenvalue([&](Row& y) {
    y.array() /= scale.array();
    matrix.solve(y);
    y.array() /= scale.array();
  });
  return {count, most * least};
}

}  // namespace taut
