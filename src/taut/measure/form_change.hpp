// Compares dq ∧ dp of pairs of tangent vectors before and after a map.
#pragma once

#include <Eigen/Core>

#include <algorithm>

namespace taut {

inline double symplectic_form(const Eigen::VectorXd& xi, const Eigen::VectorXd& eta) {
  const Eigen::Index n = xi.size() / 2;
  return xi.head(n).dot(eta.tail(n)) - xi.tail(n).dot(eta.head(n));
}

// Returns max |ω(Φ'ξ, Φ'η) - ω(ξ, η)| / max(|ξ||η|, |Φ'ξ||Φ'η|) over the pairs of columns.
//
// The denominator is the size of the products that ω sums. Rounding in Φ' is relative to the vectors as they
// have grown, so a measure relative to the start alone would report the instability of the motion as a
// defect. One relative to ω itself would divide by zero if two vectors are ω-orthogonal.
inline double form_change(const Eigen::MatrixXd& before, const Eigen::MatrixXd& after) {
  double largest = 0;
  for (Eigen::Index i = 0; i < before.cols(); ++i)
    for (Eigen::Index j = i + 1; j < before.cols(); ++j) {
      const double change =
          symplectic_form(after.col(i), after.col(j)) - symplectic_form(before.col(i), before.col(j));
      const double scale =
          std::max(before.col(i).norm() * before.col(j).norm(), after.col(i).norm() * after.col(j).norm());
      largest = std::max(largest, std::abs(change) / scale);
    }
  return largest;
}

}  // namespace taut
