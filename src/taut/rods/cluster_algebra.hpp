// The equations of eight clusters of rods of one shape, one in each lane: rods and impulses of particles, and Newton's iteration for μ with a full matrix of m × m
// numbers. All is in registers and the nearest cache (rod_clusters.hpp).
#pragma once

#include <taut/rods/cluster_progress.hpp>
#include <taut/rods/cluster_shape.hpp>
#include <taut/rods/rods.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/compensated_sum.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/solve/elimination.hpp>

#include <array>
#include <type_traits>

namespace taut {

template <int dimension, class Shape>
class ClusterAlgebra {
 public:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  static constexpr int most_rods = Shape::most_rods, most_members = Shape::most_members;
  using Coordinates = std::array<std::array<S, most_members>, dimension>;

  struct alignas(64) Weights {
    double coupling[most_rods][most_rods][batch_size], weight[most_members][batch_size];
    double sign[most_rods][batch_size];  // of the rods as G has them
  };
  struct alignas(64) Lengths {
    double length2[most_rods][batch_size];
  };
  // What the iteration of one batch works on: rods before and after the step, g, the sum of the corrections, and K = LU.
  struct Work {
    std::array<V, most_rods> b, r;
    std::array<S, most_rods> g, delta;
    std::array<std::array<S, most_rods>, most_rods> K;
    std::array<S, most_rods> inverse;  // of the pivots
  };

  struct None {};
  // Sums, what is added to them and what comes out; `low`: what rounding cut off.
  template <bool compensated>
  struct Sums {
    Coordinates from, to;
    std::conditional_t<compensated, Coordinates, None> low, to_low;

    void add(int a, int j, const S& d) {
      if constexpr (compensated) {
        const CompensatedSum<S> t(from[a][j], low[a][j], d);
        to[a][j] = t.sum;
        to_low[a][j] = t.low;
      } else {
        to[a][j] = from[a][j] + d;
      }
    }
  };

  explicit ClusterAlgebra(const RodCluster& one) : shape_(one) {}
  const Shape& shape() const { return shape_; }

  template <class F>
  void each_member(F&& f) const {
    each(Known<0>{}, shape_.members(), f);
  }
  template <class F>
  void each_rod(F&& f) const {
    each(Known<0>{}, shape_.rods(), f);
  }
  template <class F>
  void each_rod_back(F&& f) const {
    if constexpr (Shape::known)
      unroll<most_rods>([&]<int k>() { f(Known<most_rods - 1 - k>{}); });
    else
      for (int k = shape_.rods() - 1; k >= 0; --k) f(k);
  }
  // those after rod k
  template <class I, class F>
  void each_further(I k, F&& f) const {
    each(after(k), shape_.rods(), f);
  }

  // x_first - x_second
  void between(const Coordinates& x, std::array<V, most_rods>& r) const {
    each_rod([&](auto k) {
      unroll<dimension>([&]<int a>() { r[k].v[a] = x[a][shape_.first(k)] - x[a][shape_.second(k)]; });
    });
  }
  // x = -Gᵀl
  void impulse(const std::array<V, most_rods>& b, const std::array<S, most_rods>& l, Coordinates& x) const {
    each_member([&](auto j) { unroll<dimension>([&]<int a>() { x[a][j] = S(0); }); });
    each_rod([&](auto k) {
      unroll<dimension>([&]<int a>() {
        const S one = b[k].v[a] * l[k];
        x[a][shape_.first(k)] -= one;
        x[a][shape_.second(k)] += one;
      });
    });
  }
  // p - Gᵀl
  template <bool compensated>
  void kick(Sums<compensated>& p, const std::array<V, most_rods>& b,
            const std::array<S, most_rods>& l) const {
    Coordinates dp;
    if (any_of(l))
      impulse(b, l, dp);
    else
      each_member([&](auto j) { unroll<dimension>([&]<int a>() { dp[a][j] = S(0); }); });
    each_member([&](auto j) { unroll<dimension>([&]<int a>() { p.add(a, j, dp[a][j]); }); });
  }
  bool any_of(const std::array<S, most_rods>& l) const {
    Mask<S> none(true);
    each_rod([&](auto k) { none = none && l[k] == S(0); });
    return !all(none);
  }

