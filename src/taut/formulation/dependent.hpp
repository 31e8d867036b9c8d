// Asks which constraints depend on each other, and how nearly. This is asked when a factorisation of G H_pp
// Gᵀ found a vanishing pivot, and at the start of a run.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>
#include <vector>

namespace taut {

// Returns the rows that are 0 but for rounding, as those of squares that vanish.
inline std::vector<int> rows_of_zero(const Eigen::MatrixXd& rows) {
  std::vector<int> named;
  if (rows.size() == 0 || !rows.allFinite()) return named;
  const double largest = rows.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    if (!(rows.row(i).cwiseAbs().maxCoeff() > 1e-12 * largest)) named.push_back(static_cast<int>(i));
  return named;
}

// Returns the rows that take part in a vanishing combination Σ cᵢ ∇gᵢ = 0; none if they have full rank.
inline std::vector<int> dependent_rows(Eigen::MatrixXd rows) {
  const int m = static_cast<int>(rows.rows());
  std::vector<int> named;
  if (!rows.allFinite()) return named;
  const double largest = rows.cwiseAbs().maxCoeff();
  // Rows are scaled to unit length: the units of the constraints must not decide. Each is first divided by
  // its largest entry, whose square may be too large for a number.
  for (int i = 0; i < m; ++i) {
    const double entry = rows.row(i).cwiseAbs().maxCoeff();
    if (entry > 1e-14 * largest)
      rows.row(i) = (rows.row(i) / entry).normalized();
    else
      named.push_back(i);  // no gradient at all
  }
  if (!named.empty()) return named;
  const Eigen::MatrixXd gram = rows * rows.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(gram);
  // Rounding leaves eigenvalues of order m ε for a truly dependent set; below 1e-12 the rows are dependent to
  // 1e-6.
  for (int k = 0; k < m && spectrum.eigenvalues()[k] < 1e-12; ++k)
    for (int i = 0; i < m; ++i)
      if (std::abs(spectrum.eigenvectors()(i, k)) > 1e-6) named.push_back(i);
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

// A connected set of constraints larger than this is not analysed by its eigenvalues; only one constraint of
// it is named.
inline constexpr int largest_analysed_component = 2000;

// For a large and sparse G: the factorisation finds a component that has a dependent constraint, and only
// that component is analysed.
template <Hamiltonian P>
  requires(has_groups<typename P::Jacobian> && has_diagonal_mass<P>)
std::vector<int> dependent_in_component(const P& s, const StateOf<P>& x, const typename P::Jacobian& G) {
  ConstraintMatrix<P> matrix(s);
  matrix.right(s, x.q, x.p, G, typename P::Scalar(1));
  matrix.assemble(G);
  const int first = matrix.factor();
  if (first < 0) return {};
  const std::vector<int> component = matrix.component_with(first);
  if (static_cast<int>(component.size()) > largest_analysed_component) return {first};
  std::vector<int> row(s.constraints(), -1), column(s.coordinates(), -1);
  for (std::size_t k = 0; k < component.size(); ++k) row[component[k]] = static_cast<int>(k);
  int columns = 0;
  G.for_each([&](int i, int j, const auto&) {
    if (row[i] >= 0 && column[j] < 0) column[j] = columns++;
  });
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(component.size()), columns);
  G.for_each([&](int i, int j, const auto& entry) {
    if (row[i] >= 0) rows(row[i], column[j]) += lane(entry, 0);
  });
  std::vector<int> named = dependent_rows(std::move(rows));
  for (int& k : named) k = component[k];
  if (named.empty()) named.push_back(first);
  return named;
}

// Returns G as a dense matrix with ∇gᵢ in row i.
template <Hamiltonian P>
Eigen::MatrixXd dense_rows(const P& s, const typename P::Jacobian& G) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(s.constraints(), s.coordinates());
  G.for_each([&](int i, int j, const auto& entry) { rows(i, j) += lane(entry, 0); });
  return rows;
}

// Returns the condition number of the Gram matrix of the gradients at x, each scaled to unit length; infinite
// if they depend on each other. If that is meant, it is that of the ones that do not. It is meant for few
// constraints, because it takes the work of a dense matrix.
template <Hamiltonian P>
double condition_of_gradients(const P& s, const StateOf<P>& x, bool redundant = false) {
  typename P::Jacobian G = s.make_jacobian();
  s.G(x.q, G);
  const Eigen::MatrixXd dense = dense_rows(s, G);
  Eigen::MatrixXd rows = dense.rowwise().normalized();
  if (redundant)
    for (const int i : rows_of_zero(dense)) rows.row(i).setZero();
  if (!rows.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd spectrum =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(rows * rows.transpose(), Eigen::EigenvaluesOnly)
          .eigenvalues();
  Eigen::Index least = 0;
  while (redundant && least + 1 < spectrum.size() && spectrum[least] < 1e-9) ++least;
  return spectrum.maxCoeff() / std::max(spectrum[least], 0.0);
}

// Returns the constraints, from 0, that take part in a vanishing combination of gradients at q; none if G has
// full rank.
template <Hamiltonian P>
std::vector<int> dependent_constraints(const P& s, const StateOf<P>& x) {
  if (s.constraints() == 0) return {};
  typename P::Jacobian G = s.make_jacobian();
  s.G(x.q, G);
  if constexpr (has_groups<typename P::Jacobian> && has_diagonal_mass<P>) {
    return dependent_in_component(s, x, G);
  } else {
    return dependent_rows(dense_rows(s, G));
  }
}

}  // namespace taut
