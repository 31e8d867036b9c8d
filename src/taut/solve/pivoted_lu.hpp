// Dense LU for the linear systems inside implicit maps. It is factored in a scalar without tangents and
// applied to right-hand sides that may have them. Each lane of a pack exchanges rows of its own.
#pragma once

#include <taut/solve/elimination.hpp>

#include <Eigen/Core>

#include <utility>

namespace taut {

template <class T, int n>
class PivotedLU {
 public:
  explicit PivotedLU(int size)
      : a(Eigen::Matrix<T, n, n>::Zero(size, size)), order_(decltype(order_)::Zero(size)) {}

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
    for (int k = 0; k < size(); ++k) exchange_in(b, k);
    for (int i = 0; i < size(); ++i)
      for (int j = 0; j < i; ++j) b[i] -= a(i, j) * b[j];
    for (int i = size() - 1; i >= 0; --i) {
      for (int j = i + 1; j < size(); ++j) b[i] -= a(i, j) * b[j];
      b[i] *= a(i, i);
    }
  }

 private:
  int size() const { return static_cast<int>(a.rows()); }

  static constexpr bool is_pack = ScalarTraits<T>::lanes > 1;

  // Brings the largest entry of column k to the diagonal. Each lane exchanges its own rows, so that it is
  // factored as if it were alone.
  void exchange(int k) {
    if constexpr (is_pack) {
      Real<T> most = magnitude(a(k, k));
      order_[k] = Real<T>(k);
      for (int i = k + 1; i < size(); ++i) {
        const Mask<T> more = magnitude(a(i, k)) > most;
        most = select(more, Real<T>(magnitude(a(i, k))), most);
        order_[k] = select(more, Real<T>(i), order_[k]);
      }
      for (int j = 0; j < size(); ++j) {
        auto column = a.col(j);
        exchange_in(column, k);
      }
    } else {
      order_[k] = k;
      for (int i = k + 1; i < size(); ++i)
        if (magnitude(a(i, k)) > magnitude(a(order_[k], k))) order_[k] = i;
      if (order_[k] != k) a.row(k).swap(a.row(order_[k]));
    }
  }
  template <class Vec>
  void exchange_in(Vec& b, int k) const {
    if constexpr (is_pack) {
      using U = std::remove_cvref_t<decltype(b[k])>;
      for (int i = k + 1; i < size(); ++i) {
        const Mask<T> here = order_[k] > Real<T>(i - 0.5) && order_[k] < Real<T>(i + 0.5);
        const U at_k = b[k];
        b[k] = select(here, U(b[i]), at_k);
        b[i] = select(here, at_k, U(b[i]));
      }
    } else {
      std::swap(b[k], b[order_[k]]);
    }
  }

  Eigen::Matrix<std::conditional_t<is_pack, Real<T>, int>, n, 1> order_;  // the row exchanged with row k
};

}  // namespace taut
