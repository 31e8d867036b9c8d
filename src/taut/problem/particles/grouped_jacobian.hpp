// G = ∂g/∂q of a large system whose constraints come in groups of equal shape: entry e of all rows of a group
// lie side by side, so that rows are worked on in batches. It has the interface of jacobian.hpp; all copies
// share the structure.
#pragma once

#include <taut/problem/kick_and_drift.hpp>
#include <taut/scalar/batch.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

namespace taut {

// The rows first_row … first_row + rows - 1; entry e of the k-th of them is entries[first_entry + e
// * stride + k].
struct RowGroup {
  int first_row, rows, size;  // `size` entries in each row
  int first_entry, stride;
  std::vector<Places> column;  // one list for each e
  bool mirrored;               // the second half of a row's entries is minus the first

  // Returns the entry to read in the place of e: if rows are mirrored, half the memory is enough.
  int original(int e) const { return mirrored && 2 * e >= size ? e - size / 2 : e; }
};

// Gᵀ for batches of eight consecutive columns: says which entries of G, in which rows, stand in them. An item
// gives one entry to each column of its batch.
class TransposedRows {
 public:
  TransposedRows(const std::vector<RowGroup>& groups, int zero_entry) {
    int columns = 0;
    for (const RowGroup& g : groups)
      for (const Places& column : g.column)
        for (int k = 0; k < g.rows; ++k) columns = std::max(columns, column[k] + 1);
    columns = padded(columns);
    std::vector<int> from(columns + 1, 0);
    for (const RowGroup& g : groups)
      for (const Places& column : g.column)
        for (int k = 0; k < g.rows; ++k) ++from[column[k] + 1];
    for (int j = 0; j < columns; ++j) from[j + 1] += from[j];
    struct Where {
      int entry, row, mirror;  // mirror: the entry that is minus this one, or -1
    };
    std::vector<Where> where(from[columns]);
    std::vector<int> next(from.begin(), from.end() - 1);
    for (const RowGroup& g : groups)
      for (int e = 0; e < g.size; ++e)
        for (int k = 0; k < g.rows; ++k)
          where[next[g.column[e][k]]++] = {
              g.first_entry + e * g.stride + k, g.first_row + k,
              g.original(e) == e ? -1 : g.first_entry + g.original(e) * g.stride + k};
    begin_.push_back(0);
    for (int j = 0; j < columns; j += batch_size) {
      int layers = 0;
      for (int i = 0; i < batch_size; ++i) layers = std::max(layers, from[j + i + 1] - from[j + i]);
      for (int layer = 0; layer < layers; ++layer) {
        std::array<int, batch_size> entry, row, mirror;
        for (int i = 0; i < batch_size; ++i) {
          const int at = from[j + i] + layer;
          const Where one = at < from[j + i + 1] ? where[at] : Where{zero_entry, 0, zero_entry};
          entry[i] = one.entry;
          row[i] = one.row;
          mirror[i] = one.mirror;
        }
        const bool mirrored = std::find(mirror.begin(), mirror.end(), -1) == mirror.end();
        items_.push_back({place(mirrored ? mirror : entry), place(row), mirrored});
      }
      begin_.push_back(static_cast<int>(items_.size()));
    }
  }

  // Returns sum - Σ over the entries of columns j … j+7, times l.
  Batch<double> minus(const double* entries, const double* l, int j, Batch<double> sum) const {
    const std::size_t batch = static_cast<std::size_t>(j / batch_size);
    if (batch + 1 >= begin_.size()) return sum;
    for (int k = begin_[batch]; k < begin_[batch + 1]; ++k)
      if (const Batch<double> x = gather(entries, items_[k].entry) * gather(l, items_[k].row);
          items_[k].mirrored)
        sum += x;
      else
        sum -= x;
    return sum;
  }

 private:
  // The place of eight numbers: the first of consecutive ones, or -1 - the place of a list of eight.
  struct Item {
    int entry, row;
    bool mirrored;  // the entries are minus those
  };
  int place(const std::array<int, batch_size>& at) {
    bool run = true;
    for (int i = 1; i < batch_size; ++i) run = run && at[i] == at[0] + i;
    if (run) return at[0];
    lists_.insert(lists_.end(), at.begin(), at.end());
    return -1 - (static_cast<int>(lists_.size()) - batch_size);
  }
  Batch<double> gather(const double* from, int place) const {
    if (place >= 0) return load_batch(from + place);
    const int* at = &lists_[-1 - place];
    Batch<double> x;
    for (int i = 0; i < batch_size; ++i) x.set(i, from[at[i]]);
    return x;
  }

