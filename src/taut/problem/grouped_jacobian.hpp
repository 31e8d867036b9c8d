// G = ∂g/∂q of a large system whose constraints come in groups of equal shape: entry e of all rows of a group stand side by side, so that rows
// are worked on in batches. The interface of jacobian.hpp; the structure is shared by all copies.
#pragma once

#include <taut/problem/state.hpp>
#include <taut/scalar/batch.hpp>

#include <array>
#include <memory>
#include <mutex>
#include <vector>

namespace taut {

// Rows first_row … first_row + rows - 1; entry e of the k-th of them is entries[first_entry + e * stride + k].
struct RowGroup {
  int first_row, rows, size;  // `size` entries in each row
  int first_entry, stride;
  std::vector<Places> column;  // one list for each e
};

struct GroupedRows {
  std::vector<RowGroup> groups;
  int rows = 0, entries = 0;

  // What a solver found out about the structure, kept for the next one; `kind` tells scalars with different needs apart.
  template <class Analysis, class Make>
  std::shared_ptr<const Analysis> analysis(std::size_t kind, Make&& make) const {
    const std::scoped_lock hold(mutex_);
    if (!kept_[kind]) kept_[kind] = make();
    return std::static_pointer_cast<const Analysis>(kept_[kind]);
  }

  // column[e][k]
  void add(const std::vector<std::vector<int>>& column) {
    const int count = static_cast<int>(column.front().size());
    RowGroup group{rows, count, static_cast<int>(column.size()), entries, padded(count), {}};
    for (const std::vector<int>& list : column) group.column.emplace_back(list);
    rows += count;
    entries += group.size * group.stride;
    groups.push_back(std::move(group));
  }

 private:
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<const void>, 2> kept_;
};

template <class T>
struct GroupedJacobian {
  using Scalar = T;
  static constexpr int rows_at_compile_time = dynamic, columns_at_compile_time = dynamic;
  using Vec = Vector<T, dynamic>;
  std::shared_ptr<const GroupedRows> structure;
  Vec entries;  // padding is 0; Eigen aligns it for whole batches

  explicit GroupedJacobian(std::shared_ptr<const GroupedRows> shared)
      : structure(std::move(shared)), entries(Vec::Zero(structure->entries)) {}

  int rows() const { return structure->rows; }
  const std::vector<RowGroup>& groups() const { return structure->groups; }

  [[gnu::noinline]] void times(const Vec& v, Vec& y) const {
    each_batch([&](const RowGroup& g, int k) {
      Batch<T> sum(0);
      for (int e = 0; e < g.size; ++e) sum += entry(g, e, k) * g.column[e].gather(v.data(), k);
      store_batch(y.data() + g.first_row + k, sum, g.rows - k);
    });
  }
  [[gnu::noinline]] void subtract_transpose(const Vec& l, Vec& x) const {
    for (const RowGroup& g : groups())
      for (int e = 0; e < g.size; ++e)
        for (int k = 0; k < g.rows; k += batch_lanes<T>)
          g.column[e].add(x.data(), k,
                          Batch<T>(-(entry(g, e, k) * load_batch(l.data() + g.first_row + k, g.rows - k))));
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

 private:
  Batch<T> entry(const RowGroup& g, int e, int k) const {
    return load_batch(entries.data() + g.first_entry + e * g.stride + k);
  }
  template <class F>
  void each_batch(F&& f) const {
    for (const RowGroup& g : groups())
      for (int k = 0; k < g.rows; k += batch_lanes<T>) f(g, k);
  }
};

}  // namespace taut
