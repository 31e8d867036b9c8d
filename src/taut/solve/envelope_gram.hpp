// K = G₁ W G₀ᵀ for a sparsity known at run time and diagonal W, in envelope storage: row i keeps the columns from its first
// possibly non-zero one to the diagonal (and by symmetry of the pattern the rows above the diagonal in column i). Elimination
// fills nothing outside the envelope; for a chain it is the tridiagonal band, and all work is linear in the number of rods.
#pragma once

#include <taut/solve/elimination.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace taut {

template <class T>
class EnvelopeGram {
 public:
  using Multiplier = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  EnvelopeGram() = default;

  template <class Jacobian>
  explicit EnvelopeGram(const Jacobian& G) : m_(G.rows()), diagonal_(m_), first_(m_) {
    find_products(G);
    offset_.resize(m_ + 1, 0);
    for (int i = 0; i < m_; ++i) offset_[i + 1] = offset_[i] + (i - first_[i] + 1);
    lower_.resize(offset_[m_]);
    upper_.resize(offset_[m_]);
    right_.resize(G.entries.size());
  }

  template <class Jacobian, class Mass>
  void right(const Jacobian& G0, const Mass& W, const T& gain) {
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] = gain * W.weight(G0.column[k]) * G0.entries[k];
  }

  template <class Jacobian>
  void assemble(const Jacobian& G1) {
    std::fill(lower_.begin(), lower_.end(), T(0));
    std::fill(upper_.begin(), upper_.end(), T(0));
    for (const Product& p : products_) {
      lower(p.row, p.column) += G1.entries[p.left] * right_[p.right];
      if (p.row != p.column) upper(p.column, p.row) += G1.entries[p.right] * right_[p.left];
    }
    for (int i = 0; i < m_; ++i) diagonal_[i] = lower(i, i);
  }

  // Crout's order: row i of L and column i of U from all before; the diagonal
  // of L keeps its inverse, U has ones there.
  int factor() {
    for (int i = 0; i < m_; ++i) {
      for (int j = first_[i]; j < i; ++j) {
        const int from = std::max(first_[i], first_[j]);
        T l = lower(i, j), u = upper(j, i);
        for (int k = from; k < j; ++k) {
          l -= lower(i, k) * upper(k, j);
          u -= lower(j, k) * upper(k, i);
        }
        lower(i, j) = l;
        upper(j, i) = u * lower(j, j);
      }
      T d = lower(i, i);
      for (int k = first_[i]; k < i; ++k) d -= lower(i, k) * upper(k, i);
      lower(i, i) = T(1) / d;
      if (any(pivot_vanished(lower(i, i), diagonal_[i]))) return i;
    }
    return -1;
  }

  void solve(Multiplier& b) const {
    for (int i = 0; i < m_; ++i) {
      for (int k = first_[i]; k < i; ++k) b[i] -= lower(i, k) * b[k];
      b[i] *= lower(i, i);
    }
    for (int i = m_ - 1; i >= 0; --i)
      for (int k = first_[i]; k < i; ++k) b[k] -= upper(k, i) * b[i];
  }

  int sweep(Multiplier& b) const {
    for (int i = 0; i < m_; ++i) {
      for (int k = first_[i]; k < i; ++k) b[i] -= lower(i, k) * b[k];
      b[i] /= lower(i, i);
    }
    return -1;
  }

 private:
  struct
      Product {  // K(row, column) += G₁[left] R[right] for column <= row; the mirror image swaps left and right
    int row, column, left, right;
  };

  // Two rows couple where they share a coordinate: found by columns, in time linear in the couplings.
  template <class Jacobian>
  void find_products(const Jacobian& G) {
    int columns = 0;
    for (const int c : G.column) columns = std::max(columns, c + 1);
    std::vector<std::vector<std::pair<int, int>>> by_column(columns);  // (row, entry)
    for (int i = 0; i < m_; ++i)
      for (int k = G.begin[i]; k < G.begin[i + 1]; ++k) by_column[G.column[k]].emplace_back(i, k);
    for (int i = 0; i < m_; ++i) {
      first_[i] = i;
      for (int k = G.begin[i]; k < G.begin[i + 1]; ++k)
        for (const auto& [row, entry] : by_column[G.column[k]]) {
          if (row > i) continue;
          products_.push_back({i, row, k, entry});
          first_[i] = std::min(first_[i], row);
        }
    }
  }

  T& lower(int i, int j) { return lower_[offset_[i] + (j - first_[i])]; }
  const T& lower(int i, int j) const { return lower_[offset_[i] + (j - first_[i])]; }
  T& upper(int i, int j) { return upper_[offset_[j] + (i - first_[j])]; }  // column j of U, i <= j
  const T& upper(int i, int j) const { return upper_[offset_[j] + (i - first_[j])]; }

  int m_ = 0;
  std::vector<T> diagonal_;  // of K before elimination
  std::vector<int> first_;   // first column of row i inside the envelope
  std::vector<int> offset_;  // where row i begins
  std::vector<T> lower_, upper_, right_;
  std::vector<Product> products_;
};

}  // namespace taut
