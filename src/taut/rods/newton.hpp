// Newton's iteration in the space of the rods, for systems whose constraints are rods in long chains and in small clusters. It never forms
// positions: three vectors of rods take the place of q, G and K, and a correction goes through them twice. Whoever asks for it then looks at the true
// constraint at the true positions. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/rods/chains.hpp>
#include <taut/rods/clusters.hpp>
#include <taut/rods/windows.hpp>
#include <taut/scalar/compensated_sum.hpp>
#include <taut/solve/iterate.hpp>
#include <taut/solve/matrix/sparse_plan.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
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
    joins_late_.resize(windows_.size());
    for (const double length : system_->rods.length) {
      shortest_ = std::min(shortest_, length);
      longest_ = std::max(longest_, length);
    }
  }

  // scale · δ with g(q - Wb δ) = 0, to the target, or to rounding where it is 0.
  RodSolve newton(const RodStart& from, double target, double scale, double* to) {
    const RodGoal goal = goal_at(std::max(target, least_target()));
    RodSolve result = of_all_chains(
        goal, [&](const auto& departure, const Room& room) { departure.begin(room, from); },
        [&](Chain& chain, int block) { chain.take(block, scale, to); });
    of_all_clusters(result, [&](const auto& clusters, int n) {
      return clusters.newton(n, from, goal, limit, scale, to);
    });
    return result;
  }

  // Whether a step or a projection can go on in here, block by block and cluster by cluster.
  bool goes_alone() const {
    return std::all_of(chains_.begin(), chains_.end(), [](const Chain& chain) { return chain.in_order(); });
  }

  // To |g| <= tolerance at the end, or to rounding where that is 0. Clusters start from `mu`, chains from 0. Where a cluster does not get there, `mu` is as it was
  // there; where a chain does not, it is 0; and the positions are not to be used.
  RodSolve land(const RodFlight& flight, double tolerance) {
    const RodGoal goal = tolerance > 0 ? goal_at(std::max(tolerance / 4, least_target())) : rounding_goal();
    RodSolve result = tolerance > 0 ? land_chains<false>(flight, tolerance, goal)
                                    : land_chains<true>(flight, tolerance, goal);
    of_all_clusters(result, [&](const auto& clusters, int n) {
      return clusters.land(n, flight, tolerance, goal, limit);
    });
    land_free_particles(flight);
    return result;
  }
  // p ← p - Gᵀnu with |G W p| <= tolerance at the end, or at rounding where that is 0. Where that is not reached, p may have changed, by what nu says.
  RodSolve project(const double* q, const RodSums& p, double tolerance, double* nu) {
    RodSolve result = tolerance > 0 ? project_chains<false>(q, p, tolerance, nu)
                                    : project_chains<true>(q, p, tolerance, nu);
    of_all_clusters(result,
                    [&](const auto& clusters, int n) { return clusters.project(n, q, p, tolerance, nu); });
    return result;
  }

  // K(b, b) x = demand
  bool solve(const RodStart& from, double* to) {
    std::atomic<bool> sound = true;
    if (!chains_.empty()) {
      each_block([&](Chain& chain, int block, RodSweep&) {
        const auto gather = [&](const auto& rods, auto& rows) { rods.gather(block, from, rows); };
        if (!chain.eliminate(block, gather)) sound = false;
      });
      for (Chain& chain : chains_)
        if (!chain.linear_separators()) sound = false;
      each_block([&](Chain& chain, int block, RodSweep&) { chain.scatter(block, to); });
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
  double least_target() const { return 8 * epsilon<double>() * shortest_ * shortest_; }
  RodGoal goal_at(double target) const { return {target, target, shortest_ * shortest_}; }
  // Less than left_over of a unit is left, for the reason given there. Before the last correction |g| may be as large as the terms of g round: it is squared.
  RodGoal rounding_goal() const {
    const double length2 = shortest_ * shortest_;
    return {left_over * epsilon<double>() / 2 * length2,
            std::min(length_terms * epsilon<double>() * longest_ * longest_, 1e-10 * length2), length2};
  }
  static constexpr int limit = 12;                 // corrections; whoever needs more is better off elsewhere
  static constexpr int blocks_worth_a_thread = 4;  // some thousand rods
  static constexpr int rods_worth_windows =
      1 << 14;  // below, all corrections find most of the chains in a cache
  static constexpr int windows_worth_a_thread = 2;
  static constexpr int clusters_worth_a_thread = 128;  // batches

  // What all threads have looked at.
  class SharedLook {
   public:
    RodLook all;
    void add(const RodLook& one) {
      const std::scoped_lock lock(hold_);
      all = worse(all, one);
    }

   private:
    std::mutex hold_;
  };

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
      const CompensatedSum<double> t(x.from[j], x.from_low ? x.from_low[j] : 0.0, d);
      x.to[j] = t.sum;
      if (x.to_low) x.to_low[j] = t.low;
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

  // Newton's iteration: begin(departure, room) sets the records of a block up, end(chain, block) uses its μ.
  template <class Begin, class End>
  RodSolve of_all_chains(const RodGoal& goal, Begin&& begin, End&& end) {
    if (chains_.empty()) return {};
    each_block([&](Chain& chain, int block, RodSweep& sweep) { sweep = chain.start(block, begin); });
    return in_corrections(
        RodProgress(goal), limit,
        [&](bool first) { return first ? separators<true>() : separators<false>(); },
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
  template <bool to_rounding>
  RodSolve land_chains(const RodFlight& flight, double tolerance, const RodGoal& goal) {
    if (chains_.empty()) return {};
    SharedLook look;
    RodSolve result;
    if (!land_windows<to_rounding>(flight, goal, result, look)) {
      look.all = {};
      result = land_whole_chains<to_rounding>(flight, goal, look);
    }
    result.sound = result.sound && look.all.excess <= tolerance;
    if (!result.sound)
      for (const Chain& chain : chains_) chain.clear(flight.mu);
    return result;
  }
  template <bool to_rounding>
  RodSolve land_whole_chains(const RodFlight& flight, const RodGoal& goal, SharedLook& look) {
    const RodSolve result = of_all_chains(
        goal, [&](const auto& departure, const Room& room) { departure.depart(room, flight); },
        [&](Chain& chain, int block) { look.add(chain.template arrive<to_rounding>(block, flight)); });
    for (const Chain& chain : chains_) look.add(chain.impulses().template arrived<to_rounding>(flight));
    return result;
  }
  template <bool to_rounding>
  RodSolve project_chains(const double* q, const RodSums& p, double tolerance, double* nu) {
    const auto clear = [&] {
      for (const Chain& chain : chains_) chain.clear(nu);
    };
    if (std::all_of(chains_.begin(), chains_.end(), [&](const Chain& chain) {
          return chain.impulses().template rests<to_rounding>(q, p.from, tolerance);
        })) {
      clear();
      return {};
    }
    SharedLook look;
    if (windows_serve(q)) {
      if (!project_windows<to_rounding>(q, p, nu, look)) return {1, false};
    } else {
      if (!project_whole_chains<to_rounding>(q, p, nu, look)) {
        clear();
        return {0, false};
      }
    }
    // What hardly moves feels the rounding of the others.
    const double rounding = velocity_slack * epsilon<double>() / 2 * 0x1p-10 * shortest_ * look.all.speed;
    return {1, look.all.excess <= (to_rounding ? rounding : tolerance)};
  }
  // False: a pivot vanished, and p is as it was.
  template <bool to_rounding>
  bool project_whole_chains(const double* q, const RodSums& p, double* nu, SharedLook& look) {
    std::atomic<bool> sound = true;
    each_block([&](Chain& chain, int block, RodSweep&) {
      const auto meet = [&](const auto& rods, auto& rows) { rods.meet(block, q, p.from, rows); };
      if (!chain.eliminate(block, meet)) sound = false;
    });
    for (Chain& chain : chains_)
      if (!chain.linear_separators()) sound = false;
    if (!sound) return false;
    each_block([&](Chain& chain, int block, RodSweep&) {
      look.add(chain.template part<to_rounding>(block, q, p, nu));
    });
    for (const Chain& chain : chains_) look.add(chain.impulses().template parted<to_rounding>(q, p.to, nu));
    return true;
  }

  // The same window by window, from one state into another. False: windows do not serve here, and μ may be anything.
  template <bool to_rounding>
  bool land_windows(const RodFlight& flight, const RodGoal& goal, RodSolve& result, SharedLook& look) {
    // A window reads what lies in its neighbours.
    if (windows_.empty() || flight.q.from == flight.q.to || flight.p.from == flight.p.to) return false;
    std::atomic<int> most = 0;
    const bool serve = each_window([&](Window& window) {
      const RodSolve one = window.solve(flight, goal, limit);
      if (!one.sound) return false;
      look.add(window.template land<to_rounding>(chains_[window.chain()], flight));
      raise(most, one.corrections);
      return true;
    });
    if (!serve) return false;
    for (const Window& window : windows_)
      look.add(window.template join<to_rounding>(chains_[window.chain()], flight));
    result = {most, true};
    return true;
  }
  // Momenta change where they stand, so whether windows serve is asked before.
  bool windows_serve(const double* q) {
    return !windows_.empty() && each_window([&](const Window& window) {
      if (&window != &windows_.front()) (&window - 1)->foresee(chains_[(&window - 1)->chain()], q);
      return window.serves(chains_[window.chain()], q);
    });
  }
  // False: a pivot vanished somewhere, and p changed by what nu says.
  template <bool to_rounding>
  bool project_windows(const double* q, const RodSums& p, double* nu, SharedLook& look) {
    std::atomic<bool> sound = true;
    const auto join = [&](int n) {
      look.add(windows_[n].template part_joined<to_rounding>(chains_[windows_[n].chain()], q, p, nu));
    };
    in_ranges(static_cast<int>(windows_.size()), 1, windows_worth_a_thread, [&](int begin, int end) {
      for (int n = end; n-- > begin;) {
        if (!windows_[n].project(q, p.from, nu)) sound = false;
        look.add(windows_[n].template part<to_rounding>(chains_[windows_[n].chain()], q, p, nu));
        joins_late_[n] = n == begin;  // the window before it may be another thread's
        if (n + 1 < end) join(n + 1);
      }
    });
    for (std::size_t n = 0; n < windows_.size(); ++n)
      if (joins_late_[n]) join(static_cast<int>(n));
    return sound;
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
    for (Chain& chain : chains_) all = worse(all, chain.template separators<first>());
    return all;
  }

  std::shared_ptr<const RodLayout> system_;
  std::vector<Chain> chains_;
  std::vector<std::pair<int, int>> blocks_;  // chain, block
  std::vector<Window> windows_;              // of all chains, where they lie in order
  std::vector<char> joins_late_;             // of each window, in a projection
  AllKinds clusters_;
  std::vector<std::pair<int, int>> free_;  // begin, end
  std::vector<RodSweep> sweeps_;           // of each block, the last one
  double shortest_ = 1e300, longest_ = 0;  // rod
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
