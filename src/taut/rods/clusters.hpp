// Small sets of rods of one shape, water molecules say, one set in each lane. A batch of eight is read,
// solved and written in one go: its particles are moved, and the constraint evaluated, before the next batch
// is touched. The equations are those of chain.hpp, with a full matrix of m × m numbers. Labels:
// docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/cluster_algebra.hpp>
#include <taut/rods/member_places.hpp>

#include <array>
#include <cstring>
#include <vector>

namespace taut {

template <int dimension, class Shape>
class RodClusters {
 public:
  RodClusters(const RodList& rods, const std::vector<RodCluster>& clusters)
      : algebra_(clusters.front()), particles_(rods.particles) {
    for (std::size_t c = 0; c < clusters.size(); c += batch_size)
      add_batch(rods, &clusters[c], std::min(batch_size, static_cast<int>(clusters.size() - c)));
  }

  int batches() const { return static_cast<int>(batches_.size()); }

  // Moves the particles of one batch until |g| <= tolerance at the positions that are written, or to rounding
  // if the tolerance is 0. It starts from the impulses in step.mu. A batch that does not get there is left as
  // it was.
  RodSolve land(int number, const RodStep& step, double tolerance, const RodGoal& goal) const {
    return step.q.from_low ? land_as<true>(batches_[number], step, tolerance, goal)
                           : land_as<false>(batches_[number], step, tolerance, goal);
  }
  // Does p ← p - Gᵀnu for one batch, until |G W p| <= tolerance, or to rounding if the tolerance is 0. A
  // batch that does not get there is left as it was, with nu = 0.
  RodSolve project(int number, const double* q, const RodSums& p, double tolerance, double* nu) const {
    const Batch8& batch = batches_[number];
    const RodSolve result = p.from_low ? project_as<true>(batch, q, p, tolerance, nu)
                                       : project_as<false>(batch, q, p, tolerance, nu);
    if (!result.sound) {
      Along none;
      algebra_.each_rod([&](auto k) { none[k] = S(0); });
      batch.rod.store(shape().rods(), none.data(), nu);
    }
    return result;
  }
  // Finds scale · δ of the rods of one batch, with g(q1 - W G(q0)ᵀδ) = 0.
  TAUT_KERNEL RodSolve newton(int number, const double* q0, const double* q1, const RodGoal& goal,
                              double scale, double* delta) const {
    const Batch8& batch = batches_[number];
    Work w;
    load_rods(batch, q0, w.b);
    load_rods(batch, q1, w.r);
    algebra_.residual(lengths_[batch.lengths], w);
    const RodSolve result =
        algebra_.iterate_apart(weights_[batch.weights], lengths_[batch.lengths], w, goal, most_corrections);
    algebra_.each_rod([&](auto k) { w.delta[k] *= S(scale); });
    batch.rod.store(shape().rods(), w.delta.data(), delta);
    return result;
  }

 private:
  using S = Batch<double>;
  using Algebra = ClusterAlgebra<dimension, Shape>;
  using Along = typename Algebra::Along;
  using Coordinates = typename Algebra::Coordinates;
  using Weights = typename Algebra::Weights;
  using Lengths = typename Algebra::Lengths;
  using Work = typename Algebra::Work;
  template <bool with_low_parts>
  using Sums = typename Algebra::template Sums<with_low_parts>;
  static constexpr int most_rods = Shape::most_rods, most_members = Shape::most_members;
  static constexpr int most_looks = 3;  // at the true residual, before the matrix takes over

  struct Batch8 {
    int weights, lengths;  // numbers in the lists below
    MemberPlaces<most_members> particle;
    MemberPlaces<most_rods> rod;
  };

  const Shape& shape() const { return algebra_.shape(); }

  void add_batch(const RodList& rods, const RodCluster* clusters, int lanes) {
    Weights weights{};
    Lengths lengths{};
    for (int lane = 0; lane < batch_size; ++lane) {
      const RodCluster& cluster = clusters[lane < lanes ? lane : 0];
      for (int j = 0; j < shape().members(); ++j) weights.weight[j][lane] = rods.weight[cluster.members[j]];
      for (int k = 0; k < shape().rods(); ++k) {
        lengths.length2[k][lane] = rods.length[cluster.rods[k]] * rods.length[cluster.rods[k]];
        for (int l = 0; l < shape().rods(); ++l) weights.coupling[k][l][lane] = cluster.coupling(rods, k, l);
      }
    }
    batches_.push_back({kept(weights_, weights),
                        kept(lengths_, lengths),
                        {clusters, lanes, &RodCluster::members, Shape::known},
                        {clusters, lanes, &RodCluster::rods, Shape::known}});
  }
  // Batches that are alike share their numbers. Equal numbers of different bits are kept twice, which costs
  // only space.
  template <class Numbers>
  static int kept(std::vector<Numbers>& list, const Numbers& numbers) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    if (list.empty() || std::memcmp(&list.back(), &numbers, sizeof numbers) != 0) list.push_back(numbers);
    return static_cast<int>(list.size()) - 1;
  }

