// Newton's iteration in the space of the rods, for systems whose constraints are rods in long chains and in small clusters. It never forms
// positions: three vectors of rods take the place of q, G and K, and a correction goes through them twice. Whoever asks for it then looks at the true
// constraint at the true positions. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/scalar/two_sum.hpp>
#include <taut/solve/rod_chains.hpp>
#include <taut/solve/rod_clusters.hpp>
#include <taut/solve/rod_windows.hpp>
#include <taut/solve/sparse_plan.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace taut {

// Rods, and where their entries stand in G: shared by all solvers of a problem.
struct RodLayout {
  RodList rods;
  RodEntries entries;
};

template <class Jacobian>
RodEntries rod_entries(const Jacobian& G) {
  RodEntries entries;
  for (const auto& g : G.groups())
    for (int k = 0; k < g.rows; ++k) {
      entries.first.push_back(g.first_entry + k);
      entries.stride.push_back(g.stride);
    }
  return entries;
}

template <int dimension>
class RodNewtonIn {
 public:
  static bool takes(const SparsePlan& plan) {
    return std::all_of(plan.parts.begin(), plan.parts.end(), [](const SparsePlan::Part& part) {
      return part.cut || part.tree->size() <= largest_cluster;
    });
  }

  RodNewtonIn(std::shared_ptr<const RodLayout> system, const SparsePlan& plan) : system_(std::move(system)) {
    std::map<std::vector<int>, std::vector<RodCluster>> alike;  // by their shape
    for (const SparsePlan::Part& part : plan.parts) {
      if (part.cut) {
        std::vector<int> path(part.cut->rows);
        for (int r = 0; r < part.cut->rows; ++r) path[r] = plan.row_of[part.first_slot + part.cut->slot(r)];
        chains_.emplace_back(system_->rods, system_->entries, path);
        continue;
      }
      for (int lane = 0; lane < part.lanes; ++lane) {
        std::vector<int> rows;
        for (int k = 0; k < part.tree->size(); ++k) {
          const int slot = part.first_slot + k * part.lanes + lane;
          if (plan.slot_of[plan.row_of[slot]] == slot) rows.push_back(plan.row_of[slot]);
        }
        if (rows.empty()) continue;
        RodCluster cluster(system_->rods, std::move(rows));
        auto& of_its_shape = alike[cluster.shape];
        of_its_shape.push_back(std::move(cluster));
      }
    }
    for (auto& [shape, clusters] : alike) {
      std::sort(clusters.begin(), clusters.end(), [](const RodCluster& x, const RodCluster& y) {
        return x.particles.front() < y.particles.front();
      });
      add_clusters(clusters);
    }
    find_free_particles();
    for (std::size_t c = 0; c < chains_.size(); ++c)
      for (int b = 0; b < chains_[c].blocks(); ++b) blocks_.emplace_back(static_cast<int>(c), b);
    sweeps_.resize(blocks_.size());
    int in_chains = 0;
    for (const Chain& chain : chains_) in_chains += chain.rows();
    if (goes_alone() && in_chains >= rods_worth_windows)
      for (std::size_t c = 0; c < chains_.size(); ++c)
        add_windows(system_->rods, system_->entries, chains_[c], static_cast<int>(c), windows_);
    double shortest = 1e300;
    for (const double length : system_->rods.length) shortest = std::min(shortest, length);
    length2_ = shortest * shortest;
  }

  // scale · δ with g(q - Wb δ) = 0, to the target, or to rounding where it is 0.
  RodSolve newton(const RodStart& from, double target, double scale, double* to) {
    const RodProgress progress(std::max(target, least_target()), length2_);
    RodSolve result = of_all_chains(
        progress, [&](Chain& chain, const Room& room) { chain.begin(room, from); },
        [&](Chain& chain, int block) { chain.take(block, scale, to); });
    const ClusterProgress of_clusters(std::max(target, least_target()), length2_);
    of_all_clusters(result, [&](const auto& clusters, int n) {
      return clusters.newton(n, from, of_clusters, limit, scale, to);
    });
    return result;
  }

  // Whether a step or a projection can go on in here, block by block and cluster by cluster.
  bool goes_alone() const {
    return std::all_of(chains_.begin(), chains_.end(), [](const Chain& chain) { return chain.in_order(); });
  }

