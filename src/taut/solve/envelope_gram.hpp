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
  explicit EnvelopeGram(const Jacobian& G) : m_(G.rows()), diagonal_(m_), first_(m_), row_(m_) {
    const auto products = find_products(G);
    int size = 0;
    for (int i = 0; i < m_; ++i) {
      row_[i] = size - first_[i];
      size += i - first_[i] + 1;
    }
    lower_.resize(size);
    upper_.resize(size);
    right_.resize(G.entries.size());
    gather(products);
  }

  template <class Jacobian, class Mass>
  void right(const Jacobian& G0, const Mass& W, const T& gain) {
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] = gain * W.weight(G0.column[k]) * G0.entries[k];
  }

  template <class Jacobian>
  void assemble(const Jacobian& G1) {
    for (std::size_t at = 0; at < lower_.size(); ++at) {
      T l(0), u(0);
      for (int k = begin_[at]; k < begin_[at + 1]; ++k) {
        l += G1.entries[pairs_[k].left] * right_[pairs_[k].right];
        u += G1.entries[pairs_[k].right] * right_[pairs_[k].left];
      }
      lower_[at] = l;
      upper_[at] = u;
    }
    for (int i = 0; i < m_; ++i) diagonal_[i] = lower_[row_[i] + i];
  }

  // Crout's order: row i of L and column i of U from all before; the diagonal
  // of L keeps its inverse, U has ones there.
  int factor() {
    for (int i = 0; i < m_; ++i) {
      T* const l_i = lower_.data() + row_[i];
      T* const u_i = upper_.data() + row_[i];
      T d = l_i[i];
      for (int j = first_[i]; j < i; ++j) {
        const T* const l_j = lower_.data() + row_[j];
        const T* const u_j = upper_.data() + row_[j];
        T l = l_i[j], u = u_i[j];
        for (int k = std::max(first_[i], first_[j]); k < j; ++k) {
          l -= l_i[k] * u_j[k];
          u -= l_j[k] * u_i[k];
        }
        u *= l_j[j];
        l_i[j] = l;
        u_i[j] = u;
        d -= l * u;
      }
      l_i[i] = T(1) / d;
      if (any(pivot_vanished(l_i[i], diagonal_[i]))) return i;
    }
    return -1;
  }

  void solve(Multiplier& b) const {
    for (int i = 0; i < m_; ++i) {
      const T* const l_i = lower_.data() + row_[i];
      T sum = b[i];
      for (int k = first_[i]; k < i; ++k) sum -= l_i[k] * b[k];
      b[i] = sum * l_i[i];
    }
    for (int i = m_ - 1; i >= 0; --i) {
      const T* const u_i = upper_.data() + row_[i];
      const T known = b[i];
      for (int k = first_[i]; k < i; ++k) b[k] -= u_i[k] * known;
    }
  }

  int sweep(Multiplier& b) const {
    for (int i = 0; i < m_; ++i) {
      const T* const l_i = lower_.data() + row_[i];
      for (int k = first_[i]; k < i; ++k) b[i] -= l_i[k] * b[k];
      b[i] /= l_i[i];
    }
    return -1;
  }

 private:
  struct
      Pair {  // of entries, of G₁ and of R: K(i, j) += G₁[left] R[right], and its mirror image K(j, i) += G₁[right] R[left]
    int left, right;
  };
  struct Product {
    int row, column;  // column <= row
    Pair pair;
  };

  // Two rows couple where they share a coordinate: found by columns, in time linear in the couplings.
  template <class Jacobian>
  std::vector<Product> find_products(const Jacobian& G) {
    int columns = 0;
    for (const int c : G.column) columns = std::max(columns, c + 1);
    std::vector<std::vector<std::pair<int, int>>> by_column(columns);  // (row, entry)
    for (int i = 0; i < m_; ++i)
      for (int k = G.begin[i]; k < G.begin[i + 1]; ++k) by_column[G.column[k]].emplace_back(i, k);
    std::vector<Product> products;
    for (int i = 0; i < m_; ++i) {
      first_[i] = i;
      for (int k = G.begin[i]; k < G.begin[i + 1]; ++k)
        for (const auto& [row, entry] : by_column[G.column[k]]) {
          if (row > i) continue;
          products.push_back({i, row, {k, entry}});
          first_[i] = std::min(first_[i], row);
        }
    }
    return products;
  }

  // The pairs in the order of the entries of K that they add up to: each entry is summed in one go.
  void gather(const std::vector<Product>& products) {
    begin_.assign(lower_.size() + 1, 0);
    for (const Product& p : products) ++begin_[row_[p.row] + p.column + 1];
    for (std::size_t at = 1; at < begin_.size(); ++at) begin_[at] += begin_[at - 1];
    std::vector<int> next = begin_;
    pairs_.resize(products.size());
    for (const Product& p : products) pairs_[next[row_[p.row] + p.column]++] = p.pair;
  }

  int m_ = 0;
  std::vector<T> diagonal_;  // of K before elimination
  std::vector<int> first_;   // first column of row i inside the envelope
  std::vector<int> row_;  // L(i, j) and, by columns, U(j, i) are number row_[i] + j of `lower_` and `upper_`
  std::vector<T> lower_, upper_, right_;
  std::vector<int> begin_;  // of the pairs of each entry
  std::vector<Pair> pairs_;
};

}  // namespace taut
