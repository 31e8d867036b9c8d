// The equations of eight clusters of rods of one shape, one in each lane: rods and impulses of particles, and
// Newton's iteration for μ with a full matrix of m × m numbers. Everything is in registers and the nearest
// cache (clusters.hpp).
#pragma once

#include <taut/rods/cluster_shape.hpp>
#include <taut/rods/forecast.hpp>
#include <taut/rods/particle_sums.hpp>
#include <taut/rods/rod_vectors.hpp>
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
  using Along = std::array<S, most_rods>;  // a number for each rod

  struct alignas(64) Weights {
    double coupling[most_rods][most_rods][batch_size], weight[most_members][batch_size];
  };
  struct alignas(64) Lengths {
    double length2[most_rods][batch_size];
  };
  // What the iteration of one batch works on: rods before and after the step, g, the sum of the corrections,
  // K = LU, and 1/pivots.
  struct Work {
    std::array<V, most_rods> b, r;
    Along g, delta;
    std::array<Along, most_rods> K;
    Along inverse;
  };

  struct None {};
  // Sums before and after something is added to them; `low` is what rounding cut off.
  template <bool with_low_parts>
  struct Sums {
    using Number = EightSums<with_low_parts>;
    using Low = std::conditional_t<with_low_parts, Coordinates, None>;
    Coordinates from, to;
    Low low, to_low;

    Number before(int a, int j) const { return at(a, j, from, low); }
    Number after(int a, int j) const { return at(a, j, to, to_low); }
    void set(int a, int j, const Number& x) {
      to[a][j] = high(x);
      if constexpr (with_low_parts) to_low[a][j] = x.low;
    }

   private:
    static Number at(int a, int j, const Coordinates& x, const Low& x_low) {
      if constexpr (with_low_parts)
        return {x[a][j], x_low[a][j]};
      else
        return x[a][j];
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
  // Calls f for the rods after rod k.
  template <class I, class F>
  void each_further(I k, F&& f) const {
    each(after(k), shape_.rods(), f);
  }

  // Forms r = x_first - x_second.
  void differences(const Coordinates& x, std::array<V, most_rods>& r) const {
    each_rod([&](auto k) {
      unroll<dimension>([&]<int a>() { r[k].v[a] = x[a][shape_.first(k)] - x[a][shape_.second(k)]; });
    });
  }
  // Forms x = -Gᵀl.
  void impulse(const std::array<V, most_rods>& b, const Along& l, Coordinates& x) const {
    each_member([&](auto j) { unroll<dimension>([&]<int a>() { x[a][j] = S(0); }); });
    each_rod([&](auto k) {
      unroll<dimension>([&]<int a>() {
        const S one = b[k].v[a] * l[k];
        x[a][shape_.first(k)] -= one;
        x[a][shape_.second(k)] += one;
      });
    });
  }
  // Does p - Gᵀl.
  template <bool with_low_parts>
  void kick(Sums<with_low_parts>& p, const std::array<V, most_rods>& b, const Along& l) const {
    Coordinates dp;
    if (any_of(l))
      impulse(b, l, dp);
    else
      each_member([&](auto j) { unroll<dimension>([&]<int a>() { dp[a][j] = S(0); }); });
    each_member(
        [&](auto j) { unroll<dimension>([&]<int a>() { p.set(a, j, kicked(p.before(a, j), dp[a][j])); }); });
  }
  // Does q + h W p.
  template <bool with_low_parts>
  void drift(const Weights& weights, double h, const Sums<with_low_parts>& p, Sums<with_low_parts>& q) const {
    each_member([&](auto j) {
      const S hw = S(h) * load_batch(weights.weight[j]);
      unroll<dimension>([&]<int a>() {
        q.set(a, j, drifted(q.before(a, j), typename Sums<with_low_parts>::Number(hw * p.after(a, j))));
      });
    });
  }
  bool any_of(const Along& l) const {
    Mask<S> none(true);
    each_rod([&](auto k) { none = none && l[k] == S(0); });
    return !all(none);
  }

  void residual(const Lengths& lengths, Work& w) const {
    each_rod([&](auto k) { w.g[k] = (w.r[k].dot(w.r[k]) - load_batch(lengths.length2[k])) * S(0.5); });
  }
  // Returns false for a NaN.
  bool within(const Along& g, double tolerance) const {
    Mask<S> inside(true);
    each_rod([&](auto k) { inside = inside && magnitude(g[k]) <= S(tolerance); });
    return all(inside);
  }

  // Sets g to G W p, with p after impulses -Gᵀl. Says whether it is within the tolerance, or at rounding if
  // the tolerance is 0. A rod that hardly moves feels the rounding of the others, and of the impulses.
  bool momenta_are_tangent(const Weights& weights, const Coordinates& p, const Along& l, double tolerance,
                           Work& w) const {
    Coordinates v;
    each_member([&](auto j) {
      const S weight = load_batch(weights.weight[j]);
      unroll<dimension>([&]<int a>() { v[a][j] = weight * p[a][j]; });
    });
    differences(v, w.r);
    each_rod([&](auto k) { w.g[k] = w.b[k].dot(w.r[k]); });
    if (tolerance > 0) return within(w.g, tolerance);
    S speed(0);
    each_member(
        [&](auto j) { unroll<dimension>([&]<int a>() { speed = larger(speed, magnitude(v[a][j])); }); });
    each_rod([&](auto k) {
      speed = larger(speed, load_batch(weights.coupling[k][k]) * magnitude(l[k]) * w.b[k].extent());
    });
    const S unit = S(velocity_slack * epsilon<double>()) * speed;
    Mask<S> inside(true);
    each_rod([&](auto k) { inside = inside && magnitude(w.g[k]) <= unit * w.b[k].extent(); });
    return all(inside);
  }
  // Forms r after the drift. What the particles move by is added to b, so that the rounding of r does not
  // depend on how far the cluster is from the origin.
  template <bool with_low_parts>
  void rods_after_drift(const Weights& weights, double h, const Sums<with_low_parts>& q,
                        const Sums<with_low_parts>& p, Work& w) const {
    Coordinates moved;
    each_member([&](auto j) {
      const S hw = S(h) * load_batch(weights.weight[j]);
      unroll<dimension>([&]<int a>() {
        moved[a][j] = hw * p.to[a][j];
        if constexpr (with_low_parts) moved[a][j] += q.low[a][j] + hw * p.to_low[a][j];
      });
    });
    differences(moved, w.r);
    each_rod([&](auto k) { w.r[k] = w.b[k] + w.r[k]; });
  }
  // Says whether g is no more than what rounding of the positions makes of it.
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

  // Makes corrections in the space of the rods, from r and g on.
  RodSolve iterate(const Weights& weights, const Lengths& lengths, Work& w, const RodGoal& goal,
                   int limit) const {
    RodForecast forecast = RodForecast::of_clusters(goal);
    each_rod([&](auto k) { w.delta[k] = w.inverse[k] = S(0); });
    each_rod([&](auto k) { each_rod([&](auto l) { w.K[k][l] = S(0); }); });
    RodSolve result;
    for (;;) {
      S largest(0);
      each_rod([&](auto k) { largest = larger(largest, magnitude(w.g[k])); });
      const auto [keep_factor, last] = forecast.next(largest_lane(largest));
      if (!keep_factor) result.sound = factor(weights, w);
      substitute(w);
      ++result.corrections;
      each_rod([&](auto k) { w.delta[k] += w.g[k]; });
      if (last || result.corrections >= limit || !result.sound) {
        result.sound = result.sound && last;
        return result;
      }
      move_rods(weights, w);
      residual(lengths, w);
    }
  }
  // Does the same in a function of its own, for shapes whose particles are in memory anyway.
  TAUT_KERNEL RodSolve iterate_apart(const Weights& weights, const Lengths& lengths, Work& w,
                                     const RodGoal& goal, int limit) const {
    return iterate(weights, lengths, w, goal, limit);
  }

  // Factors K(k, l) = C(k, l) b_k·b_l = LDLᵀ without pivoting; Lᵀ stands above the diagonal. Returns false
  // if a pivot vanished.
  bool factor_symmetric(const Weights& weights, Work& w) const {
    const auto product = [&](auto k, auto l) {
      w.K[k][l] = load_batch(weights.coupling[k][l]) * w.b[k].dot(w.b[l]);
    };
    each_rod([&](auto k) {
      product(k, k);
      each_further(k, [&](auto l) { product(k, l); });
    });
    const Along diagonal = diagonal_of(w);
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
  // Does g ← K⁻¹ g.
  void substitute_symmetric(Work& w) const {
    each_rod([&](auto k) { each_further(k, [&](auto l) { w.g[l] -= w.K[k][l] * w.g[k]; }); });
    each_rod([&](auto k) { w.g[k] *= w.inverse[k]; });
    each_rod_back([&](auto k) { each_further(k, [&](auto l) { w.g[k] -= w.K[k][l] * w.g[l]; }); });
  }

 private:
  // Factors K(k, l) = C(k, l) r_k·b_l = LU in the same way.
  bool factor(const Weights& weights, Work& w) const {
    each_rod([&](auto k) {
      each_rod([&](auto l) { w.K[k][l] = load_batch(weights.coupling[k][l]) * w.r[k].dot(w.b[l]); });
    });
    const Along diagonal = diagonal_of(w);
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
  // Subtracts from r what the correction in g changes it by.
  void move_rods(const Weights& weights, Work& w) const {
    Coordinates moved;
    impulse(w.b, w.g, moved);
    each_member([&](auto j) {
      const S weight = load_batch(weights.weight[j]);
      unroll<dimension>([&]<int a>() { moved[a][j] *= weight; });
    });
    std::array<V, most_rods> change;
    differences(moved, change);
    each_rod([&](auto k) { w.r[k] = w.r[k] + change[k]; });
  }

  Along diagonal_of(const Work& w) const {
    Along diagonal;
    each_rod([&](auto k) { diagonal[k] = w.K[k][k]; });
    return diagonal;
  }
  bool sound(const Work& w, const Along& diagonal) const {
    Mask<S> good(true);
    each_rod([&](auto k) { good = good && !pivot_vanished(w.inverse[k], diagonal[k]); });
    return all(good);
  }

  [[no_unique_address]] Shape shape_;
};

}  // namespace taut
