// K = G₁ W G₀ᵀ for a sparsity known at run time and a diagonal W, inside its envelope: for a chain all work
// is linear in the number of rods. If the constraints come in an order in which the envelope is wide, they
// are eliminated in another one.
#pragma once

#include <taut/solve/matrix/envelope_lu.hpp>
#include <taut/solve/matrix/narrow_order.hpp>

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace taut {

// Constraints are eliminated in another order only if that saves this factor of the work: the order of the
// model costs no renumbering.
inline constexpr int worth_an_order = 2;

template <class T>
class EnvelopeGram {
 public:
  using Multiplier = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  EnvelopeGram() = default;

  template <class Jacobian>
  explicit EnvelopeGram(const Jacobian& G) {
    choose_order(G);
    const auto products = find_products(G);
    right_.resize(G.entries.size());
    gather(products);
    is_pair_ = lu_.size() == 2 && lu_.first(1) == 0;
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
    for (int i = 0; i < lu_.size(); ++i) {
      for (const int end = lu_.place(i, i); at < end; ++at) {
        T l(0), u(0);
        for (int k = begin_[at]; k < begin_[at + 1]; ++k) {
          l += g[pairs_[k].left] * r[pairs_[k].right];
          u += g[pairs_[k].right] * r[pairs_[k].left];
        }
        lu_.lower[at] = l;
        lu_.upper[at] = u;
      }
      T d(0);
      for (int k = begin_[at]; k < begin_[at + 1]; ++k) d += g[pairs_[k].left] * r[pairs_[k].right];
      lu_.lower[at++] = lu_.reference[i] = d;
    }
  }

  int factor() {
    if (is_pair_) {  // by the determinant, as in PatternGram
      const T &a = lu_.lower[0], &b = lu_.upper[1], &c = lu_.lower[1], &d = lu_.lower[2];
      determinant_ = a * d - b * c;
      if (!any(determinant_vanished(determinant_, T(a * d)))) return -1;
      return any(Mask<T>(base(a) == base(T(0)))) ? 0 : 1;
    }
    const int vanished = lu_.factor();
    return vanished < 0 || order_.empty() ? vanished : order_[vanished];
  }

  void solve(Multiplier& b) const {
    if (is_pair_) {
      const T first = (b[0] * lu_.lower[2] - lu_.upper[1] * b[1]) / determinant_;
      b[1] = (lu_.lower[0] * b[1] - lu_.lower[1] * b[0]) / determinant_;
      b[0] = first;
      return;
    }
    in_order(b, [this](Multiplier& x) { lu_.solve(x); });
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored K: (D + L) b = b.
  int sweep(Multiplier& b) const {
    in_order(b, [this](Multiplier& x) { lu_.sweep(x); });
    return -1;
  }

 private:
  // A pair of entries, one of G₁ and one of R: K(i, j) += G₁[left] R[right], and its mirror image K(j, i) +=
  // G₁[right] R[left].
  struct Pair {
    int left, right;
  };
  struct Product {
    int row, column;  // places in the order, column <= row
    Pair pair;
  };

  template <class Solve>
  void in_order(Multiplier& b, Solve&& solve_in_place) const {
    if (order_.empty()) return solve_in_place(b);
    for (int k = 0; k < lu_.size(); ++k) ordered_[k] = b[order_[k]];
    solve_in_place(ordered_);
    for (int k = 0; k < lu_.size(); ++k) b[order_[k]] = ordered_[k];
  }

  // Calls f(row, entry) for the rows up to i that share a coordinate with row i, once for each coordinate.
  // Searching by columns takes time linear in the number of couplings.
  template <class Jacobian>
  class ByColumn {
   public:
    explicit ByColumn(const Jacobian& G) : G_(G) {
      int columns = 0;
      for (const int c : G.column) columns = std::max(columns, c + 1);
      rows_.resize(columns);
      for (int i = 0; i < G.rows(); ++i)
        for (int k = G.begin[i]; k < G.begin[i + 1]; ++k) rows_[G.column[k]].emplace_back(i, k);
    }
    template <class F>
    void each_coupling(F&& f) const {
      for (int i = 0; i < G_.rows(); ++i)
        for (int k = G_.begin[i]; k < G_.begin[i + 1]; ++k)
          for (const auto& [row, entry] : rows_[G_.column[k]])
            if (row <= i) f(i, k, row, entry);
    }

   private:
    const Jacobian& G_;
    std::vector<std::vector<std::pair<int, int>>> rows_;  // (row, entry) of each column
  };

  template <class Jacobian>
  void choose_order(const Jacobian& G) {
    Neighbours of(G.rows());
    ByColumn<Jacobian>(G).each_coupling([&](int i, int, int row, int) {
      if (row == i) return;
      of[i].push_back(row);
      of[row].push_back(i);
    });
    for (auto& list : of) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    place_.resize(G.rows());
    std::iota(place_.begin(), place_.end(), 0);
    std::vector<int> first = envelope_of(of, place_);
    std::vector<int> order = narrow_order(of), place = places_in(order), narrow = envelope_of(of, place);
    if (worth_an_order * work_in(narrow) < work_in(first)) {
      order_ = std::move(order);
      place_ = std::move(place);
      first = std::move(narrow);
      ordered_.resize(G.rows());
    }
    lu_ = EnvelopeLU<T>(std::move(first));
  }

  // Finds the products that make K.
  template <class Jacobian>
  std::vector<Product> find_products(const Jacobian& G) const {
    std::vector<Product> products;
    ByColumn<Jacobian>(G).each_coupling([&](int i, int k, int row, int entry) {
      if (place_[row] <= place_[i])
        products.push_back({place_[i], place_[row], {k, entry}});
      else
        products.push_back({place_[row], place_[i], {entry, k}});
    });
    return products;
  }

  // Orders the pairs by the entry of K to which they add, so that each entry is summed in one go.
  void gather(const std::vector<Product>& products) {
    begin_.assign(lu_.lower.size() + 1, 0);
    for (const Product& p : products) ++begin_[lu_.place(p.row, p.column) + 1];
    for (std::size_t at = 1; at < begin_.size(); ++at) begin_[at] += begin_[at - 1];
    std::vector<int> next = begin_;
    pairs_.resize(products.size());
    for (const Product& p : products) pairs_[next[lu_.place(p.row, p.column)]++] = p.pair;
  }

  EnvelopeLU<T> lu_;
  bool is_pair_ = false;            // two coupled constraints: K is lower[0], upper[1]; lower[1], lower[2]
  T determinant_{};                 // det K of such a pair
  std::vector<int> order_, place_;  // the order is empty if it is that of the model
  mutable Multiplier ordered_;
  std::vector<T> right_;
  std::vector<int> begin_;  // where the pairs of each entry begin
  std::vector<Pair> pairs_;
};

}  // namespace taut
