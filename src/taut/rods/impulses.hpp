// What impulses along the rods of a chain in order do to its particles, and a look at the true residuals where these arrive. Rods point from the lower particle
// to the next here, which changes no μ. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/path.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/compensated_sum.hpp>
#include <taut/scalar/flatten.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace taut {

template <int dimension>
class RodImpulses {
 public:
  explicit RodImpulses(std::shared_ptr<const RodPath> path) : path_(std::move(path)) {}

  // The end of a flight for the particles at the lower ends of the rods begin … end - 1, with `before` the impulse along rod begin - 1, and along[k] that of
  // rod begin + k. What is looked at are the rods between them.
  template <bool to_rounding>
  TAUT_KERNEL RodLook fly(int begin, int end, double before, const double* along, const RodFlight& of) const {
    const RodFlight flight = of;
    const double *weight = path_->rods.weight.data(), *lengths = path_->rods.length.data();
    const int particles = path_->rods.particles;
    const S h(flight.h);
    return each_impulse<to_rounding>(
        begin, end, before, along, flight.q.from,
        [&](int i, int count, const V& dp, const V&) {
          const S drift = h * load_batch(weight + i, count);
          Moved moved;
          unroll<dimension>([&]<int a>() {
            const int j = a * particles + i;
            const S p = add(flight.p, j, count, dp.v[a]);
            moved.value.v[a] = add(flight.q, j, count, drift * p);
            if constexpr (to_rounding) moved.size.v[a] = magnitude(moved.value.v[a]);
          });
          return moved;
        },
        [&](const V&, const V& r, const V& size, int row, int count) {
          const S length = load_batch(lengths + row, count), length2 = length * length;
          const S g = magnitude((r.dot(r) - length2) * S(0.5));
          if constexpr (!to_rounding) return g;
          return S(g - S(epsilon<double>()) * (reach(r, size) + S(length_terms) * length2));
        });
  }
  // A look at one rod, where it arrived.
  template <bool to_rounding>
  RodLook length_of(int row, const double* q) const {
    double sum = 0, moved = 0;
    for (int a = 0; a < dimension; ++a) {
      const double* x = q + a * path_->rods.particles + path_->lower(row);
      const double r = x[0] - x[1];
      sum += r * r;
      moved += std::abs(r) * (std::abs(x[0]) + std::abs(x[1]));
    }
    const double length2 = path_->rods.length[row] * path_->rods.length[row], g = std::abs(sum - length2) / 2;
    return {or_beyond(to_rounding ? g - epsilon<double>() * (moved + length_terms * length2) : g), 0};
  }
  // The same for the rods from one block to the next, when all have arrived.
  template <bool to_rounding>
  RodLook arrived(const RodFlight& flight) const {
    return between_blocks([&](int row) { return length_of<to_rounding>(row, flight.q.to); });
  }

