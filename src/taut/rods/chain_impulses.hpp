// What impulses along the rods of a chain do to its particles, and the true residuals at the end. Rods point
// from the lower particle to the next one here, which changes no μ. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/chain_path.hpp>
#include <taut/rods/forecast.hpp>
#include <taut/rods/particle_sums.hpp>
#include <taut/rods/rod_vectors.hpp>
#include <taut/scalar/flatten.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace taut {

template <int dimension>
class ChainImpulses {
 public:
  explicit ChainImpulses(std::shared_ptr<const ChainPath> path) : path_(std::move(path)) {}

  // Ends a step for the particles at the lower ends of the rods begin … end - 1. `before` is the impulse
  // along rod begin - 1, and along[k] that of rod begin + k. Returns the residuals of the rods between these
  // particles.
  template <bool to_rounding>
  TAUT_KERNEL RodExcess kick_and_drift(int begin, int end, double before, const double* along,
                                       const RodStep& given) const {
    const RodStep step = given;
    const double *weight = path_->rods.weight.data(), *lengths = path_->rods.length.data();
    const int particles = path_->rods.particles;
    const S h(step.h);
    return each_impulse<to_rounding>(
        begin, end, before, along, step.q.from,
        [&](int i, int count, const V& dp, const V&) {
          const S hw = h * load_batch(weight + i, count);
          Moved moved;
          unroll<dimension>([&]<int a>() {
            moved.value.v[a] = kick_and_drift_eight(step, a * particles + i, count, dp.v[a], hw);
            if constexpr (to_rounding) moved.size.v[a] = magnitude(moved.value.v[a]);
          });
          return moved;
        },
        [&](const V&, const V& r, const V& size, int rod, int count) {
          const S length = load_batch(lengths + rod, count), length2 = length * length;
          const S g = magnitude((r.dot(r) - length2) * S(0.5));
          if constexpr (!to_rounding) return g;
          return S(g - S(epsilon<double>()) * (r.reach(size) + S(length_terms) * length2));
        });
  }
  // Gives the residual of one rod at the end of a step.
  template <bool to_rounding>
  RodExcess length_excess(int rod, const double* q) const {
    double sum = 0, moved = 0;
    for (int a = 0; a < dimension; ++a) {
      const double* x = q + a * path_->rods.particles + path_->lower(rod);
      const double r = x[0] - x[1];
      sum += r * r;
      moved += std::abs(r) * (std::abs(x[0]) + std::abs(x[1]));
    }
    const double length2 = path_->rods.length[rod] * path_->rods.length[rod], g = std::abs(sum - length2) / 2;
    return {huge_if_nan(to_rounding ? g - epsilon<double>() * (moved + length_terms * length2) : g), 0};
  }
  // Gives the residuals of the rods from one block to the next, once all particles have moved.
  template <bool to_rounding>
  RodExcess length_excess_between_blocks(const double* q) const {
    return between_blocks([&](int rod) { return length_excess<to_rounding>(rod, q); });
  }

