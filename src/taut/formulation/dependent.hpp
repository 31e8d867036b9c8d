// Asks which constraints depend on each other, and how nearly. This is asked when a factorisation of G H_pp
// Gᵀ found a vanishing pivot, and at the start of a run.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/solve/dependent_rows.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>
#include <vector>

namespace taut {

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
  std::vector<int> named = row_dependence(std::move(rows)).dependent;
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
    return row_dependence(dense_rows(s, G)).dependent;
  }
}

}  // namespace taut