  template <bool with_low_parts>
  TAUT_KERNEL RodSolve land_as(const Batch8& batch, const RodStep& step, double tolerance,
                               const RodGoal& goal) const {
    const Weights& weights = weights_[batch.weights];
    const Lengths& lengths = lengths_[batch.lengths];
    Work w;
    Sums<with_low_parts> q, p;
    load(batch, step.q, q);
    load(batch, step.p, p);
    algebra_.differences(q.from, w.b);
    Along mu;
    batch.rod.load(shape().rods(), step.mu, mu.data());
    const bool to_rounding = tolerance == 0;
    RodSolve result;
    for (int looks = 0;; ++looks) {
      algebra_.kick(p, w.b, mu);
      algebra_.drift(weights, step.h, p, q);
      if (to_rounding && looks == 0)
        algebra_.rods_after_drift(weights, step.h, q, p, w);
      else
        algebra_.differences(q.to, w.r);
      algebra_.residual(lengths, w);
      if (to_rounding ? looks > 0 && algebra_.at_rounding(lengths, q.to, w) : algebra_.within(w.g, tolerance))
        break;
      if (looks == (to_rounding ? 1 : most_looks)) return {result.corrections, false};
      const int left = most_corrections - result.corrections;
      const RodSolve found = Shape::known ? algebra_.iterate(weights, lengths, w, goal, left)
                                          : algebra_.iterate_apart(weights, lengths, w, goal, left);
      result.corrections += found.corrections;
      if (!found.sound) return {result.corrections, false};
      algebra_.each_rod([&](auto k) { mu[k] += w.delta[k] * S(1 / step.h); });
    }
    store(batch, q, step.q);
    store(batch, p, step.p);
    batch.rod.store(shape().rods(), mu.data(), step.mu);
    return result;
  }

  template <bool with_low_parts>
  TAUT_KERNEL RodSolve project_as(const Batch8& batch, const double* q, const RodSums& momenta,
                                  double tolerance, double* nu) const {
    const Weights& weights = weights_[batch.weights];
    Work w;
    Sums<with_low_parts> p;
    load_rods(batch, q, w.b);
    load(batch, momenta, p);
    Along sum;
    algebra_.each_rod([&](auto k) { sum[k] = S(0); });
    RodSolve result;
    if (!algebra_.momenta_are_tangent(weights, p.from, sum, tolerance, w)) {
      if (!algebra_.factor_symmetric(weights, w)) return {0, false};
      do {
        if (++result.corrections > most_looks) return {result.corrections, false};
        algebra_.substitute_symmetric(w);
        algebra_.each_rod([&](auto k) { sum[k] += w.g[k]; });
        algebra_.kick(p, w.b, sum);
      } while (!algebra_.momenta_are_tangent(weights, p.to, sum, tolerance, w));
      store(batch, p, momenta);
    }
    batch.rod.store(shape().rods(), sum.data(), nu);
    return result;
  }

  void load(const Batch8& batch, const double* from, Coordinates& x) const {
    unroll<dimension>(
        [&]<int a>() { batch.particle.load(shape().members(), from + a * particles_, x[a].data()); });
  }
  template <bool with_low_parts>
  void load(const Batch8& batch, const RodSums& from, Sums<with_low_parts>& x) const {
    load(batch, from.from, x.from);
    if constexpr (with_low_parts) load(batch, from.from_low, x.low);
  }
  void load_rods(const Batch8& batch, const double* q,
                 std::array<RodVectors<dimension>, most_rods>& r) const {
    Coordinates x;
    load(batch, q, x);
    algebra_.differences(x, r);
  }
  void store(const Batch8& batch, const Coordinates& x, double* to) const {
    unroll<dimension>(
        [&]<int a>() { batch.particle.store(shape().members(), x[a].data(), to + a * particles_); });
  }
  template <bool with_low_parts>
  void store(const Batch8& batch, const Sums<with_low_parts>& x, const RodSums& to) const {
    store(batch, x.to, to.to);
    if constexpr (with_low_parts) store(batch, x.to_low, to.to_low);
  }

  [[no_unique_address]] Algebra algebra_;
  int particles_;
  std::vector<Batch8> batches_;
  std::vector<Weights> weights_;
  std::vector<Lengths> lengths_;
};

}  // namespace taut