  // To |g| <= tolerance at the end. Where that is not reached in a cluster, `mu` is as it was there, and the positions are not to be used.
  RodSolve land(const RodFlight& flight, double tolerance) {
    const double target = std::max(tolerance / 4, least_target());
    RodSolve result = land_chains(flight, tolerance, RodProgress(target, length2_));
    const ClusterProgress progress(target, length2_);
    of_all_clusters(result, [&](const auto& clusters, int n) {
      return clusters.land(n, flight, tolerance, progress, limit);
    });
    land_free_particles(flight);
    return result;
  }
  // p ← p - Gᵀnu with |G W p| <= tolerance at the end, from nu = 0. Where that is not reached, p may have changed, by what nu says.
  RodSolve project(const double* q, const RodSums& p, double tolerance, double* nu) {
    RodSolve result = project_chains(q, p, tolerance, nu);
    of_all_clusters(result,
                    [&](const auto& clusters, int n) { return clusters.project(n, q, p, tolerance, nu); });
    return result;
  }

  // K(b, b) x = demand
  bool solve(const RodStart& from, double* to) {
    std::atomic<bool> sound = true;
    if (!chains_.empty()) {
      each_block([&](Chain& chain, int block, RodSweep&) {
        const auto begin = [&](const Room& room) { chain.begin(room, from); };
        if (!chain.template start<true>(block, begin).sound) sound = false;
      });
      for (Chain& chain : chains_)
        if (!chain.template separators<true, true>().sound) sound = false;
      each_block([&](Chain& chain, int block, RodSweep&) {
        chain.template finish<true>(block);
        chain.take(block, 1, to);
      });
    }
    each_kind([&](const auto& clusters) {
      in_ranges(clusters.batches(), 1, clusters_worth_a_thread, [&](int begin, int end) {
        for (int n = begin; n < end; ++n)
          if (!clusters.solve_once(n, from, to)) sound = false;
      });
    });
    return sound;
  }

 private:
  using Chain = RodChain<dimension>;
  using Room = typename Chain::Room;
  using Window = RodWindow<dimension>;
  double least_target() const { return 8 * epsilon<double>() * length2_; }
  static constexpr int limit = 12;                 // corrections; whoever needs more is better off elsewhere
  static constexpr int blocks_worth_a_thread = 4;  // some thousand rods
  static constexpr int rods_worth_windows =
      1 << 14;  // below, all corrections find most of the chains in a cache
  static constexpr int windows_worth_a_thread = 2;
  static constexpr int clusters_worth_a_thread = 128;  // batches

  template <class... Shape>
  using Kinds = std::tuple<std::vector<RodClusters<dimension, Shape>>...>;
  // A shape that the compiler knows saves two thirds of the time of a step, and takes two seconds of compilation.
  using AllKinds = std::conditional_t<dimension == 3, Kinds<Triangle, AnyShape>, Kinds<AnyShape>>;

  // To the first kind whose shape it is: those that the compiler knows come before the others.
  void add_clusters(const std::vector<RodCluster>& clusters) {
    bool added = false;
    std::apply(
        [&](auto&... of_a_kind) {
          const auto add = [&](auto& list) {
            using Clusters = typename std::remove_reference_t<decltype(list)>::value_type;
            if (added || !Clusters::fits(clusters.front())) return;
            list.emplace_back(system_->rods, system_->entries, clusters);
            added = true;
          };
          (add(of_a_kind), ...);
        },
        clusters_);
  }

  template <class F>
  void each_kind(F&& f) const {
    std::apply(
        [&](const auto&... of_a_kind) {
          const auto each = [&](const auto& list) {
            for (const auto& clusters : list) f(clusters);
          };
          (each(of_a_kind), ...);
        },
        clusters_);
  }
  // solve(clusters, n) for the n-th batch of all kinds.
  template <class Solve>
  void of_all_clusters(RodSolve& result, Solve&& solve_one) const {
    each_kind([&](const auto& clusters) {
      std::atomic<int> most = 0;
      std::atomic<bool> sound = true;
      in_ranges(clusters.batches(), 1, clusters_worth_a_thread, [&](int begin, int end) {
        int corrections = 0;
        bool good = true;
        for (int n = begin; n < end; ++n) {
          const RodSolve one = solve_one(clusters, n);
          corrections = std::max(corrections, one.corrections);
          good = good && one.sound;
        }
        if (!good) sound = false;
        raise(most, corrections);
      });
      result.corrections = std::max(result.corrections, most.load());
      result.sound = result.sound && sound;
    });
  }