  // Ends a projection in the same way: changes the momenta, and returns the residuals G W p.
  template <bool to_rounding>
  TAUT_KERNEL RodExcess kick(int begin, int end, double before, const double* q, const RodSums& given,
                             const double* nu) const {
    const RodSums p = given;
    const double* weights = path_->rods.weight.data();
    const int particles = path_->rods.particles;
    S fastest(0);
    RodExcess excess = each_impulse<to_rounding>(
        begin, end, before, nu + begin, q,
        [&](int i, int count, const V& dp, const V& strain) {
          const S weight = load_batch(weights + i, count);
          Moved moved;
          unroll<dimension>([&]<int a>() {
            const S v = weight * kick_eight(p, a * particles + i, count, dp.v[a]);
            moved.value.v[a] = v;
            if constexpr (to_rounding) moved.size.v[a] = magnitude(v) + weight * strain.v[a];
          });
          return moved;
        },
        [&](const V& b, const V& dv, const V& size, int, int) {
          const S product = magnitude(b.dot(dv));
          if constexpr (!to_rounding) return product;
          unroll<dimension>([&]<int a>() { fastest = larger(fastest, size.v[a]); });
          return S(product - S(velocity_slack * epsilon<double>() / 2) * b.reach(size));
        });
    excess.speed = largest_lane(fastest);
    return excess;
  }
  // Gives the residual b·Δ(W p) of one rod; nu holds the impulses that have changed the momenta, or is null.
  template <bool to_rounding>
  RodExcess velocity_excess(int rod, const double* q, const double* p, const double* nu) const {
    const RodList& rods = path_->rods;
    double sum = 0, size = 0;
    for (int a = 0; a < dimension; ++a) {
      const double *x = q + a * rods.particles + path_->lower(rod), b = x[0] - x[1];
      double v[2];
      for (int end = 0; end < 2; ++end) {
        const int i = path_->lower(rod) + end;
        v[end] = rods.weight[i] * p[a * rods.particles + i];
        const double strained =
            rods.weight[i] * (strain(rod + end - 1, a, q, nu) + strain(rod + end, a, q, nu));
        size += std::abs(b) * (std::abs(v[end]) + strained);
      }
      sum += b * (v[0] - v[1]);
    }
    const double unit = to_rounding ? velocity_slack * epsilon<double>() / 2 * size : 0;
    return {huge_if_nan(std::abs(sum) - unit), 0};
  }
  template <bool to_rounding>
  RodExcess velocity_excess_between_blocks(const double* q, const double* p, const double* nu) const {
    return between_blocks([&](int rod) { return velocity_excess<to_rounding>(rod, q, p, nu); });
  }
  // Says whether G W p of all rods is within the tolerance, or at rounding.
  template <bool to_rounding>
  bool momenta_are_tangent(const double* q, const double* p, double tolerance) const {
    bool all = true;
    for (int rod = path_->first; all && rod < path_->end(); ++rod)
      all = velocity_excess<to_rounding>(rod, q, p, nullptr).residual <= tolerance;
    return all;
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  // Vectors of eight particles, and the sizes of the terms that were added up for them.
  struct Moved {
    V value, size;
  };

  // |component a of the impulse along a rod|
  double strain(int rod, int a, const double* q, const double* nu) const {
    if (nu == nullptr || rod < path_->first || rod >= path_->end()) return 0.0;
    const double* x = q + a * path_->rods.particles + path_->lower(rod);
    return std::abs(nu[rod] * (x[0] - x[1]));
  }

  // Impulses that act on eight particles in a row, and the rods that begin at them.
  struct Push {
    V b, dp, strain;
  };
  // Forms them. l: impulses along the rods from `rod` on; the first `count` particles and the first `joined`
  // rods are there. `before` is the impulse vector along the rods before, and then along these.
  template <bool to_rounding>
  Push push_on(int rod, int count, int joined, const double* l, const double* q, V& before) const {
    const S along = load_batch(l, joined);
    Push push;
    unroll<dimension>([&]<int a>() {
      const double* x = q + a * path_->rods.particles + path_->lower(rod);
      push.b.v[a] = load_batch(x, count) - load_batch(x + 1, joined);
      const S impulse = along * push.b.v[a], other = after_last(before.v[a], impulse);
      push.dp.v[a] = other - impulse;
      if constexpr (to_rounding) push.strain.v[a] = magnitude(other) + magnitude(impulse);
      before.v[a] = impulse;
    });
    return push;
  }
  // Applies impulses along the rods to the particles at the lower ends of the rods begin … end - 1, eight at
  // a time. move(i, count, dp, strain) changes the particles i … by dp and returns the vectors whose
  // differences along the rods are to be checked; `strain` is the sum of the sizes of the two impulses in dp.
  // excess(b, difference, sum of sizes, rod, count) gives the residuals. l[k] is the impulse along rod begin
  // + k, `before` that along the rod before them.
  template <bool to_rounding, class Move, class Excess>
  RodExcess each_impulse(int begin, int end, double before, const double* l, const double* q, Move&& move,
                         Excess&& excess) const {
    V impulse_before, b_before{};
    Moved moved_before{};
    unroll<dimension>([&]<int a>() {
      const double* x = q + a * path_->rods.particles + path_->lower(begin);
      impulse_before.v[a] = S(begin > path_->first ? before * (x[-1] - x[0]) : 0.0);
    });
    S largest(-1e300);
    Mask<S> numbers(true);
    const auto excess_before = [&](const Moved& here, int rod, int count) {
      V r, size;
      unroll<dimension>([&]<int a>() {
        r.v[a] = moved_before.value.v[a] - before_first(moved_before.value.v[a], here.value.v[a]);
        if constexpr (to_rounding)
          size.v[a] = moved_before.size.v[a] + before_first(moved_before.size.v[a], here.size.v[a]);
      });
      return excess(b_before, r, size, rod, count);
    };
    // `joined` of the `count` particles have a rod to the next one.
    const auto eight = [&](int rod, int count, int joined) {
      const Push push = push_on<to_rounding>(rod, count, joined, l + (rod - begin), q, impulse_before);
      const Moved moved = move(path_->lower(rod), count, push.dp, push.strain);
      if (rod > begin) {
        const S x = excess_before(moved, rod - batch_size, batch_size);
        largest = larger(largest, x);
        numbers = numbers && x <= S(1e300);
      }
      b_before = push.b;
      moved_before.value = moved.value;
      if constexpr (to_rounding) moved_before.size = moved.size;
    };
    int rod = begin;
    for (; rod + batch_size < end; rod += batch_size) eight(rod, batch_size, batch_size);
    eight(rod, end - rod, std::min(end, path_->end()) - rod);
    RodExcess worst{all(numbers) ? largest_lane(largest) : 2e300, 0};
    const S last = excess_before(moved_before, rod, end - 1 - rod);
    for (int i = 0; i < end - 1 - rod; ++i) worst.residual = std::max(worst.residual, huge_if_nan(last[i]));
    return worst;
  }

  template <class Excess>
  RodExcess between_blocks(Excess&& excess) const {
    RodExcess all;
    for (int block = 1; block < path_->cut.blocks; ++block)
      all = worse(all, excess(path_->first_rod(block) - 1));
    return all;
  }

  std::shared_ptr<const ChainPath> path_;
};

}  // namespace taut
