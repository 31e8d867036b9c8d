// A mass matrix with few entries, such as that of bars whose mass lies along them. Its inverse is full, so
// that W is applied by substitution with M = L D Lᵀ, in an order in which the envelope of M is narrow.
#pragma once

#include <taut/problem/state.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace taut {

template <class T>
class SparseMass {
 public:
  using Vec = Vector<T, dynamic>;
  struct Entry {
    int row, column;
    T value;
  };

  // `entries` lists all entries of M that are not zero, on both sides of the diagonal. Coordinate order[k]
  // is the k-th to be eliminated. M must be positive definite.
  SparseMass(std::vector<int> order, std::vector<Entry> entries)
      : order_(std::move(order)), entries_(std::move(entries)), first_(order_.size()), row_(order_.size()) {
    const int n = static_cast<int>(order_.size());
    std::vector<int> place(order_.size());
    for (int k = 0; k < n; ++k) place[order_[k]] = first_[k] = k;
    for (const Entry& e : entries_) first_[place[e.row]] = std::min(first_[place[e.row]], place[e.column]);
    int size = 0;
    for (int i = 0; i < n; ++i) {
      row_[i] = size - first_[i];
      size += i - first_[i] + 1;
    }
    factor_.assign(size, T(0));
    for (const Entry& e : entries_)
      if (place[e.column] <= place[e.row]) factor_[row_[place[e.row]] + place[e.column]] = e.value;
    work_ = Vec::Zero(n);
    factor();
  }

  const std::vector<Entry>& entries() const { return entries_; }

  void times(const Vec& p, Vec& v) const {
    substitute(p, T(1));
    for (int k = 0; k < size(); ++k) v[order_[k]] = work_[k];
  }
  void times(const T& h, const Vec& p, Vec& d) const {
    substitute(p, h);
    for (int k = 0; k < size(); ++k) d[order_[k]] = work_[k];
  }
  void mass_times(const Vec& v, Vec& p) const {
    p.setZero();
    for (const Entry& e : entries_) p[e.row] += e.value * v[e.column];
  }

 private:
  int size() const { return static_cast<int>(order_.size()); }

  // Forms L and, on its diagonal, D⁻¹.
  void factor() {
    for (int i = 0; i < size(); ++i) {
      T* const l_i = factor_.data() + row_[i];
      for (int j = first_[i]; j < i; ++j) {
        const T* const l_j = factor_.data() + row_[j];
        for (int k = std::max(first_[i], first_[j]); k < j; ++k) l_i[j] -= l_i[k] * l_j[k];
      }
      for (int j = first_[i]; j < i; ++j) {  // until here the row is L D
        const T scaled = l_i[j];
        l_i[j] = scaled * factor_[row_[j] + j];
        l_i[i] -= scaled * l_i[j];
      }
      l_i[i] = T(1) / l_i[i];
    }
  }
  // Leaves h M⁻¹ p in work_, in the order of elimination.
  void substitute(const Vec& p, const T& h) const {
    for (int i = 0; i < size(); ++i) {
      const T* const l_i = factor_.data() + row_[i];
      T sum = p[order_[i]];
      for (int k = first_[i]; k < i; ++k) sum -= l_i[k] * work_[k];
      work_[i] = sum;
    }
    for (int i = 0; i < size(); ++i) work_[i] *= h * factor_[row_[i] + i];
    for (int i = size() - 1; i >= 0; --i) {
      const T* const l_i = factor_.data() + row_[i];
      for (int k = first_[i]; k < i; ++k) work_[k] -= l_i[k] * work_[i];
    }
  }

  std::vector<int> order_;
  std::vector<Entry> entries_;
  std::vector<int> first_, row_;  // L(i, j) is number row_[i] + j of factor_, from column first_[i] on
  std::vector<T> factor_;
  mutable Vec work_;
};

}  // namespace taut
