// Dense LU of a matrix whose rows and columns have different units: both are scaled to size 1 first.
#pragma once

#include <taut/scalar/number.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <Eigen/Core>

namespace taut {

template <class B>
class ScaledLU {
 public:
  explicit ScaledLU(int size) : lu_(size), row_(size), column_(size) {}

  auto& a() { return lu_.a; }
  int size() const { return static_cast<int>(row_.size()); }

  // Returns -1, or the number of a column that has no pivot.
  int factor() {
    for (int i = 0; i < size(); ++i) row_[i] = reciprocal_of_largest(lu_.a.row(i));
    lu_.a = row_.asDiagonal() * lu_.a;
    for (int j = 0; j < size(); ++j) column_[j] = reciprocal_of_largest(lu_.a.col(j));
    lu_.a = lu_.a * column_.asDiagonal();
    return lu_.factor();
  }
  template <class Vec>
  void solve(Vec& r) const {
    for (Eigen::Index i = 0; i < r.size(); ++i) r[i] *= row_[i];
    lu_.solve(r);
    for (Eigen::Index i = 0; i < r.size(); ++i) r[i] *= column_[i];
  }

 private:
  template <class Line>
  static B reciprocal_of_largest(const Line& line) {
    B largest(0);
    for (Eigen::Index i = 0; i < line.size(); ++i) largest = larger(largest, magnitude(line[i]));
    return largest > B(0) ? B(1) / largest : B(1);
  }

  PivotedLU<B, Eigen::Dynamic> lu_;
  Eigen::Matrix<B, Eigen::Dynamic, 1> row_, column_;
};

}  // namespace taut
