// G = ∂g/∂q in three forms: dense; with a sparsity pattern known at compile time (no work on known zeros);
// with one known at run time. A problem chooses one by its type; a method never asks which.
//
//   times(v, y)               y = G v
//   subtract_transpose(l, x)  x -= Gᵀ l
//   row_bounds(v, y)          yᵢ = Σⱼ |Gᵢⱼ| |vⱼ|, the size of what is summed in row i
//   for_each(f)               f(row, column, entry) over the stored entries
//   until(f)                  f(column, entry) over the stored entries, until it returns true
#pragma once

#include <taut/problem/state.hpp>
#include <taut/scalar/unroll.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace taut {

template <class T, int m, int n>
struct DenseJacobian {
  using Scalar = T;
  static constexpr int rows_at_compile_time = m, columns_at_compile_time = n;
  Matrix<T, m, n> entries;

  DenseJacobian()
    requires(m != dynamic && n != dynamic)
      : entries(Matrix<T, m, n>::Zero()) {}
  DenseJacobian(int rows, int columns) : entries(Matrix<T, m, n>::Zero(rows, columns)) {}

  T& operator()(int row, int column) { return entries(row, column); }

  void times(const Vector<T, n>& v, Vector<T, m>& y) const { y.noalias() = entries.lazyProduct(v); }
  void subtract_transpose(const Vector<T, m>& l, Vector<T, n>& x) const {
    x.noalias() -= entries.transpose().lazyProduct(l);
  }
  void row_bounds(const Vector<Real<T>, n>& v, Vector<Real<T>, m>& y) const {
    y.setZero();
    for_each([&](int i, int j, const T& entry) { y[i] += magnitude(entry) * v[j]; });
  }
  template <class F>
  void for_each(F&& f) const {
    for (int j = 0; j < entries.cols(); ++j)
      for (int i = 0; i < entries.rows(); ++i) f(i, j, entries(i, j));
  }
  template <class F>
  void until(F&& f) const {
    for (int j = 0; j < entries.cols(); ++j)
      for (int i = 0; i < entries.rows(); ++i)
        if (f(j, entries(i, j))) return;
  }
};

struct Place {
  int row, column;
};

// A pattern without zeros, for small dense constraints that are to be unrolled all the same.
template <int m, int n>
struct FullPattern {
  static constexpr int rows = m, columns = n;
  static constexpr std::array<Place, static_cast<std::size_t>(m* n)> places = [] {
    std::array<Place, static_cast<std::size_t>(m * n)> list{};
    for (int k = 0; k < m * n; ++k) list[static_cast<std::size_t>(k)] = {k / n, k % n};
    return list;
  }();
};

// The place of a number: in entries[entry], with a minus sign if `minus` is true.
struct Source {
  int entry;
  bool minus;
};

// `Pattern` is a type with static constexpr int rows, columns and a sequence `places` of Place, ordered by
// row. Every row has at least one place. Entry k of `entries` is the number at places[k]. If the pattern also
// names `sources`, sources[k] says which entry it is: numbers that occur in two places, such as the two ends
// of a rod, are kept and multiplied once.
template <class T, class Pattern_>
struct PatternJacobian {
  using Scalar = T;
  using Pattern = Pattern_;
  static constexpr int rows_at_compile_time = Pattern::rows, columns_at_compile_time = Pattern::columns;
  static constexpr int size = static_cast<int>(Pattern::places.size());
  using Row = Vector<T, Pattern::rows>;
  using Column = Vector<T, Pattern::columns>;

  static constexpr Source source(int k) {
    if constexpr (requires { Pattern::sources; })
      return Pattern::sources[k];
    else
      return {k, false};
  }
  static constexpr int entry_count = [] {
    int largest = 0;
    for (int k = 0; k < size; ++k) largest = std::max(largest, source(k).entry);
    return largest + 1;
  }();
  std::array<T, static_cast<std::size_t>(entry_count)> entries{};

  PatternJacobian() = default;
  PatternJacobian(int, int) {}

  void times(const Column& v, Row& y) const {
    unroll<size>([&]<int k>() {
      constexpr Place at = Pattern::places[k];
      const T product = entries[source(k).entry] * v[at.column];
      if constexpr (first_of_row(k))
        y[at.row] = source(k).minus ? T(-product) : product;
      else if constexpr (source(k).minus)
        y[at.row] -= product;
      else
        y[at.row] += product;
    });
  }
  void subtract_transpose(const Row& l, Column& x) const {
    unroll<size>([&]<int k>() {
      constexpr Place at = Pattern::places[k];
      const T product = entries[source(k).entry] * l[at.row];
      if constexpr (source(k).minus)
        x[at.column] += product;
      else
        x[at.column] -= product;
    });
  }
  void row_bounds(const Vector<Real<T>, Pattern::columns>& v, Vector<Real<T>, Pattern::rows>& y) const {
    unroll<size>([&]<int k>() {
      constexpr Place at = Pattern::places[k];
      const Real<T> bound = magnitude(entries[source(k).entry]) * v[at.column];
      if constexpr (first_of_row(k))
        y[at.row] = bound;
      else
        y[at.row] += bound;
    });
  }
  template <class F>
  void for_each(F&& f) const {
    unroll<size>([&]<int k>() {
      const T& entry = entries[source(k).entry];
      f(Pattern::places[k].row, Pattern::places[k].column, source(k).minus ? T(-entry) : entry);
    });
  }
  template <class F>
  void until(F&& f) const {
    bool ends = false;
    unroll<size>([&]<int k>() { ends = ends || f(Pattern::places[k].column, entries[source(k).entry]); });
  }

 private:
  static constexpr bool first_of_row(int k) {
    return k == 0 || Pattern::places[k - 1].row != Pattern::places[k].row;
  }
};

// Compressed rows: row i owns the entries begin[i] … begin[i+1]-1. All copies of G share the structure.
template <class T>
struct SparseJacobian {
  using Scalar = T;
  static constexpr int rows_at_compile_time = dynamic, columns_at_compile_time = dynamic;
  using Vec = Vector<T, dynamic>;
  std::vector<int> begin, column;
  std::vector<T> entries;

  SparseJacobian(std::vector<int> row_begin, std::vector<int> columns)
      : begin(std::move(row_begin)), column(std::move(columns)), entries(column.size(), T(0)) {}

  int rows() const { return static_cast<int>(begin.size()) - 1; }

  void times(const Vec& v, Vec& y) const {
    for (int i = 0; i < rows(); ++i) {
      T sum(0);
      for (int k = begin[i]; k < begin[i + 1]; ++k) sum += entries[k] * v[column[k]];
      y[i] = sum;
    }
  }
  void subtract_transpose(const Vec& l, Vec& x) const {
    for_each([&](int i, int j, const T& entry) { x[j] -= entry * l[i]; });
  }
  void row_bounds(const Vector<Real<T>, dynamic>& v, Vector<Real<T>, dynamic>& y) const {
    y.setZero();
    for_each([&](int i, int j, const T& entry) { y[i] += magnitude(entry) * v[j]; });
  }
  template <class F>
  void for_each(F&& f) const {
    for (int i = 0; i < rows(); ++i)
      for (int k = begin[i]; k < begin[i + 1]; ++k) f(i, column[k], entries[k]);
  }
  template <class F>
  void until(F&& f) const {
    for (std::size_t k = 0; k < entries.size(); ++k)
      if (f(column[k], entries[k])) return;
  }
};

}  // namespace taut
