// Which constraints depend on each other? Asked when a factorisation of G H_pp Gᵀ found a vanishing pivot, and at the start of a run.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <vector>

namespace taut {

// The constraints that take part in a vanishing combination Σ cᵢ ∇gᵢ = 0 at q, from 0; empty when G has full rank.
template <Hamiltonian P>
std::vector<int> dependent_constraints(const P& s, const StateOf<P>& x) {
  const int m = s.constraints(), n = s.coordinates();
  if (m == 0) return {};
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(m, n);
  typename P::Jacobian G = s.make_jacobian();
  s.G(x.q, G);
  G.for_each([&](int i, int j, const auto& entry) { rows(i, j) += lane(entry, 0); });
  std::vector<int> named;
  if (!rows.allFinite()) return named;
  const double largest = rows.rowwise().norm().maxCoeff();
  for (int i = 0; i < m; ++i) {  // to unit length: units of the constraints must not decide
    const double length = rows.row(i).norm();
    if (length > 1e-14 * largest)
      rows.row(i) /= length;
    else
      named.push_back(i);  // no gradient at all
  }
  if (!named.empty()) return named;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(rows * rows.transpose());
  // Rounding leaves eigenvalues of order m ε for a truly dependent set; below 1e-12 the rows are dependent to 1e-6.
  for (int k = 0; k < m && spectrum.eigenvalues()[k] < 1e-12; ++k)
    for (int i = 0; i < m; ++i)
      if (std::abs(spectrum.eigenvectors()(i, k)) > 1e-6) named.push_back(i);
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

}  // namespace taut
