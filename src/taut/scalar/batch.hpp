// Works on eight terms of a long list at once, in the loops over particles, constraints and components of one
// system. A Batch<double> is a pack of eight lanes; other scalars go one by one, through the same text.
#pragma once

#include <taut/scalar/pack.hpp>
#include <taut/scalar/places.hpp>

#include <array>
#include <cstring>

namespace taut {

template <class T>
Batch<T> load_batch(const T* from) {
  if constexpr (batch_lanes<T> == 1) {
    return *from;
  } else {
    return Batch<T>::load(from);
  }
}
template <class T>
void store_batch(T* to, const Batch<T>& x) {
  if constexpr (batch_lanes<T> == 1)
    *to = x;
  else
    x.store(to);
}

template <class T>
T lane_of(const T& x, int) {
  return x;
}
inline double lane_of(const Pack<batch_size>& x, int lane) { return x[lane]; }
template <class T>
void set_lane(T& x, int, const T& value) {
  x = value;
}
inline void set_lane(Pack<batch_size>& x, int lane, double value) { x.set(lane, value); }

inline double largest_lane(const Pack<batch_size>& x) {
  auto one = x.v[0];
  unroll<PackLayout<batch_size>::registers - 1>(
      [&]<int r>() { one = registers::largest_of_two(one, x.v[r + 1]); });
  return registers::largest_lane(one);
}

// Reads or writes the first `count` lanes only. The other lanes are 0 in the batch that is read; in memory
// the numbers after the first `count` stay as they are.
template <class T>
Batch<T> load_batch(const T* from, int count) {
  if (count >= batch_lanes<T>) return load_batch(from);
  Batch<T> x(0);
  for (int i = 0; i < count; ++i) set_lane(x, i, from[i]);
  return x;
}
template <class T>
void store_batch(T* to, const Batch<T>& x, int count) {
  if (count >= batch_lanes<T>) return store_batch(to, x);
  for (int i = 0; i < count; ++i) to[i] = lane_of(x, i);
}

// Marks the lanes from … to - 1. store_where() writes the marked lanes and leaves the other numbers in memory
// alone.
inline Mask<Batch<double>> lanes_between(int from, int to) {
  double number[batch_size];
  for (int i = 0; i < batch_size; ++i) number[i] = i;
  const Batch<double> lane = load_batch(number);
  return Batch<double>(from) <= lane && lane < Batch<double>(to);
}
inline void store_where(const Mask<Batch<double>>& mask, double* to, const Batch<double>& x) {
  using Layout = Batch<double>::Layout;
  unroll<Layout::registers>(
      [&]<int r>() { registers::store_where(mask.m[r], x.v[r], to + r * Layout::width); });
}

namespace batch_detail {

// The compiler's own vectors have shuffles, which registers lack.
using Row = double __attribute__((vector_size(batch_size * sizeof(double))));
static_assert(sizeof(Row) == sizeof(Batch<double>));

}  // namespace batch_detail

// Returns before[7], x[0] … x[6].
inline Batch<double> after_last(const Batch<double>& before, const Batch<double>& x) {
  batch_detail::Row a, b;
  std::memcpy(&a, &before, sizeof a);
  std::memcpy(&b, &x, sizeof b);
  a = __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14);
  Batch<double> y;
  std::memcpy(&y, &a, sizeof a);
  return y;
}
// Returns x[1] … x[7], after[0].
inline Batch<double> before_first(const Batch<double>& x, const Batch<double>& after) {
  batch_detail::Row a, b;
  std::memcpy(&a, &x, sizeof a);
  std::memcpy(&b, &after, sizeof b);
  a = __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8);
  Batch<double> y;
  std::memcpy(&y, &a, sizeof a);
  return y;
}

// Exchanges lane i of batch k with lane k of batch i: eight consecutive numbers of each of eight lists become
// eight batches, and back.
inline void transpose(std::array<Batch<double>, batch_size>& x) {
  batch_detail::Row a[batch_size], b[batch_size];
  std::memcpy(a, x.data(), sizeof x);
  for (int i = 0; i < batch_size; i += 2) {  // lanes, then pairs, then halves
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < batch_size; i += 4)
    for (int k = i; k < i + 2; ++k) {
      a[k] = __builtin_shufflevector(b[k], b[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[k + 2] = __builtin_shufflevector(b[k], b[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < batch_size / 2; ++k) {
    b[k] = __builtin_shufflevector(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[k + 4] = __builtin_shufflevector(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  std::memcpy(x.data(), b, sizeof x);
}

}  // namespace taut
