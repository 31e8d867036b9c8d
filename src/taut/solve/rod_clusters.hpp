// Small sets of rods that are alike, water molecules say, one set in each lane. A batch of eight is read, solved and written in one go: where the step is an
// impulse and a drift, its particles are moved, and the constraint looked at, before the next batch is touched. The equations are those of rod_chains.hpp, with
// a full matrix of m × m numbers. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/scalar/batch.hpp>
#include <taut/scalar/compensated_sum.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/solve/cluster_shape.hpp>
#include <taut/solve/cluster_stand.hpp>
#include <taut/solve/elimination.hpp>
#include <taut/solve/rods.hpp>

#include <array>
#include <cstring>
#include <vector>

namespace taut {

// How an iteration goes on. Newton's error after errors e₀, e₁ is H e₁²/2; that of a correction by the factor made at e₀ is H e₀e₁, for much less work. So
// the factor is kept where two such corrections will do. The last correction needs no residual after it in the space of the rods, since the true one is
// looked at.
class ClusterProgress {
 public:
  explicit ClusterProgress(const RodGoal& goal) : goal_(goal) {}

  struct Next {
    bool keep, last;
  };
  // The next correction, where max |g| is `largest`. At rounding it is the last, with a new factor unless the one at hand leaves little enough at once.
  Next next(double largest) {
    const double ratio = largest / (before_ > 0 ? before_ : goal_.length2);
    const bool at_rounding = largest <= goal_.at_rounding;
    if (!kept_) rate_ = 2 * ratio;
    kept_ =
        before_ > 0 && rate_ < 0.25 && safety * largest * rate_ * (at_rounding ? 1 : rate_) <= goal_.target;
    const double left = largest * (kept_ ? rate_ : before_ > 0 ? ratio * ratio : ratio);
    before_ = largest;
    return {kept_, at_rounding || (ratio < 0.25 && safety * left <= goal_.target)};
  }

 private:
  static constexpr double safety = 4;  // a look at the true residual costs as much as a correction
  RodGoal goal_;
  double before_ = 0, rate_ = 1;
  bool kept_ = false;
};

// Clusters of one shape, in batches.
template <int dimension, class Shape>
class RodClusters {
 public:
  static bool fits(const RodCluster& cluster) { return Shape::fits(cluster); }

  RodClusters(const RodList& rods, const RodEntries& entries, const std::vector<RodCluster>& clusters)
      : shape_(clusters.front()), particles_(rods.particles) {
    for (std::size_t c = 0; c < clusters.size(); c += batch_size)
      add_batch(rods, entries, &clusters[c], std::min(batch_size, static_cast<int>(clusters.size() - c)));
  }

  int batches() const { return static_cast<int>(batches_.size()); }

  // δ of the rods of one batch, by at most `limit` corrections.
  TAUT_KERNEL RodSolve newton(int number, const RodStart& from, const RodGoal& goal, int limit, double scale,
                              double* to) const {
    const Batch8& batch = batches_[number];
    Work w;
    Coordinates q;
    load_rods(batch, from.b, w);
    unroll<dimension>(
        [&]<int a>() { load_any(batch.particle, shape_.members(), from.q + a * particles_, q[a].data()); });
    between(q, w.r);
    residual(lengths_[batch.lengths], w);
    const RodSolve result = iterate_apart(weights_[batch.weights], lengths_[batch.lengths], w, goal, limit);
    each_rod([&](auto k) { w.delta[k] *= S(scale); });
    store_rows(batch, w.delta, to);
    return result;
  }

  // K(b, b) x = demand
  TAUT_KERNEL bool solve_once(int number, const RodStart& from, double* to) const {
    const Batch8& batch = batches_[number];
    Work w;
    load_rods(batch, from.b, w);
    load_any(batch.row, shape_.rods(), from.demand, w.g.data());
    const bool sound = factor_symmetric(weights_[batch.weights], w);
    substitute_symmetric(w);
    store_rows(batch, w.g, to);
    return sound;
  }

  // The particles of one batch, by impulses from those in `mu` on, until |g| <= tolerance at the positions that are written, or to rounding where that is 0. A batch
  // that does not get there is left as it was.
  RodSolve land(int number, const RodFlight& flight, double tolerance, const RodGoal& goal, int limit) const {
    const Batch8& batch = batches_[number];
    if (batch.ordered()) return landed(batch, particles_, flight, tolerance, goal, limit);
    Copy q, p;
    RowCopy mu;
    const RodFlight near{copied(batch, flight.q, q), copied(batch, flight.p, p), flight.h,
                         copied(batch, flight.mu, mu)};
    const RodSolve result = landed(batch.of_copy(), copy_stride, near, tolerance, goal, limit);
    if (!result.sound) return result;
    put_back(batch, q, flight.q);
    put_back(batch, p, flight.p);
    put_back(batch, mu, flight.mu);
    return result;
  }

