// What the pattern of G alone decides about K = G₁ W G₀ᵀ: the order of elimination, its envelope, and the
// products that make each entry of K. It is the same for every scalar, so that a problem whose pattern is
// data keeps one, and all matrices of all its copies share it.
#pragma once

#include <taut/solve/matrix/narrow_order.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace taut {

// Constraints are eliminated in another order only if that saves this factor of the work: the order of the
// model costs no renumbering.
inline constexpr int worth_an_order = 2;

class EnvelopePlan {
 public:
  // A pair of entries, one of G₁ and one of R: K(i, j) += G₁[left] R[right], and its mirror image K(j, i) +=
  // G₁[right] R[left].
  struct Pair {
    int left, right;
  };

  // Row i of G has the entries begin[i] up to begin[i + 1]; each stands in one of the columns.
  template <class Begin, class Column>
  EnvelopePlan(const Begin& row_begin, const Column& columns) : entries(columns.size()) {
    const int rows = static_cast<int>(row_begin.size()) - 1;
    const ByColumn by_column(rows, row_begin, columns);
    choose_order(rows, by_column, row_begin, columns);
    gather(find_products(by_column, row_begin, columns));
  }

  int size() const { return static_cast<int>(first.size()); }

  std::size_t entries;     // how many G has
  std::vector<int> first;  // first column of row i inside the envelope
  std::vector<int> order;  // the constraints as they are eliminated; empty if that is the order of the model
  std::vector<int> begin;  // where the pairs of each entry begin
  std::vector<Pair> pairs;

 private:
  struct Product {
    int row, column;  // places in the order, column <= row
    Pair pair;
  };

  // Searching by columns takes time linear in the number of couplings.
  class ByColumn {
   public:
    template <class Begin, class Column>
    ByColumn(int rows, const Begin& row_begin, const Column& columns) {
      int count = 0;
      for (const int c : columns) count = std::max(count, c + 1);
      places_.resize(static_cast<std::size_t>(count));
      for (int i = 0; i < rows; ++i)
        for (int k = row_begin[i]; k < row_begin[i + 1]; ++k) places_[columns[k]].emplace_back(i, k);
    }
    // Calls f(row, entry, other row, its entry) for all rows that share a coordinate with one that does not
    // stand before them, once for each coordinate.
    template <class Begin, class Column, class F>
    void each_coupling(const Begin& row_begin, const Column& columns, F&& f) const {
      for (int i = 0; i + 1 < static_cast<int>(row_begin.size()); ++i)
        for (int k = row_begin[i]; k < row_begin[i + 1]; ++k)
          for (const auto& [row, entry] : places_[columns[k]])
            if (row <= i) f(i, k, row, entry);
    }

   private:
    std::vector<std::vector<std::pair<int, int>>> places_;  // (row, entry) of each column
  };

  template <class Begin, class Column>
  void choose_order(int rows, const ByColumn& by_column, const Begin& row_begin, const Column& columns) {
    Neighbours of(static_cast<std::size_t>(rows));
    by_column.each_coupling(row_begin, columns, [&](int i, int, int row, int) {
      if (row == i) return;
      of[i].push_back(row);
      of[row].push_back(i);
    });
    for (auto& list : of) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    place_.resize(of.size());
    std::iota(place_.begin(), place_.end(), 0);
    first = envelope_of(of, place_);
    std::vector<int> found = narrow_order(of), place = places_in(found), narrow = envelope_of(of, place);
    if (worth_an_order * work_in(narrow) < work_in(first)) {
      order = std::move(found);
      place_ = std::move(place);
      first = std::move(narrow);
    }
  }

  // Finds the products that make K.
  template <class Begin, class Column>
  std::vector<Product> find_products(const ByColumn& by_column, const Begin& row_begin,
                                     const Column& columns) const {
    std::vector<Product> products;
    by_column.each_coupling(row_begin, columns, [&](int i, int k, int row, int entry) {
      if (place_[row] <= place_[i])
        products.push_back({place_[i], place_[row], {k, entry}});
      else
        products.push_back({place_[row], place_[i], {entry, k}});
    });
    return products;
  }

  // Orders the pairs by the entry of K to which they add, so that each entry is summed in one go.
  void gather(const std::vector<Product>& products) {
    std::vector<int> row(first.size());  // place of entry (i, 0), were it inside the envelope
    int inside = 0;
    for (int i = 0; i < size(); ++i) {
      row[i] = inside - first[i];
      inside += i - first[i] + 1;
    }
    begin.assign(static_cast<std::size_t>(inside) + 1, 0);
    for (const Product& p : products) ++begin[row[p.row] + p.column + 1];
    for (std::size_t at = 1; at < begin.size(); ++at) begin[at] += begin[at - 1];
    std::vector<int> next = begin;
    pairs.resize(products.size());
    for (const Product& p : products) pairs[next[row[p.row] + p.column]++] = p.pair;
  }

  std::vector<int> place_;  // where each constraint stands in the order
};

}  // namespace taut