  // Runs of particles that no rod holds.
  void find_free_particles() {
    std::vector<bool> held(system_->rods.particles, false);
    for (int k = 0; k < system_->rods.size(); ++k)
      held[system_->rods.first[k]] = held[system_->rods.second[k]] = true;
    for (int i = 0; i < system_->rods.particles; ++i) {
      if (held[i]) continue;
      if (i == 0 || held[i - 1]) free_.emplace_back(i, i);
      free_.back().second = i + 1;
    }
  }
  void land_free_particles(const RodFlight& flight) const {
    const auto add = [](const RodSums& x, int j, double d) {
      const TwoSum<double> y(d, x.from_low ? x.from_low[j] : 0.0), t(x.from[j], y.sum);
      x.to[j] = t.sum;
      if (x.to_low) x.to_low[j] = t.lost + y.lost;
      return t.sum;
    };
    for (const auto& [begin, end] : free_)
      for (int a = 0; a < dimension; ++a)
        for (int i = begin; i < end; ++i) {
          const int j = a * system_->rods.particles + i;
          const double p = add(flight.p, j, 0);
          add(flight.q, j, (flight.h * system_->rods.weight[i]) * p);
        }
  }

  template <class F>
  void each_block(F&& f) {
    in_ranges(static_cast<int>(blocks_.size()), 1, blocks_worth_a_thread, [&](int begin, int end) {
      for (int n = begin; n < end; ++n) f(chains_[blocks_[n].first], blocks_[n].second, sweeps_[n]);
    });
  }

  // Newton's iteration: begin(chain, room) sets the records of a block up, end(chain, block) uses its μ.
  template <class Begin, class End>
  RodSolve of_all_chains(RodProgress progress, Begin&& begin, End&& end) {
    if (chains_.empty()) return {};
    each_block([&](Chain& chain, int block, RodSweep& sweep) {
      sweep = chain.template start<false>(block, [&](const Room& room) { begin(chain, room); });
    });
    return in_corrections(
        progress, limit, [&](bool first) { return first ? separators<true>() : separators<false>(); },
        [&](bool first, bool over) {
          each_block([&](Chain& chain, int block, RodSweep& next) {
            if (over) {
              first ? chain.template finish<true>(block) : chain.template finish<false>(block);
              end(chain, block);
            } else {
              next = first ? chain.template go_on<true>(block) : chain.template go_on<false>(block);
            }
          });
        });
  }
  // From μ = 0 only.
  RodSolve land_chains(const RodFlight& flight, double tolerance, const RodProgress& progress) {
    if (chains_.empty()) return {};
    for (const Chain& chain : chains_)
      if (!chain.starts_from_zero(flight.mu)) return {0, false};
    RodSolve result;
    if (!land_windows(flight, tolerance, progress, result))
      result = land_whole_chains(flight, tolerance, progress);
    if (!result.sound)
      for (const Chain& chain : chains_) chain.clear(flight.mu);
    return result;
  }
  RodSolve land_whole_chains(const RodFlight& flight, double tolerance, const RodProgress& progress) {
    std::atomic<bool> there = true;
    RodSolve result = of_all_chains(
        progress, [&](Chain& chain, const Room& room) { chain.depart(room, flight); },
        [&](Chain& chain, int block) {
          if (!chain.arrive(block, flight, tolerance)) there = false;
        });
    for (const Chain& chain : chains_)
      if (!chain.arrived(flight, tolerance)) there = false;
    result.sound = result.sound && there;
    return result;
  }
  RodSolve project_chains(const double* q, const RodSums& p, double tolerance, double* nu) {
    if (std::all_of(chains_.begin(), chains_.end(),
                    [&](const Chain& chain) { return chain.rests(q, p.from, tolerance); }))
      return {};
    if (!project_windows(q, p.from, nu) && !project_whole_chains(q, p.from, nu)) {
      for (const Chain& chain : chains_) chain.clear(nu);
      return {0, false};
    }
    std::atomic<bool> there = true;
    each_block([&](Chain& chain, int block, RodSweep&) {
      if (!chain.part(block, q, p, tolerance, nu)) there = false;
    });
    for (const Chain& chain : chains_)
      if (!chain.parted(q, p, tolerance)) there = false;
    return {1, there};
  }
  // ν alone; false: a pivot vanished.
  bool project_whole_chains(const double* q, const double* p, double* nu) {
    std::atomic<bool> sound = true;
    each_block([&](Chain& chain, int block, RodSweep&) {
      const auto begin = [&](const Room& room) { chain.meet(room, q, p); };
      if (!chain.template start<true>(block, begin).sound) sound = false;
    });
    for (Chain& chain : chains_)
      if (!chain.template separators<true, true>().sound) sound = false;
    if (!sound) return false;
    each_block([&](Chain& chain, int block, RodSweep&) {
      chain.template finish<true>(block);
      chain.take(block, 1, nu);
    });
    return true;
  }

