// Dense LU for the linear systems inside implicit maps. It is factored in a scalar without tangents and
// applied to right-hand sides that may have them. Rows are exchanged if numbers can be compared; the lanes of
// a pack cannot.
#pragma once

#include <taut/solve/elimination.hpp>

#include <Eigen/Core>

#include <utility>

namespace taut {

template <class T, int n>
class PivotedLU {
 public:
  explicit PivotedLU(int size)
      : a(Eigen::Matrix<T, n, n>::Zero(size, size)), order_(Eigen::Matrix<int, n, 1>::Zero(size)) {}

  Eigen::Matrix<T, n, n> a;  // the matrix; after factor() its factors, inverse pivots on the diagonal

  // Returns -1, or the column that has no pivot.
  int factor() {
    Real<T> largest(0);
    for (Eigen::Index i = 0; i < a.size(); ++i) largest = larger(largest, magnitude(a.data()[i]));
    for (int k = 0; k < size(); ++k) {
      exchange(k);
      a(k, k) = T(1) / a(k, k);
      if (any(pivot_vanished(a(k, k), T(largest)))) return k;
      for (int i = k + 1; i < size(); ++i) {
        a(i, k) *= a(k, k);
        for (int j = k + 1; j < size(); ++j) a(i, j) -= a(i, k) * a(k, j);
      }
    }
    return -1;
  }

  template <class Vec>
  void solve(Vec& b) const {
    for (int k = 0; k < size(); ++k) std::swap(b[k], b[order_[k]]);
    for (int i = 0; i < size(); ++i)
      for (int j = 0; j < i; ++j) b[i] -= a(i, j) * b[j];
    for (int i = size() - 1; i >= 0; --i) {
      for (int j = i + 1; j < size(); ++j) b[i] -= a(i, j) * b[j];
      b[i] *= a(i, i);
    }
  }

 private:
  int size() const { return static_cast<int>(a.rows()); }

  void exchange(int k) {
    order_[k] = k;
    if constexpr (ScalarTraits<T>::lanes == 1) {
      for (int i = k + 1; i < size(); ++i)
        if (magnitude(a(i, k)) > magnitude(a(order_[k], k))) order_[k] = i;
      if (order_[k] != k) a.row(k).swap(a.row(order_[k]));
    }
  }

  Eigen::Matrix<int, n, 1> order_;  // the row exchanged with row k
};

}  // namespace taut