  std::vector<int> begin_;  // where the items of each batch of columns begin
  std::vector<Item> items_;
  std::vector<int> lists_;
};

struct GroupedRows {
  std::vector<RowGroup> groups;
  int rows = 0, entries = 0;

  // Returns what a solver found out about the structure, kept for the next one; `kind` tells analyses apart.
  template <class Analysis, class Make>
  std::shared_ptr<const Analysis> analysis(std::size_t kind, Make&& make) const {
    const std::scoped_lock hold(mutex_);
    if (!kept_[kind]) kept_[kind] = make();
    return std::static_pointer_cast<const Analysis>(kept_[kind]);
  }

  // Returns the entry after all others, which is always 0.
  int zero_entry() const { return entries; }
  const TransposedRows& transposed() const {
    std::call_once(once_,
                   [&] { transposed_ = std::make_unique<const TransposedRows>(groups, zero_entry()); });
    return *transposed_;
  }

  // Adds a group of rows; column[e][k] is the column of entry e in row k.
  void add(const std::vector<std::vector<int>>& column, bool mirrored = false) {
    const int count = static_cast<int>(column.front().size());
    RowGroup group{rows, count, static_cast<int>(column.size()), entries, padded(count), {}, mirrored};
    for (const std::vector<int>& list : column) group.column.emplace_back(list);
    rows += count;
    entries += group.size * group.stride;
    groups.push_back(std::move(group));
  }

 private:
  mutable std::mutex mutex_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const TransposedRows> transposed_;
  mutable std::array<std::shared_ptr<const void>, 4> kept_;
};

template <class T>
struct GroupedJacobian {
  using Scalar = T;
  static constexpr int rows_at_compile_time = dynamic, columns_at_compile_time = dynamic;
  using Vec = Vector<T, dynamic>;
  std::shared_ptr<const GroupedRows> structure;
  Vec entries;  // padding is 0; Eigen aligns it for whole batches

  explicit GroupedJacobian(std::shared_ptr<const GroupedRows> shared)
      : structure(std::move(shared)), entries(Vec::Zero(structure->entries + batch_size)) {}

  int rows() const { return structure->rows; }
  const std::vector<RowGroup>& groups() const { return structure->groups; }

  // Computes y = G W p: `times` of the velocity, which is not stored.
  template <class Mass>
  [[gnu::noinline]] void times_velocity(const Mass& W, const Vec& p, Vec& y) const {
    each_batch([&](const RowGroup& g, int k) {
      Batch<T> sum(0);
      for (int e = 0; e < g.size; ++e)
        sum += entry(g, e, k) * (g.column[e].gather(W.inverse.data(), k) * g.column[e].gather(p.data(), k));
      store_batch(y.data() + g.first_row + k, sum, g.rows - k);
    });
  }
  [[gnu::noinline]] void times(const Vec& v, Vec& y) const {
    each_batch([&](const RowGroup& g, int k) {
      Batch<T> sum(0);
      for (int e = 0; e < g.size; ++e) sum += entry(g, e, k) * g.column[e].gather(v.data(), k);
      store_batch(y.data() + g.first_row + k, sum, g.rows - k);
    });
  }
  [[gnu::noinline]] void subtract_transpose(const Vec& l, Vec& x) const {
    if constexpr (batch_lanes<T> > 1) {
      const TransposedRows& transposed = structure->transposed();
      each_column_batch(x, [&](int j, int count) {
        const Batch<T> old = load_batch(x.data() + j, count);
        store_batch(x.data() + j, transposed.minus(entries.data(), l.data(), j, old), count);
      });
    } else {
      for (const RowGroup& g : groups())
        for (int e = 0; e < g.size; ++e)
          for (int k = 0; k < g.rows; ++k)
            x[g.column[e][k]] -= entries[g.first_entry + e * g.stride + k] * l[g.first_row + k];
    }
  }
  [[gnu::noinline]] void row_bounds(const Vector<Real<T>, dynamic>& v, Vector<Real<T>, dynamic>& y) const {
    if constexpr (batch_lanes<T> > 1) {
      each_batch([&](const RowGroup& g, int k) {
        Batch<T> sum(0);
        for (int e = 0; e < g.size; ++e) sum += magnitude(entry(g, e, k)) * g.column[e].gather(v.data(), k);
        store_batch(y.data() + g.first_row + k, sum, g.rows - k);
      });
    } else {
      y.setZero();
      for_each([&](int i, int j, const T& value) { y[i] += magnitude(value) * v[j]; });
    }
  }
  template <class F>
  void for_each(F&& f) const {
    for (const RowGroup& g : groups())
      for (int k = 0; k < g.rows; ++k)
        for (int e = 0; e < g.size; ++e)
          f(g.first_row + k, g.column[e][k], entries[g.first_entry + e * g.stride + k]);
  }
  template <class F>
  void until(F&& f) const {
    for (const RowGroup& g : groups())
      for (int k = 0; k < g.rows; ++k)
        for (int e = 0; e < g.size; ++e)
          if (f(g.column[e][k], entries[g.first_entry + g.original(e) * g.stride + k])) return;
  }

