// Small sets of rods that are alike, water molecules say, one set in each lane. A batch of eight is read, solved and written in one go: where the step is an
// impulse and a drift, its particles are moved, and the constraint looked at, before the next batch is touched. The equations are those of rod_chains.hpp, with
// a full matrix of m × m numbers. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/cluster_algebra.hpp>
#include <taut/rods/cluster_shape.hpp>
#include <taut/rods/cluster_stand.hpp>
#include <taut/rods/rods.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/flatten.hpp>

#include <array>
#include <cstring>
#include <vector>

namespace taut {

// Clusters of one shape, in batches.
template <int dimension, class Shape>
class RodClusters {
 public:
  static bool fits(const RodCluster& cluster) { return Shape::fits(cluster); }

  RodClusters(const RodList& rods, const RodEntries& entries, const std::vector<RodCluster>& clusters)
      : algebra_(clusters.front()), particles_(rods.particles) {
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
        [&]<int a>() { load_any(batch.particle, shape().members(), from.q + a * particles_, q[a].data()); });
    algebra_.between(q, w.r);
    algebra_.residual(lengths_[batch.lengths], w);
    const RodSolve result =
        algebra_.iterate_apart(weights_[batch.weights], lengths_[batch.lengths], w, goal, limit);
    algebra_.each_rod([&](auto k) { w.delta[k] *= S(scale); });
    store_rows(batch, w.delta, to);
    return result;
  }