  // The end of a projection, likewise: momenta, and a look at G W p.
  template <bool to_rounding>
  TAUT_KERNEL RodLook part(int begin, int end, double before, const double* q, const RodSums& of,
                           const double* nu) const {
    const RodSums p = of;
    const double* weights = path_->rods.weight.data();
    const int particles = path_->rods.particles;
    S fastest(0);
    RodLook look = each_impulse<to_rounding>(
        begin, end, before, nu + begin, q,
        [&](int i, int count, const V& dp, const V& strain) {
          const S weight = load_batch(weights + i, count);
          Moved moved;
          unroll<dimension>([&]<int a>() {
            const S v = weight * add(p, a * particles + i, count, dp.v[a]);
            moved.value.v[a] = v;
            if constexpr (to_rounding) moved.size.v[a] = magnitude(v) + weight * strain.v[a];
          });
          return moved;
        },
        [&](const V& b, const V& dv, const V& size, int, int) {
          const S product = magnitude(b.dot(dv));
          if constexpr (!to_rounding) return product;
          unroll<dimension>([&]<int a>() { fastest = larger(fastest, size.v[a]); });
          return S(product - S(velocity_slack * epsilon<double>() / 2) * reach(b, size));
        });
    look.speed = largest_lane(fastest);
    return look;
  }
  // A look at one rod; nu: what has changed the momenta, if anything has.
  template <bool to_rounding>
  RodLook velocity_along(int row, const double* q, const double* p, const double* nu) const {
    const auto lower = [&](int k) { return path_->lower(k); };
    const auto strain = [&](int k, const double* x) {
      if (nu == nullptr || k < path_->first || k >= path_->end()) return 0.0;
      return std::abs(nu[k] * (x[lower(k)] - x[lower(k) + 1]));
    };
    const RodList& rods = path_->rods;
    double sum = 0, size = 0;
    for (int a = 0; a < dimension; ++a) {
      const double* x = q + a * rods.particles;
      double v[2];
      for (int end = 0; end < 2; ++end) {
        const int i = lower(row) + end;
        v[end] = rods.weight[i] * p[a * rods.particles + i];
        const double strained = rods.weight[i] * (strain(row + end - 1, x) + strain(row + end, x));
        size += std::abs(x[lower(row)] - x[lower(row) + 1]) * (std::abs(v[end]) + strained);
      }
      sum += (x[lower(row)] - x[lower(row) + 1]) * (v[0] - v[1]);
    }
    const double unit = to_rounding ? velocity_slack * epsilon<double>() / 2 * size : 0;
    return {or_beyond(std::abs(sum) - unit), 0};
  }
  template <bool to_rounding>
  RodLook parted(const double* q, const double* p, const double* nu) const {
    return between_blocks([&](int row) { return velocity_along<to_rounding>(row, q, p, nu); });
  }
  // Is G W p within the tolerance, or at rounding, for all rods?
  template <bool to_rounding>
  bool rests(const double* q, const double* p, double tolerance) const {
    bool all = true;
    for (int row = path_->first; all && row < path_->end(); ++row)
      all = velocity_along<to_rounding>(row, q, p, nullptr).excess <= tolerance;
    return all;
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  // Vectors of eight particles, and the sizes of the terms that were added up for them.
  struct Moved {
    V value, size;
  };

  // Σ |r| size
  static S reach(const V& r, const V& size) {
    S sum(0);
    unroll<dimension>([&]<int a>() { sum += magnitude(r.v[a]) * size.v[a]; });
    return sum;
  }
  // What impulses along the rods do to the particles at the lower ends of the rods begin … end - 1, eight at a time: move(i, count, dp, strain) changes
  // the particles i … by impulses that come to dp, in size to `strain`, and gives what their rods are to be looked at for: excess(b, differences of that, sums of
  // sizes, row, count). l[k]: the impulse along rod begin + k; before: that along the rod before them.
  template <bool to_rounding, class Move, class Excess>
  RodLook each_impulse(int begin, int end, double before, const double* l, const double* q, Move&& move,
                       Excess&& excess) const {
    const int particles = path_->rods.particles, shift = path_->lower(begin) - begin;
    V impulse_before, b_before{};
    Moved moved_before{};
    unroll<dimension>([&]<int a>() {
      const double* x = q + a * particles + begin + shift;
      impulse_before.v[a] = S(begin > path_->first ? before * (x[-1] - x[0]) : 0.0);
    });
    S largest(-1e300);
    Mask<S> numbers(true);
    const auto of_batch = [&](const V& b, const Moved& here, const Moved& after, int row, int count) {
      V r, size;
      unroll<dimension>([&]<int a>() {
        r.v[a] = here.value.v[a] - before_first(here.value.v[a], after.value.v[a]);
        if constexpr (to_rounding) size.v[a] = here.size.v[a] + before_first(here.size.v[a], after.size.v[a]);
      });
      return excess(b, r, size, row, count);
    };
    // joined: so many of the particles have a rod to the next one
    const auto eight = [&](int row, int count, int joined) {
      const S along = load_batch(l + (row - begin), joined);
      V b, dp, strain;
      unroll<dimension>([&]<int a>() {
        const double* x = q + a * particles + row + shift;
        b.v[a] = load_batch(x, count) - load_batch(x + 1, joined);
        const S impulse = along * b.v[a], other = after_last(impulse_before.v[a], impulse);
        dp.v[a] = other - impulse;
        if constexpr (to_rounding) strain.v[a] = magnitude(other) + magnitude(impulse);
        impulse_before.v[a] = impulse;
      });
      const Moved moved = move(row + shift, count, dp, strain);
      if (row > begin) {
        const S x = of_batch(b_before, moved_before, moved, row - batch_size, batch_size);
        largest = larger(largest, x);
        numbers = numbers && x <= S(1e300);
      }
      b_before = b;
      moved_before.value = moved.value;
      if constexpr (to_rounding) moved_before.size = moved.size;
    };
    int row = begin;
    for (; row + batch_size < end; row += batch_size) eight(row, batch_size, batch_size);
    eight(row, end - row, std::min(end, path_->end()) - row);
    RodLook look{all(numbers) ? largest_lane(largest) : 2e300, 0};
    const S last = of_batch(b_before, moved_before, moved_before, row, end - 1 - row);
    for (int i = 0; i < end - 1 - row; ++i) look.excess = std::max(look.excess, or_beyond(last[i]));
    return look;
  }
  // Batches of a sum; compensated where it is kept so.
  static S add(const RodSums& sum, int j, int count, const S& d) {
    const S before = load_batch(sum.from + j, count);
    S after;
    if (sum.from_low == nullptr) {
      after = before + d;
    } else {
      const CompensatedSum<S> t(before, load_batch(sum.from_low + j, count), d);
      after = t.sum;
      store_batch(sum.to_low + j, t.low, count);
    }
    store_batch(sum.to + j, after, count);
    return after;
  }

  template <class Look>
  RodLook between_blocks(Look&& look) const {
    RodLook all;
    for (int block = 1; block < path_->cut.blocks; ++block)
      all = worse(all, look(path_->first_row(block) - 1));
    return all;
  }

  std::shared_ptr<const RodPath> path_;
};

}  // namespace taut
