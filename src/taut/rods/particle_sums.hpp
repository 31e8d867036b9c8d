// The kick and the drift of eight particles, with plain or compensated sums, by the text of
// kick_and_drift.hpp.
#pragma once

#include <taut/problem/kick_and_drift.hpp>
#include <taut/rods/rod_solver.hpp>
#include <taut/scalar/batch.hpp>

#include <type_traits>

namespace taut {

// Eight numbers that something is added to.
template <bool with_low_parts>
using EightSums = std::conditional_t<with_low_parts, CompensatedSum<Batch<double>>, Batch<double>>;

// The sums without their low parts.
inline const Batch<double>& high(const Batch<double>& x) { return x; }
inline const Batch<double>& high(const CompensatedSum<Batch<double>>& x) { return x.sum; }

// Loads the sums from j on; `count` of them are there.
template <bool with_low_parts>
EightSums<with_low_parts> load_sums(const RodSums& x, int j, int count) {
  if constexpr (with_low_parts)
    return {load_batch(x.from + j, count), load_batch(x.from_low + j, count)};
  else
    return load_batch(x.from + j, count);
}
inline void store_sums(const RodSums& x, int j, int count, const Batch<double>& sums) {
  store_batch(x.to + j, sums, count);
}
inline void store_sums(const RodSums& x, int j, int count, const CompensatedSum<Batch<double>>& sums) {
  store_batch(x.to + j, sums.sum, count);
  store_batch(x.to_low + j, sums.low, count);
}

template <bool with_low_parts>
EightSums<with_low_parts> kick_eight_as(const RodSums& p, int j, int count, const Batch<double>& dp) {
  const EightSums<with_low_parts> after = kicked(load_sums<with_low_parts>(p, j, count), dp);
  store_sums(p, j, count, after);
  return after;
}
template <bool with_low_parts>
Batch<double> kick_and_drift_eight_as(const RodStep& step, int j, int count, const Batch<double>& dp,
                                      const Batch<double>& hw) {
  using Sums = EightSums<with_low_parts>;
  const Sums p = kick_eight_as<with_low_parts>(step.p, j, count, dp);
  const Sums q = drifted(load_sums<with_low_parts>(step.q, j, count), Sums(hw * p));
  store_sums(step.q, j, count, q);
  return high(q);
}

// Adds dp to the momenta j …, and returns the new ones.
inline Batch<double> kick_eight(const RodSums& p, int j, int count, const Batch<double>& dp) {
  return p.from_low ? high(kick_eight_as<true>(p, j, count, dp)) : kick_eight_as<false>(p, j, count, dp);
}
// Adds dp to the momenta j …, lets the particles drift, and returns the new positions. hw is h times 1/mass.
inline Batch<double> kick_and_drift_eight(const RodStep& step, int j, int count, const Batch<double>& dp,
                                          const Batch<double>& hw) {
  return step.q.from_low ? kick_and_drift_eight_as<true>(step, j, count, dp, hw)
                         : kick_and_drift_eight_as<false>(step, j, count, dp, hw);
}

}  // namespace taut
