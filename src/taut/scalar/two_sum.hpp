// Sums that lose nothing.
#pragma once

namespace taut {

// sum = a + b rounded, and what that lost, exactly (Møller 1965, Knuth; -ffp-contract=off, no -ffast-math).
template <class T>
struct TwoSum {
  T sum, lost;
  TwoSum(const T& a, const T& b) : sum(a + b) {
    const T b_seen = sum - a;
    lost = (a - (sum - b_seen)) + (b - b_seen);
  }
};

}  // namespace taut
