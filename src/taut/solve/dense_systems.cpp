#include <taut/solve/decompositions.hpp>
#include <taut/solve/dense_systems.hpp>

#include <Eigen/LU>

template class Eigen::JacobiSVD<Eigen::MatrixXd>;
template class Eigen::HouseholderQR<Eigen::MatrixXd>;
template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

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

std::vector<double> solved(const DenseMatrix& A, const std::vector<double>& b) {
  return numbers(Eigen::FullPivLU<Eigen::MatrixXd>(matrix(A)).solve(vector(b)));
}

bool is_invertible(const DenseMatrix& A) {
  return Eigen::FullPivLU<Eigen::MatrixXd>(matrix(A)).isInvertible();
}

}  // namespace taut
