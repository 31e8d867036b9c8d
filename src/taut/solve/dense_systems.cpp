#include <taut/solve/decompositions.hpp>
#include <taut/solve/dense_systems.hpp>
#include <taut/solve/dependent_rows.hpp>

namespace taut {

namespace {

Eigen::Map<const Eigen::MatrixXd> matrix(const DenseMatrix& A) {
  return {A.entries.data(), A.rows, A.columns};
}
Eigen::Map<const Eigen::VectorXd> vector(const std::vector<double>& b) {
  return {b.data(), static_cast<Eigen::Index>(b.size())};
}
std::vector<double> numbers(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }

}  // namespace

std::optional<std::vector<double>> least_squares(const DenseMatrix& A, const std::vector<double>& b,
                                                 double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(matrix(A));
  factors.setThreshold(threshold);
  if (factors.rank() < A.columns) return std::nullopt;
  return numbers(factors.solve(vector(b)));
}

std::vector<std::complex<double>> eigenvalues(const DenseMatrix& A) {
  Eigen::EigenSolver<Eigen::MatrixXd> solver;
  solver.compute(matrix(A), false);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

bool is_invertible(const DenseMatrix& A) {
  return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(matrix(A)).isInvertible();
}

std::vector<int> dependent_rows_below_rank(const DenseMatrix& A) {
  RowDependence found = row_dependence(matrix(A));
  return found.rank < A.columns ? std::move(found.dependent) : std::vector<int>{};
}

}  // namespace taut
