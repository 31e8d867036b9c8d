// The kick and the drift of eight particles, with plain or compensated sums.
#pragma once

#include <taut/rods/rod_solver.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/compensated_sum.hpp>

namespace taut {

// Adds d to the sums j …, of which `count` are there, and returns the new ones.
inline Batch<double> add_eight(const RodSums& sum, int j, int count, const Batch<double>& d) {
  const Batch<double> before = load_batch(sum.from + j, count);
  Batch<double> after;
  if (sum.from_low == nullptr) {
    after = before + d;
  } else {
    const CompensatedSum<Batch<double>> t(before, load_batch(sum.from_low + j, count), d);
    after = t.sum;
    store_batch(sum.to_low + j, t.low, count);
  }
  store_batch(sum.to + j, after, count);
  return after;
}
inline Batch<double> kick_eight(const RodSums& p, int j, int count, const Batch<double>& dp) {
  return add_eight(p, j, count, dp);
}
inline Batch<double> kick_and_drift_eight(const RodStep& step, int j, int count, const Batch<double>& dp,
                                          const Batch<double>& hw) {
  return add_eight(step.q, j, count, hw * add_eight(step.p, j, count, dp));
}

}  // namespace taut