  // p ← p - Gᵀnu of one batch, until |G W p| <= tolerance, or to rounding where that is 0. A batch that does not get there is left as it was, with nu = 0.
  RodSolve project(int number, const double* q, const RodSums& p, double tolerance, double* nu) const {
    const Batch8& batch = batches_[number];
    RowCopy sum;
    RodSolve result;
    if (batch.ordered()) {
      result = projected(batch, particles_, q, p, tolerance, nu);
    } else {
      Copy at, momenta;
      const RodSums near = copied(batch, p, momenta);
      result = projected(batch.of_copy(), copy_stride, copied(batch, {q, nullptr, nullptr, nullptr}, at).from,
                         near, tolerance, sum.of_row);
      if (result.sound) {
        put_back(batch, momenta, p);
        put_back(batch, sum, nu);
      }
    }
    if (!result.sound) put_back(batch, RowCopy{}, nu);
    return result;
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  static constexpr int most_rods = Shape::most_rods, most_members = Shape::most_members;
  static constexpr int most_looks = 3;  // at the true residual, before the matrix takes over
  using Coordinates = std::array<std::array<S, most_members>, dimension>;
  struct NoCoordinates {};

  struct alignas(64) Weights {
    double coupling[most_rods][most_rods][batch_size], weight[most_members][batch_size];
    double sign[most_rods][batch_size];  // of the rods as G has them
  };
  struct alignas(64) Lengths {
    double length2[most_rods][batch_size];
  };
  struct Batch8 {
    int lanes, weights, lengths;
    ClusterStand<most_members> particle;
    ClusterStand<most_rods> row, entry;
    int stride[most_rods];  // from one entry of a rod in G to the next

    bool ordered() const { return particle.ordered() && row.ordered(); }
    Batch8 of_copy() const {
      Batch8 copy = *this;
      copy.particle = ClusterStand<most_members>::of_copy();
      copy.row = ClusterStand<most_rods>::of_copy();
      return copy;
    }
  };

  // The numbers of eight clusters that stand in no order, put in order for a while.
  static constexpr int copy_stride = most_members * batch_size;
  struct alignas(64) Copy {
    double high[dimension * copy_stride], low[dimension * copy_stride];
  };
  struct alignas(64) RowCopy {
    double of_row[most_rods * batch_size];
  };
  [[gnu::noinline]] RodSums copied(const Batch8& batch, const RodSums& x, Copy& copy) const {
    for (int a = 0; a < dimension; ++a) {
      batch.particle.gather(lists_, shape_.members(), x.from + a * particles_, copy.high + a * copy_stride);
      if (x.from_low)
        batch.particle.gather(lists_, shape_.members(), x.from_low + a * particles_,
                              copy.low + a * copy_stride);
    }
    double* low = x.from_low ? copy.low : nullptr;
    return {copy.high, low, copy.high, low};
  }
  [[gnu::noinline]] double* copied(const Batch8& batch, const double* x, RowCopy& copy) const {
    batch.row.gather(lists_, shape_.rods(), x, copy.of_row);
    return copy.of_row;
  }
  [[gnu::noinline]] void put_back(const Batch8& batch, const Copy& copy, const RodSums& x) const {
    for (int a = 0; a < dimension; ++a) {
      batch.particle.scatter(lists_, shape_.members(), copy.high + a * copy_stride, x.to + a * particles_,
                             batch.lanes);
      if (x.to_low)
        batch.particle.scatter(lists_, shape_.members(), copy.low + a * copy_stride,
                               x.to_low + a * particles_, batch.lanes);
    }
  }
  [[gnu::noinline]] void put_back(const Batch8& batch, const RowCopy& copy, double* to) const {
    batch.row.scatter(lists_, shape_.rods(), copy.of_row, to, batch.lanes);
  }

  // What the iteration of one batch works on: rods before and after the step, g, the sum of the corrections, and K = LU.
  struct Work {
    std::array<V, most_rods> b, r;
    std::array<S, most_rods> g, delta;
    std::array<std::array<S, most_rods>, most_rods> K;
    std::array<S, most_rods> inverse;  // of the pivots
  };

  // Sums, what is added to them and what comes out; `low`: what rounding cut off.
  template <bool compensated>
  struct Sums {
    Coordinates from, to;
    std::conditional_t<compensated, Coordinates, NoCoordinates> low, to_low;

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

  void add_batch(const RodList& rods, const RodEntries& entries, const RodCluster* clusters, int lanes) {
    Batch8 batch;
    Weights weights{};
    Lengths lengths{};
    batch.lanes = lanes;
    std::array<EightPlaces, most_members> particle;
    std::array<EightPlaces, most_rods> row, entry;
    for (int lane = 0; lane < batch_size; ++lane) {
      const RodCluster& cluster =
          clusters[lane < lanes ? lane : 0];  // lanes without a cluster repeat the first
      for (int j = 0; j < shape_.members(); ++j) {
        particle[j][lane] = cluster.particles[j];
        weights.weight[j][lane] = rods.weight[cluster.particles[j]];
      }
      for (int k = 0; k < shape_.rods(); ++k) {
        row[k][lane] = cluster.rows[k];
        entry[k][lane] = entries.first[cluster.rows[k]];
        batch.stride[k] = entries.stride[cluster.rows[k]];
        lengths.length2[k][lane] = rods.length[cluster.rows[k]] * rods.length[cluster.rows[k]];
        weights.sign[k][lane] = cluster.sign(rods, k);
        for (int l = 0; l < shape_.rods(); ++l) weights.coupling[k][l][lane] = cluster.coupling(rods, k, l);
      }
    }
    batch.particle = {lists_, particle.data(), shape_.members(), lanes, Shape::known};
    batch.row = {lists_, row.data(), shape_.rods(), lanes, Shape::known};
    batch.entry = {lists_, entry.data(), shape_.rods(), lanes, Shape::known};
    batch.weights = kept(weights_, weights);
    batch.lengths = kept(lengths_, lengths);
    batches_.push_back(batch);
  }
  // Batches that are alike share their numbers.
  template <class Numbers>
  static int kept(std::vector<Numbers>& list, const Numbers& numbers) {
    if (list.empty() || std::memcmp(&list.back(), &numbers, sizeof numbers) != 0) list.push_back(numbers);
    return static_cast<int>(list.size()) - 1;
  }

  RodSolve landed(const Batch8& batch, int stride, const RodFlight& flight, double tolerance,
                  const RodGoal& goal, int limit) const {
    return flight.q.from_low ? land_as<true>(batch, stride, flight, tolerance, goal, limit)
                             : land_as<false>(batch, stride, flight, tolerance, goal, limit);
  }
  template <bool compensated>
  TAUT_KERNEL RodSolve land_as(const Batch8& batch, int stride, const RodFlight& flight, double tolerance,
                               const RodGoal& goal, int limit) const {
    const Weights& weights = weights_[batch.weights];
    const Lengths& lengths = lengths_[batch.lengths];
    Work w;
    Sums<compensated> q, p;
    load(batch, stride, flight.q, q);
    load(batch, stride, flight.p, p);
    between(q.from, w.b);
    std::array<S, most_rods> mu;
    batch.row.load(shape_.rods(), flight.mu, mu.data());
    const bool to_rounding = tolerance == 0;
    RodSolve result;
    for (int looks = 0;; ++looks) {
      kick(p, w.b, mu);
      each_member([&](auto j) {
        const S hw = S(flight.h) * load_batch(weights.weight[j]);
        unroll<dimension>([&]<int a>() { q.add(a, j, hw * p.to[a][j]); });
      });
      if (to_rounding && looks == 0)
        ahead(weights, flight.h, q, p, w);
      else
        between(q.to, w.r);
      residual(lengths, w);
      if (to_rounding ? looks > 0 && at_rounding(lengths, q.to, w) : within(w.g, tolerance)) break;
      if (looks == (to_rounding ? 1 : most_looks)) return {result.corrections, false};
      const int left = limit - result.corrections;
      const RodSolve found = Shape::known ? iterate(weights, lengths, w, goal, left)
                                          : iterate_apart(weights, lengths, w, goal, left);
      result.corrections += found.corrections;
      if (!found.sound) return {result.corrections, false};
      each_rod([&](auto k) { mu[k] += w.delta[k] * S(1 / flight.h); });
    }
    store(batch, stride, q, flight.q);
    store(batch, stride, p, flight.p);
    batch.row.store(shape_.rods(), mu.data(), flight.mu);
    return result;
  }

  RodSolve projected(const Batch8& batch, int stride, const double* q, const RodSums& p, double tolerance,
                     double* nu) const {
    return p.from_low ? project_as<true>(batch, stride, q, p, tolerance, nu)
                      : project_as<false>(batch, stride, q, p, tolerance, nu);
  }
  template <bool compensated>
  TAUT_KERNEL RodSolve project_as(const Batch8& batch, int stride, const double* q, const RodSums& momenta,
                                  double tolerance, double* nu) const {
    const Weights& weights = weights_[batch.weights];
    Work w;
    Coordinates at;
    Sums<compensated> p;
    load(batch, stride, q, at);
    load(batch, stride, momenta, p);
    between(at, w.b);
    std::array<S, most_rods> sum;
    each_rod([&](auto k) { sum[k] = S(0); });
    RodSolve result;
    if (!rests(weights, p.from, sum, tolerance, w)) {
      if (!factor_symmetric(weights, w)) return {0, false};
      do {
        if (++result.corrections > most_looks) return {result.corrections, false};
        substitute_symmetric(w);
        each_rod([&](auto k) { sum[k] += w.g[k]; });
        kick(p, w.b, sum);
      } while (!rests(weights, p.to, sum, tolerance, w));
      store(batch, stride, p, momenta);
    }
    batch.row.store(shape_.rods(), sum.data(), nu);
    return result;
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
  static S extent(const V& r) {
    S sum(0);
    unroll<dimension>([&]<int a>() { sum += magnitude(r.v[a]); });
    return sum;
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

  // `stride`: from one component of all particles to the next
  void load(const Batch8& batch, int stride, const double* from, Coordinates& x) const {
    unroll<dimension>(
        [&]<int a>() { batch.particle.load(shape_.members(), from + a * stride, x[a].data()); });
  }
  template <bool compensated>
  void load(const Batch8& batch, int stride, const RodSums& from, Sums<compensated>& x) const {
    load(batch, stride, from.from, x.from);
    if constexpr (compensated) load(batch, stride, from.from_low, x.low);
  }
  void store(const Batch8& batch, int stride, const Coordinates& x, double* to) const {
    unroll<dimension>([&]<int a>() { batch.particle.store(shape_.members(), x[a].data(), to + a * stride); });
  }
  template <bool compensated>
  void store(const Batch8& batch, int stride, const Sums<compensated>& x, const RodSums& to) const {
    store(batch, stride, x.to, to.to);
    if constexpr (compensated) store(batch, stride, x.to_low, to.to_low);
  }

  // Wherever they stand.
  template <int most, class Count>
  void load_any(const ClusterStand<most>& stand, Count count, const double* from, S* x) const {
    if (stand.ordered()) return stand.load(count, from, x);
    alignas(64) double copy[most * batch_size];
    stand.gather(lists_, count, from, copy);
    each(Known<0>{}, count, [&](auto j) { x[j] = load_batch(copy + j * batch_size); });
  }
  void store_rows(const Batch8& batch, const std::array<S, most_rods>& x, double* to) const {
    if (batch.row.ordered()) return batch.row.store(shape_.rods(), x.data(), to);
    RowCopy copy;
    each_rod([&](auto k) { store_batch(copy.of_row + k * batch_size, x[k]); });
    put_back(batch, copy, to);
  }
  void load_rods(const Batch8& batch, const double* b, Work& w) const {
    each_rod([&](auto k) {
      const S sign = load_batch(weights_[batch.weights].sign[k]);
      unroll<dimension>([&]<int a>() {
        w.b[k].v[a] = batch.entry.one(lists_, shape_.rods(), k, b + a * batch.stride[k]) * sign;
      });
    });
  }

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

  // K(k, l) = C(k, l) r_k·b_l = LU without pivoting; false where a pivot vanished.
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
  // g ← K⁻¹ g
  void substitute(Work& w) const {
    each_rod([&](auto k) { each_further(k, [&](auto l) { w.g[l] -= w.K[l][k] * w.g[k]; }); });
    each_rod_back([&](auto k) {
      each_further(k, [&](auto l) { w.g[k] -= w.K[k][l] * w.g[l]; });
      w.g[k] *= w.inverse[k];
    });
  }

  // The same for r = b: K = LDLᵀ, Lᵀ above the diagonal.
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
  void substitute_symmetric(Work& w) const {
    each_rod([&](auto k) { each_further(k, [&](auto l) { w.g[l] -= w.K[k][l] * w.g[k]; }); });
    each_rod([&](auto k) { w.g[k] *= w.inverse[k]; });
    each_rod_back([&](auto k) { each_further(k, [&](auto l) { w.g[k] -= w.K[k][l] * w.g[l]; }); });
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

  [[no_unique_address]] Shape shape_;
  int particles_;
  std::vector<Batch8> batches_;
  std::vector<Weights> weights_;
  std::vector<Lengths> lengths_;
  std::vector<int> lists_;
};

}  // namespace taut
