// Finds vectors tangent to the manifold on which a method lives: the kernel of the derivative of its defining
// equations, by dual numbers.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/scalar/dual.hpp>

#include <Eigen/QR>

namespace taut {

// Returns the derivative of what the method keeps by (q, p), one column per coordinate: that of g, unless
// only G H_p = 0 is kept, and below it that of G H_p.
template <Hamiltonian P>
  requires Castable<P>
Eigen::MatrixXd constraint_derivative(const P& s, const StateOf<P>& x, Keeps keeps) {
  using Tangent = Dual<double, 1>;
  const auto along = s.template cast<Tangent>();
  const int n = s.coordinates(), m = s.constraints();
  const int of_g = keeps == Keeps::momentum ? 0 : m, of_f = keeps_momentum(keeps) ? m : 0;
  auto q = zero_vector(along), p = q, velocity = q;
  for (int i = 0; i < n; ++i) {
    q[i] = Tangent(lane(x.q[i], 0));
    p[i] = Tangent(lane(x.p[i], 0));
  }
  auto G = along.make_jacobian();
  auto g = zero_multiplier(along), f = g;
  Eigen::MatrixXd derivative(of_g + of_f, 2 * n);
  for (int j = 0; j < 2 * n; ++j) {
    Tangent& seed = j < n ? q[j] : p[j - n];
    seed.tangent[0] = 1;
    along.g(q, g);
    along.G(q, G);
    H_p(along, q, p, velocity);
    G.times(velocity, f);
    seed.tangent[0] = 0;
    for (int i = 0; i < of_g; ++i) derivative(i, j) = g[i].tangent[0];
    for (int i = 0; i < of_f; ++i) derivative(of_g + i, j) = f[i].tangent[0];
  }
  return derivative;
}

// Returns an orthonormal basis, one column (dq, dp) each: 2(n - m) of them on M, 2n - m on {g = 0} or
// on {G H_p = 0}.
template <Hamiltonian P>
  requires Castable<P>
Eigen::MatrixXd tangent_basis(const P& s, const StateOf<P>& x, Keeps keeps) {
  const Eigen::MatrixXd derivative = constraint_derivative(s, x, keeps);
  const Eigen::HouseholderQR<Eigen::MatrixXd> factor(derivative.transpose());
  const Eigen::MatrixXd q = factor.householderQ();
  return q.rightCols(derivative.cols() - derivative.rows());
}

}  // namespace taut
