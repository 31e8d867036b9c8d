// K = G₁ W G₀ᵀ for a sparsity known at run time and a diagonal W, in envelope storage: row i keeps the
// columns from its first possibly non-zero one to the diagonal (and, since the pattern is symmetric, the rows
// above the diagonal in column i). Elimination fills nothing outside the envelope; for a chain it is the
// tridiagonal band, and all work is linear in the number of rods.
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
    is_pair_ = m_ == 2 && first_[1] == 0;
  }

  template <class Jacobian, class Mass>
  void right(const Jacobian& G0, const Mass& W, const T& gain) {
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] = gain * W.weight(G0.column[k]) * G0.entries[k];
  }

  template <class Jacobian>
  void assemble(const Jacobian& G1) {
    const T* const g = G1.entries.data();
    const T* const r = right_.data();
    int at = 0;
    for (int i = 0; i < m_; ++i) {
      for (const int end = row_[i] + i; at < end; ++at) {
        T l(0), u(0);
        for (int k = begin_[at]; k < begin_[at + 1]; ++k) {
          l += g[pairs_[k].left] * r[pairs_[k].right];
          u += g[pairs_[k].right] * r[pairs_[k].left];
        }
        lower_[at] = l;
        upper_[at] = u;
      }
      T d(0);
      for (int k = begin_[at]; k < begin_[at + 1]; ++k) d += g[pairs_[k].left] * r[pairs_[k].right];
      lower_[at++] = diagonal_[i] = d;
    }
  }

  // Factors in Crout's order: row i of L and column i of U from all before. The diagonal of L keeps its
  // inverse, U has ones there.
  int factor() {
    if (is_pair_) {  // by the determinant, as in PatternGram
      determinant_ = lower_[0] * lower_[2] - upper_[1] * lower_[1];
      if (!any(determinant_vanished(determinant_, T(lower_[0] * lower_[2])))) return -1;
      return any(Mask<T>(base(lower_[0]) == base(T(0)))) ? 0 : 1;
    }
    // The inverse of the last pivot stays at hand, because in a chain each pivot waits for the one before.
    T inverse(0);
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
        u *= j == i - 1 ? inverse : l_j[j];
        l_i[j] = l;
        u_i[j] = u;
        d -= l * u;
      }
      inverse = T(1) / d;
      l_i[i] = inverse;
      if (any(pivot_vanished(inverse, diagonal_[i]))) return i;
    }
    return -1;
  }

  void solve(Multiplier& b) const {
    if (is_pair_) {
      const T first = (b[0] * lower_[2] - upper_[1] * b[1]) / determinant_;
      b[1] = (lower_[0] * b[1] - lower_[1] * b[0]) / determinant_;
      b[0] = first;
      return;
    }
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
  // A pair of entries, one of G₁ and one of R: K(i, j) += G₁[left] R[right], and its mirror image K(j, i) +=
  // G₁[right] R[left].
  struct Pair {
    int left, right;
  };
  struct Product {
    int row, column;  // column <= row
    Pair pair;
  };

  // Finds the products that make K. Two rows couple if they share a coordinate; searching by columns takes
  // time linear in the number of couplings.
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

  // Orders the pairs by the entry of K to which they add, so that each entry is summed in one go.
  void gather(const std::vector<Product>& products) {
    begin_.assign(lower_.size() + 1, 0);
    for (const Product& p : products) ++begin_[row_[p.row] + p.column + 1];
    for (std::size_t at = 1; at < begin_.size(); ++at) begin_[at] += begin_[at - 1];
    std::vector<int> next = begin_;
    pairs_.resize(products.size());
    for (const Product& p : products) pairs_[next[row_[p.row] + p.column]++] = p.pair;
  }

  int m_ = 0;
  bool is_pair_ = false;     // two coupled constraints: K is lower_[0], upper_[1]; lower_[1], lower_[2]
  T determinant_{};          // det K of such a pair
  std::vector<T> diagonal_;  // the diagonal of K before elimination
  std::vector<int> first_;   // first column of row i inside the envelope
  // L(i, j) and, by columns, U(j, i) are number row_[i] + j of `lower_` and `upper_`.
  std::vector<int> row_;
  std::vector<T> lower_, upper_, right_;
  std::vector<int> begin_;  // where the pairs of each entry begin
  std::vector<Pair> pairs_;
};

}  // namespace taut
