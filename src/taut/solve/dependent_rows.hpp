// Finds the rows of a matrix that depend on each other.
#pragma once

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <utility>
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

struct RowDependence {
  int rank = 0;
  std::vector<int> dependent;  // the rows that take part in a vanishing combination
};

// Rows are scaled to unit length: the units of the constraints must not decide. If an entry is not finite, no
// row is called dependent.
inline RowDependence row_dependence(Eigen::MatrixXd rows) {
  const int m = static_cast<int>(rows.rows());
  RowDependence found{m, {}};
  std::vector<int>& named = found.dependent;
  if (m == 0 || !rows.allFinite()) return found;
  const double largest = rows.cwiseAbs().maxCoeff();
  // Each row is first divided by its largest entry, whose square may be too large for a number.
  for (int i = 0; i < m; ++i) {
    const double entry = rows.row(i).cwiseAbs().maxCoeff();
    if (entry > 1e-14 * largest)
      rows.row(i) = (rows.row(i) / entry).normalized();
    else
      named.push_back(i);  // no gradient at all
  }
  if (!named.empty()) {
    found.rank -= static_cast<int>(named.size());
    return found;
  }
  const Eigen::MatrixXd gram = rows * rows.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(gram);
  // Rounding leaves eigenvalues of order m ε for a truly dependent set; below 1e-12 the rows are dependent to
  // 1e-6.
  for (int k = 0; k < m && spectrum.eigenvalues()[k] < 1e-12; ++k) {
    --found.rank;
    for (int i = 0; i < m; ++i)
      if (std::abs(spectrum.eigenvectors()(i, k)) > 1e-6) named.push_back(i);
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return found;
}

}  // namespace taut
