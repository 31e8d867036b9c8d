// Rows of K and g for eight pieces of a chain of rods, in Newton's iteration (chain.hpp), and their
// elimination.
#pragma once

#include <taut/rods/chain_block.hpp>
#include <taut/solve/elimination.hpp>

namespace taut {

struct alignas(64) RodCouplings {
  double own[batch_size], next[batch_size];  // C(t, t), C(t, t+1)
  bool operator==(const RodCouplings&) const = default;
};

struct RodRow {
  Batch<double> g, diagonal, lower, upper;  // g, and three entries of a row of K
};

// Holds b and μ b of the rods t-1, t and t+1. first: μ = 0.
template <int dimension>
struct ThreeRods {
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  V before, here, after, moved_before, moved_here, moved_after;

  template <bool first>
  void next() {
    before = here;
    here = after;
    if constexpr (!first) {
      moved_before = moved_here;
      moved_here = moved_after;
    }
  }
  // Forms the row of rod t; c = C(t-1, t).
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

// Eliminates from left to right inside eight pieces, (Z1)-(Z4). It holds what the last row left and what the
// pieces leave on the separators to their left. rho is the fill of the separator's column per unit of its
// coupling to the piece.
struct PieceElimination {
  using S = Batch<double>;
  S v{0}, w{0}, z{0}, rho{1}, left_d{0}, left_y{0}, largest{0};
  Mask<S> sound{true};

  // first: the row is the first of its piece, and `row.lower` couples it to the separator.
  void take(const RodRow& row, bool first) {
    largest = larger(largest, magnitude(row.g));
    S d = row.diagonal, s = row.lower, y = row.g;
    if (!first) {
      d = row.diagonal - row.lower * v;
      s = -(row.lower * w);
      y = row.g - row.lower * z;
      rho = -(v * rho);
    }
    const S pivot = S(1) / d;
    sound = sound && !pivot_vanished(pivot, row.diagonal);
    v = row.upper * pivot;
    w = s * pivot;
    z = y * pivot;
    left_d -= rho * w;
    left_y -= rho * z;
  }
  void store(EliminatedRows& to) const {
    store_batch(to.v, v);
    store_batch(to.w, w);
    store_batch(to.z, z);
  }
};

}  // namespace taut