 private:
  Batch<T> entry(const RowGroup& g, int e, int k) const {
    const int from = g.original(e);
    const Batch<T> x = load_batch(entries.data() + g.first_entry + from * g.stride + k);
    return from == e ? x : Batch<T>(-x);
  }
  template <class F>
  void each_batch(F&& f) const {
    for (const RowGroup& g : groups())
      in_ranges(g.rows, batch_size, worth_a_thread / 2, [&](int from, int to) __attribute__((flatten)) {
        for (int k = from; k < to; k += batch_lanes<T>) f(g, k);
      });
  }
};

// Calls f(j, count) for every batch of coordinates: it begins at j, and `count` or more of them are there.
template <class Vec, class F>
void each_column_batch(const Vec& x, F&& f) {
  const int size = static_cast<int>(x.size());
  in_ranges(size, batch_size, worth_a_thread, [&](int from, int to) __attribute__((flatten)) {
    for (int j = from; j < to; j += batch_size) f(j, to - j);
  });
}

// Loads the batch of sums that begins at j.
template <class Vec>
Batch<double> load_batch(const PlainSums<Vec>& x, int j, int count) {
  return load_batch(x.sum.data() + j, count);
}
template <class Vec>
CompensatedSum<Batch<double>> load_batch(const CompensatedSums<Vec>& x, int j, int count) {
  return {load_batch(x.sum.data() + j, count), load_batch(x.low.data() + j, count)};
}
template <class Vec>
void store_batch(const PlainSums<Vec>& to, int j, const Batch<double>& x, int count) {
  store_batch(to.sum.data() + j, x, count);
}
template <class Vec>
void store_batch(const CompensatedSums<Vec>& to, int j, const CompensatedSum<Batch<double>>& x, int count) {
  store_batch(to.sum.data() + j, x.sum, count);
  store_batch(to.low.data() + j, x.low, count);
}

// Makes one pass over the coordinates instead of one for each line of the general text (kick_and_drift.hpp),
// with the same operations in the same order.
template <class X, class Mass>
[[gnu::noinline]] void kick_along_and_drift(X& x, const X& from, const GroupedJacobian<double>& G,
                                            const Vector<double, dynamic>& l, const Mass& W, const double& h,
                                            Displacement<X>&) {
  using S = Batch<double>;
  const TransposedRows& transposed = G.structure->transposed();
  each_column_batch(x.q, [&](int j, int count) {
    const auto minus = [&](const S& t) { return transposed.minus(G.entries.data(), l.data(), j, t); };
    const S hw = S(h) * load_batch(W.inverse.data() + j, count);
    const auto p = kicked_along(load_batch(momenta(from), j, count), minus);
    store_batch(momenta(x), j, p, count);
    store_batch(positions(x), j, drifted(load_batch(positions(from), j, count), decltype(p)(hw * p)), count);
  });
}

}  // namespace taut