  void residual(const Lengths& lengths, Work& w) const {
    each_rod([&](auto k) { w.g[k] = (w.r[k].dot(w.r[k]) - load_batch(lengths.length2[k])) * S(0.5); });
  }
  // False for a NaN.
  bool within(const std::array<S, most_rods>& g, double tolerance) const {
    Mask<S> inside(true);
    each_rod([&](auto k) { inside = inside && magnitude(g[k]) <= S(tolerance); });
    return all(inside);
  }

  // g ← G W p, p after impulses -Gᵀl. Is it within the tolerance, or at rounding where that is 0? What hardly moves feels the rounding of the others, and of the impulses.
  bool rests(const Weights& weights, const Coordinates& p, const std::array<S, most_rods>& l,
             double tolerance, Work& w) const {
    Coordinates v;
    each_member([&](auto j) {
      const S weight = load_batch(weights.weight[j]);
      unroll<dimension>([&]<int a>() { v[a][j] = weight * p[a][j]; });
    });
    between(v, w.r);
    each_rod([&](auto k) { w.g[k] = w.b[k].dot(w.r[k]); });
    if (tolerance > 0) return within(w.g, tolerance);
    S speed(0);
    each_member(
        [&](auto j) { unroll<dimension>([&]<int a>() { speed = larger(speed, magnitude(v[a][j])); }); });
    each_rod([&](auto k) {
      speed = larger(speed, load_batch(weights.coupling[k][k]) * magnitude(l[k]) * extent(w.b[k]));
    });
    const S unit = S(velocity_slack * epsilon<double>()) * speed;
    Mask<S> inside(true);
    each_rod([&](auto k) { inside = inside && magnitude(w.g[k]) <= unit * extent(w.b[k]); });
    return all(inside);
  }
  // r after the drift: what the particles move by is added to b, so that where the cluster stands does not round it.
  template <bool compensated>
  void ahead(const Weights& weights, double h, const Sums<compensated>& q, const Sums<compensated>& p,
             Work& w) const {
    Coordinates moved;
    each_member([&](auto j) {
      const S hw = S(h) * load_batch(weights.weight[j]);
      unroll<dimension>([&]<int a>() {
        moved[a][j] = hw * p.to[a][j];
        if constexpr (compensated) moved[a][j] += q.low[a][j];
      });
    });
    between(moved, w.r);
    each_rod([&](auto k) { w.r[k] = w.b[k] + w.r[k]; });
  }
  // Is g what rounding of the positions makes of it?
  bool at_rounding(const Lengths& lengths, const Coordinates& x, const Work& w) const {
    Mask<S> inside(true);
    each_rod([&](auto k) {
      S size = S(length_terms) * load_batch(lengths.length2[k]);
      unroll<dimension>([&]<int a>() {
        size +=
            magnitude(w.r[k].v[a]) * (magnitude(x[a][shape_.first(k)]) + magnitude(x[a][shape_.second(k)]));
      });
      inside = inside && magnitude(w.g[k]) <= S(epsilon<double>()) * size;
    });
    return all(inside);
  }

  TAUT_KERNEL RodSolve iterate_apart(const Weights& weights, const Lengths& lengths, Work& w,
                                     const RodGoal& goal, int limit) const {
    return iterate(weights, lengths, w, goal, limit);
  }
  // Corrections in the space of the rods, from r and g on.
  RodSolve iterate(const Weights& weights, const Lengths& lengths, Work& w, const RodGoal& goal,
                   int limit) const {
    ClusterProgress progress(goal);
    each_rod([&](auto k) { w.delta[k] = w.inverse[k] = S(0); });
    each_rod([&](auto k) { each_rod([&](auto l) { w.K[k][l] = S(0); }); });
    RodSolve result;
    for (;;) {
      S largest(0);
      each_rod([&](auto k) { largest = larger(largest, magnitude(w.g[k])); });
      const auto [keep, last] = progress.next(largest_lane(largest));
      if (!keep) result.sound = factor(weights, w);
      substitute(w);
      ++result.corrections;
      each_rod([&](auto k) { w.delta[k] += w.g[k]; });
      if (last || result.corrections >= limit || !result.sound) {
        result.sound = result.sound && last;
        return result;
      }
      Coordinates moved;
      impulse(w.b, w.g, moved);
      each_member([&](auto j) {
        const S weight = load_batch(weights.weight[j]);
        unroll<dimension>([&]<int a>() { moved[a][j] *= weight; });
      });
      std::array<V, most_rods> change;
      between(moved, change);
      each_rod([&](auto k) { w.r[k] = w.r[k] + change[k]; });
      residual(lengths, w);
    }
  }

