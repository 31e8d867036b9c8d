// Lists of places in long arrays, laid out for batches of eight. To make or read a list this header is
// enough; to gather and scatter one needs batch.hpp, which defines the batches.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace taut {

template <int n>
struct Pack;  // pack.hpp

inline constexpr int batch_size = 8;  // lists are padded to this, whatever the scalar

template <class T>
inline constexpr int batch_lanes = 1;
template <>
inline constexpr int batch_lanes<double> = batch_size;

template <class T>
using Batch = std::conditional_t<batch_lanes<T> == 1, T, Pack<batch_size>>;

constexpr int padded(int count) { return (count + batch_size - 1) / batch_size * batch_size; }

template <class T>
Batch<T> load_batch(const T* from);
template <class T>
void store_batch(T* to, const Batch<T>& x);

// A padded list of places in an array, in batches. If the places of a batch are consecutive, it is read and
// written as a whole.
class Places {
 public:
  Places() = default;
  // Padding repeats the first place, which is read and never written.
  explicit Places(std::vector<int> places) : count_(static_cast<int>(places.size())), at_(std::move(places)) {
    at_.resize(padded(count_), count_ > 0 ? at_.front() : 0);
    start_.resize(at_.size() / batch_size);
    for (std::size_t b = 0; b < start_.size(); ++b) {
      const int* at = &at_[b * batch_size];
      bool run = static_cast<int>(b + 1) * batch_size <= count_;
      for (int i = 1; i < batch_size; ++i) run = run && at[i] == at[0] + i;
      start_[b] = run ? at[0] : -1;
    }
  }

  int size() const { return count_; }
  int operator[](int k) const { return at_[static_cast<std::size_t>(k)]; }
  // Says how many lanes of the batch that begins at k are not padding.
  template <class T>
  int lanes(int k) const {
    return std::min(batch_lanes<T>, count_ - k);
  }

  // Gives the first place of the batch that begins at k if the others follow it, otherwise -1.
  int run(int k) const { return start_[k / batch_size]; }

  // Reads the batch that begins at k, a multiple of the number of lanes.
  template <class T>
  Batch<T> gather(const T* from, int k) const {
    if constexpr (batch_lanes<T> == 1) {
      return from[at_[k]];
    } else {
      if (const int start = start_[k / batch_size]; start >= 0) return load_batch(from + start);
      Batch<T> x;
      for (int i = 0; i < batch_size; ++i) x.set(i, from[at_[k + i]]);
      return x;
    }
  }
  template <class T>
  void scatter(T* to, int k, const Batch<T>& x) const {
    if constexpr (batch_lanes<T> == 1) {
      to[at_[k]] = x;
    } else {
      if (const int start = start_[k / batch_size]; start >= 0) return store_batch(to + start, x);
      for (int i = 0; i < lanes<T>(k); ++i) to[at_[k + i]] = x[i];
    }
  }
  // Adds x to the batch that begins at k. A place may stand in a batch more than once.
  template <class T>
  void add(T* to, int k, const Batch<T>& x) const {
    if constexpr (batch_lanes<T> == 1) {
      to[at_[k]] += x;
    } else {
      if (const int start = start_[k / batch_size]; start >= 0)
        return store_batch(to + start, Batch<T>(load_batch(to + start) + x));
      for (int i = 0; i < lanes<T>(k); ++i) to[at_[k + i]] += x[i];
    }
  }

 private:
  int count_ = 0;
  std::vector<int> at_;
  std::vector<int> start_;  // for each batch: its first place if the others follow it, otherwise -1
};

}  // namespace taut