  // K(b, b) x = demand
  TAUT_KERNEL bool solve_once(int number, const RodStart& from, double* to) const {
    const Batch8& batch = batches_[number];
    Work w;
    load_rods(batch, from.b, w);
    load_any(batch.row, shape().rods(), from.demand, w.g.data());
    const bool sound = algebra_.factor_symmetric(weights_[batch.weights], w);
    algebra_.substitute_symmetric(w);
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
  using Algebra = ClusterAlgebra<dimension, Shape>;
  using Coordinates = typename Algebra::Coordinates;
  using Weights = typename Algebra::Weights;
  using Lengths = typename Algebra::Lengths;
  using Work = typename Algebra::Work;
  template <bool compensated>
  using Sums = typename Algebra::template Sums<compensated>;
  static constexpr int most_rods = Shape::most_rods, most_members = Shape::most_members;
  static constexpr int most_looks = 3;  // at the true residual, before the matrix takes over

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

  const Shape& shape() const { return algebra_.shape(); }

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
      batch.particle.gather(lists_, shape().members(), x.from + a * particles_, copy.high + a * copy_stride);
      if (x.from_low)
        batch.particle.gather(lists_, shape().members(), x.from_low + a * particles_,
                              copy.low + a * copy_stride);
    }
    double* low = x.from_low ? copy.low : nullptr;
    return {copy.high, low, copy.high, low};
  }
  [[gnu::noinline]] double* copied(const Batch8& batch, const double* x, RowCopy& copy) const {
    batch.row.gather(lists_, shape().rods(), x, copy.of_row);
    return copy.of_row;
  }
  [[gnu::noinline]] void put_back(const Batch8& batch, const Copy& copy, const RodSums& x) const {
    for (int a = 0; a < dimension; ++a) {
      batch.particle.scatter(lists_, shape().members(), copy.high + a * copy_stride, x.to + a * particles_,
                             batch.lanes);
      if (x.to_low)
        batch.particle.scatter(lists_, shape().members(), copy.low + a * copy_stride,
                               x.to_low + a * particles_, batch.lanes);
    }
  }
  [[gnu::noinline]] void put_back(const Batch8& batch, const RowCopy& copy, double* to) const {
    batch.row.scatter(lists_, shape().rods(), copy.of_row, to, batch.lanes);
  }

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
      for (int j = 0; j < shape().members(); ++j) {
        particle[j][lane] = cluster.particles[j];
        weights.weight[j][lane] = rods.weight[cluster.particles[j]];
      }
      for (int k = 0; k < shape().rods(); ++k) {
        row[k][lane] = cluster.rows[k];
        entry[k][lane] = entries.first[cluster.rows[k]];
        batch.stride[k] = entries.stride[cluster.rows[k]];
        lengths.length2[k][lane] = rods.length[cluster.rows[k]] * rods.length[cluster.rows[k]];
        weights.sign[k][lane] = cluster.sign(rods, k);
        for (int l = 0; l < shape().rods(); ++l) weights.coupling[k][l][lane] = cluster.coupling(rods, k, l);
      }
    }
    batch.particle = {lists_, particle.data(), shape().members(), lanes, Shape::known};
    batch.row = {lists_, row.data(), shape().rods(), lanes, Shape::known};
    batch.entry = {lists_, entry.data(), shape().rods(), lanes, Shape::known};
    batch.weights = kept(weights_, weights);
    batch.lengths = kept(lengths_, lengths);
    batches_.push_back(batch);
  }
  // Batches that are alike share their numbers. Equal numbers of different bits are kept twice, which costs their space alone.
  template <class Numbers>
  static int kept(std::vector<Numbers>& list, const Numbers& numbers) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
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
    algebra_.between(q.from, w.b);
    std::array<S, most_rods> mu;
    batch.row.load(shape().rods(), flight.mu, mu.data());
    const bool to_rounding = tolerance == 0;
    RodSolve result;
    for (int looks = 0;; ++looks) {
      algebra_.kick(p, w.b, mu);
      algebra_.each_member([&](auto j) {
        const S hw = S(flight.h) * load_batch(weights.weight[j]);
        unroll<dimension>([&]<int a>() { q.add(a, j, hw * p.to[a][j]); });
      });
      if (to_rounding && looks == 0)
        algebra_.ahead(weights, flight.h, q, p, w);
      else
        algebra_.between(q.to, w.r);
      algebra_.residual(lengths, w);
      if (to_rounding ? looks > 0 && algebra_.at_rounding(lengths, q.to, w) : algebra_.within(w.g, tolerance))
        break;
      if (looks == (to_rounding ? 1 : most_looks)) return {result.corrections, false};
      const int left = limit - result.corrections;
      const RodSolve found = Shape::known ? algebra_.iterate(weights, lengths, w, goal, left)
                                          : algebra_.iterate_apart(weights, lengths, w, goal, left);
      result.corrections += found.corrections;
      if (!found.sound) return {result.corrections, false};
      algebra_.each_rod([&](auto k) { mu[k] += w.delta[k] * S(1 / flight.h); });
    }
    store(batch, stride, q, flight.q);
    store(batch, stride, p, flight.p);
    batch.row.store(shape().rods(), mu.data(), flight.mu);
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
    algebra_.between(at, w.b);
    std::array<S, most_rods> sum;
    algebra_.each_rod([&](auto k) { sum[k] = S(0); });
    RodSolve result;
    if (!algebra_.rests(weights, p.from, sum, tolerance, w)) {
      if (!algebra_.factor_symmetric(weights, w)) return {0, false};
      do {
        if (++result.corrections > most_looks) return {result.corrections, false};
        algebra_.substitute_symmetric(w);
        algebra_.each_rod([&](auto k) { sum[k] += w.g[k]; });
        algebra_.kick(p, w.b, sum);
      } while (!algebra_.rests(weights, p.to, sum, tolerance, w));
      store(batch, stride, p, momenta);
    }
    batch.row.store(shape().rods(), sum.data(), nu);
    return result;
  }

  // `stride`: from one component of all particles to the next
  void load(const Batch8& batch, int stride, const double* from, Coordinates& x) const {
    unroll<dimension>(
        [&]<int a>() { batch.particle.load(shape().members(), from + a * stride, x[a].data()); });
  }
  template <bool compensated>
  void load(const Batch8& batch, int stride, const RodSums& from, Sums<compensated>& x) const {
    load(batch, stride, from.from, x.from);
    if constexpr (compensated) load(batch, stride, from.from_low, x.low);
  }
  void store(const Batch8& batch, int stride, const Coordinates& x, double* to) const {
    unroll<dimension>(
        [&]<int a>() { batch.particle.store(shape().members(), x[a].data(), to + a * stride); });
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
    if (batch.row.ordered()) return batch.row.store(shape().rods(), x.data(), to);
    RowCopy copy;
    algebra_.each_rod([&](auto k) { store_batch(copy.of_row + k * batch_size, x[k]); });
    put_back(batch, copy, to);
  }
  void load_rods(const Batch8& batch, const double* b, Work& w) const {
    algebra_.each_rod([&](auto k) {
      const S sign = load_batch(weights_[batch.weights].sign[k]);
      unroll<dimension>([&]<int a>() {
        w.b[k].v[a] = batch.entry.one(lists_, shape().rods(), k, b + a * batch.stride[k]) * sign;
      });
    });
  }

  [[no_unique_address]] Algebra algebra_;
  int particles_;
  std::vector<Batch8> batches_;
  std::vector<Weights> weights_;
  std::vector<Lengths> lengths_;
  std::vector<int> lists_;
};

}  // namespace taut