  // K(k, l) = C(k, l) b_k·b_l = LDLᵀ without pivoting, Lᵀ above the diagonal; false where a pivot vanished.
  bool factor_symmetric(const Weights& weights, Work& w) const {
    const auto product = [&](auto k, auto l) {
      w.K[k][l] = load_batch(weights.coupling[k][l]) * w.b[k].dot(w.b[l]);
    };
    each_rod([&](auto k) {
      product(k, k);
      each_further(k, [&](auto l) { product(k, l); });
    });
    const auto diagonal = diagonal_of(w);
    each_rod([&](auto k) {
      w.inverse[k] = S(1) / w.K[k][k];
      each_further(k, [&](auto l) {
        const S f = w.K[k][l] * w.inverse[k];
        w.K[l][l] -= f * w.K[k][l];
        each_further(l, [&](auto j) { w.K[l][j] -= f * w.K[k][j]; });
        w.K[k][l] = f;
      });
    });
    return sound(w, diagonal);
  }
  // g ← K⁻¹ g
  void substitute_symmetric(Work& w) const {
    each_rod([&](auto k) { each_further(k, [&](auto l) { w.g[l] -= w.K[k][l] * w.g[k]; }); });
    each_rod([&](auto k) { w.g[k] *= w.inverse[k]; });
    each_rod_back([&](auto k) { each_further(k, [&](auto l) { w.g[k] -= w.K[k][l] * w.g[l]; }); });
  }

 private:
  // K(k, l) = C(k, l) r_k·b_l = LU likewise.
  bool factor(const Weights& weights, Work& w) const {
    each_rod([&](auto k) {
      each_rod([&](auto l) { w.K[k][l] = load_batch(weights.coupling[k][l]) * w.r[k].dot(w.b[l]); });
    });
    const auto diagonal = diagonal_of(w);
    each_rod([&](auto k) {
      w.inverse[k] = S(1) / w.K[k][k];
      each_further(k, [&](auto l) {
        w.K[l][k] *= w.inverse[k];
        each_further(k, [&](auto j) { w.K[l][j] -= w.K[l][k] * w.K[k][j]; });
      });
    });
    return sound(w, diagonal);
  }
  void substitute(Work& w) const {
    each_rod([&](auto k) { each_further(k, [&](auto l) { w.g[l] -= w.K[l][k] * w.g[k]; }); });
    each_rod_back([&](auto k) {
      each_further(k, [&](auto l) { w.g[k] -= w.K[k][l] * w.g[l]; });
      w.g[k] *= w.inverse[k];
    });
  }

  std::array<S, most_rods> diagonal_of(const Work& w) const {
    std::array<S, most_rods> diagonal;
    each_rod([&](auto k) { diagonal[k] = w.K[k][k]; });
    return diagonal;
  }
  bool sound(const Work& w, const std::array<S, most_rods>& diagonal) const {
    Mask<S> good(true);
    each_rod([&](auto k) { good = good && !pivot_vanished(w.inverse[k], diagonal[k]); });
    return all(good);
  }

  static S extent(const V& r) {
    S sum(0);
    unroll<dimension>([&]<int a>() { sum += magnitude(r.v[a]); });
    return sum;
  }

  [[no_unique_address]] Shape shape_;
};

}  // namespace taut