  // The same window by window, from one state into another. False: windows do not serve here, and μ or ν may be anything.
  bool land_windows(const RodFlight& flight, double tolerance, const RodProgress& progress,
                    RodSolve& result) {
    // A window reads what lies in its neighbours.
    if (windows_.empty() || flight.q.from == flight.q.to || flight.p.from == flight.p.to) return false;
    std::atomic<int> most = 0;
    std::atomic<bool> there = true;
    const bool serve = each_window([&](Window& window) {
      const RodSolve one = window.solve(flight, progress, limit);
      if (!one.sound) return false;
      if (!window.land(chains_[window.chain()], flight, tolerance)) there = false;
      raise(most, one.corrections);
      return true;
    });
    if (!serve) return false;
    for (const Window& window : windows_)
      if (!window.join(chains_[window.chain()], flight, tolerance)) there = false;
    result = {most, there};
    return true;
  }
  bool project_windows(const double* q, const double* p, double* nu) {
    return !windows_.empty() && each_window([&](Window& window) { return window.project(q, p, nu); });
  }
  // f(window) until one says no. From the last to the first: what passed through the particles before, and will do so after, goes the other way, and finds
  // in the cache what was used last.
  template <class F>
  bool each_window(F&& f) {
    std::atomic<bool> serve = true;
    in_ranges(static_cast<int>(windows_.size()), 1, windows_worth_a_thread, [&](int begin, int end) {
      for (int n = end; n-- > begin && serve;)
        if (!f(windows_[n])) serve = false;
    });
    return serve;
  }
  static void raise(std::atomic<int>& most, int value) {
    for (int before = most; before < value && !most.compare_exchange_weak(before, value);) {
    }
  }
  template <bool first>
  RodSweep separators() {
    RodSweep all;
    for (const RodSweep& sweep : sweeps_) all = worse(all, sweep);
    for (Chain& chain : chains_) all = worse(all, chain.template separators<first, false>());
    return all;
  }

  std::shared_ptr<const RodLayout> system_;
  std::vector<Chain> chains_;
  std::vector<std::pair<int, int>> blocks_;  // chain, block
  std::vector<Window> windows_;              // of all chains, where they lie in order
  AllKinds clusters_;
  std::vector<std::pair<int, int>> free_;  // begin, end
  std::vector<RodSweep> sweeps_;           // of each block, the last one
  double length2_ = 1;                     // the least L²
};

// Nothing where the graph or the dimension asks for the general path.
using RodNewton = std::variant<std::monostate, RodNewtonIn<2>, RodNewtonIn<3>>;

inline RodNewton make_rod_newton(const std::shared_ptr<const RodLayout>& system, const SparsePlan& plan) {
  if (system->rods.size() > 0 && RodNewtonIn<3>::takes(plan)) {
    if (system->rods.dimension == 2) return RodNewtonIn<2>(system, plan);
    if (system->rods.dimension == 3) return RodNewtonIn<3>(system, plan);
  }
  return {};
}

}  // namespace taut
