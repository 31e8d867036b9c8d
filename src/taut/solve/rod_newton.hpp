// Newton's iteration in the space of the rods, for systems whose constraints are rods in long chains and in small clusters. It never forms
// positions: three vectors of rods take the place of q, G and K, and a correction goes through them twice. Whoever asks for it then looks at the true
// constraint at the true positions. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/solve/rod_chains.hpp>
#include <taut/solve/rod_clusters.hpp>
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
    std::map<const FrontTree*, std::vector<std::vector<int>>> alike;
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
        if (!rows.empty()) alike[part.tree.get()].push_back(std::move(rows));
      }
    }
    for (const auto& [tree, clusters] : alike)
      add_clusters(clusters, std::make_integer_sequence<int, largest_cluster>{});
    for (std::size_t c = 0; c < chains_.size(); ++c)
      for (int b = 0; b < chains_[c].blocks(); ++b) blocks_.emplace_back(static_cast<int>(c), b);
    double shortest = 1e300;
    for (const double length : system_->rods.length) shortest = std::min(shortest, length);
    length2_ = shortest * shortest;
  }

  // scale · δ with g(q - Wb δ) = 0, to the target, or to rounding where it is 0. new_b: b is not that of the last call.
  RodSolve newton(const RodStart& from, bool new_b, double target, double scale, double* to) {
    const RodProgress progress(std::max(target, 8 * epsilon<double>() * length2_), length2_);
    RodSolve result = newton_of_chains(from, new_b, progress, scale, to);
    each_kind([&](const auto& clusters) {
      std::atomic<int> most = 0;
      std::atomic<bool> sound = true;
      in_ranges(clusters.batches(), 1, clusters_worth_a_thread, [&](int begin, int end) {
        int corrections = 0;
        bool good = true;
        for (int n = begin; n < end; ++n) {
          const RodSolve one = clusters.newton(n, from, progress, limit, scale, to);
          corrections = std::max(corrections, one.corrections);
          good = good && one.sound;
        }
        if (!good) sound = false;
        for (int before = most; before < corrections && !most.compare_exchange_weak(before, corrections);) {
        }
      });
      result.corrections = std::max(result.corrections, most.load());
      result.sound = result.sound && sound;
    });
    return result;
  }

  // K(b, b) x = demand
  bool solve(const RodStart& from, double* to) {
    std::atomic<bool> sound = true;
    if (!chains_.empty()) {
      each_block([&](Chain& chain, int block) {
        chain.begin(block, from);
        if (!chain.template forward<true, true>(block).sound) sound = false;
      });
      for (Chain& chain : chains_)
        if (!chain.separators()) sound = false;
      each_block([&](Chain& chain, int block) {
        chain.template backward<true>(block);
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
  static constexpr int limit = 12;                 // corrections; whoever needs more is better off elsewhere
  static constexpr int blocks_worth_a_thread = 4;  // some thousand rods
  static constexpr int clusters_worth_a_thread = 128;  // batches

  template <int... k>
  void add_clusters(const std::vector<std::vector<int>>& clusters, std::integer_sequence<int, k...>) {
    const int m = static_cast<int>(clusters.front().size());
    ((m == k + 1 ? (void)std::get<k>(clusters_).emplace_back(system_->rods, system_->entries, clusters)
                 : void()),
     ...);
  }
  template <int... k>
  static auto kinds_of(std::integer_sequence<int, k...>)
      -> std::tuple<std::vector<RodClusters<dimension, k + 1>>...>;

  template <class F>
  void each_kind(F&& f) const {
    std::apply(
        [&](const auto&... of_a_size) {
          const auto each = [&](const auto& list) {
            for (const auto& clusters : list) f(clusters);
          };
          (each(of_a_size), ...);
        },
        clusters_);
  }
  template <class F>
  void each_block(F&& f) {
    in_ranges(static_cast<int>(blocks_.size()), 1, blocks_worth_a_thread, [&](int begin, int end) {
      for (int n = begin; n < end; ++n) f(chains_[blocks_[n].first], blocks_[n].second);
    });
  }

  RodSolve newton_of_chains(const RodStart& from, bool new_b, RodProgress progress, double scale,
                            double* to) {
    RodSolve result;
    if (chains_.empty()) return result;
    largest_.assign(blocks_.size(), RodSweep{});
    for (bool last = false; !last;) {
      const bool first = result.corrections == 0;
      in_ranges(static_cast<int>(blocks_.size()), 1, blocks_worth_a_thread, [&](int begin, int end) {
        for (int n = begin; n < end; ++n) {
          Chain& chain = chains_[blocks_[n].first];
          const int block = blocks_[n].second;
          if (first) {
            new_b ? chain.begin(block, from) : chain.place(block, from);
            largest_[n] = chain.template forward<true, false>(block);
          } else {
            chain.exchange(block);
            largest_[n] = chain.template forward<false, false>(block);
          }
        }
      });
      double largest = 0;
      for (const RodSweep& sweep : largest_) {
        largest = std::max(largest, sweep.largest);
        result.sound = result.sound && sweep.sound;
      }
      for (Chain& chain : chains_) result.sound = chain.separators() && result.sound;
      ++result.corrections;
      last = progress.last_after(largest);
      const bool over = last || result.corrections == limit || !result.sound;
      each_block([&](Chain& chain, int block) {
        first ? chain.template backward<true>(block) : chain.template backward<false>(block);
        if (over) chain.take(block, scale, to);
      });
      if (over) {
        result.sound = result.sound && last;
        break;
      }
    }
    return result;
  }

  std::shared_ptr<const RodLayout> system_;
  std::vector<Chain> chains_;
  std::vector<std::pair<int, int>> blocks_;  // chain, block
  decltype(kinds_of(std::make_integer_sequence<int, largest_cluster>{})) clusters_;
  std::vector<RodSweep> largest_;  // of each block
  double length2_ = 1;             // the least L²
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
