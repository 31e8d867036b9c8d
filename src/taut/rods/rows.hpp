// Rows of K and g for eight pieces of a chain of rods, in Newton's iteration (rod_chains.hpp).
#pragma once

#include <taut/rods/departure.hpp>
#include <taut/rods/rods.hpp>
#include <taut/scalar/batch.hpp>

namespace taut {

struct alignas(64) RodCouplings {
  double own[batch_size], next[batch_size];  // C(t, t), C(t, t+1)
  bool operator==(const RodCouplings&) const = default;
};

struct RodRow {
  Batch<double> g, diagonal, lower, upper;  // of K
};

// b and μ b of the rods t-1, t, t+1. first: μ = 0.
template <int dimension>
struct ThreeRods {
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  V before, here, after, moved_before, moved_here, moved_after;

  template <bool first>
  void go_on() {
    before = here;
    here = after;
    if constexpr (!first) {
      moved_before = moved_here;
      moved_here = moved_after;
    }
  }
  // Of rod t. c = C(t-1, t)
  template <bool first>
  RodRow row(const RodRecord<dimension>& record, const double* length2, const RodCouplings& couplings,
             const S& c) const {
    const S own = load_batch(couplings.own), next = load_batch(couplings.next);
    V r = V::load(record.d());
    if constexpr (!first) r = r - moved_here * own - moved_before * c - moved_after * next;
    return {(r.dot(r) - load_batch(length2)) * S(0.5), own * r.dot(here), c * r.dot(before),
            next * r.dot(after)};
  }
};

}  // namespace taut
