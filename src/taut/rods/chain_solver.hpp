// All chains of a system: each as a whole, block by block, or window by window if together they outgrow the
// caches.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/rods/chain.hpp>
#include <taut/rods/chain_window.hpp>
#include <taut/rods/part_solver.hpp>
#include <taut/rods/plan.hpp>
#include <taut/rods/shared_results.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace taut {

template <int dimension>
class ChainSolver final : public RodPartSolver {
 public:
  explicit ChainSolver(std::shared_ptr<const RodPlan> plan) : plan_(std::move(plan)) {
    int rods = 0;
    for (const ChainPlace& place : plan_->chains) {
      const int c = static_cast<int>(chains_.size());
      chains_.emplace_back(plan_->rods, place);
      for (int b = 0; b < chains_.back().blocks(); ++b) blocks_.emplace_back(c, b);
      rods += place.rods;
    }
    sweeps_.resize(blocks_.size());
    rest_.resize(plan_->rods.size());
    if (rods < rods_worth_windows) return;
    for (std::size_t c = 0; c < chains_.size(); ++c)
      add_windows(plan_->rods, chains_[c], static_cast<int>(c), windows_);
    joins_late_.resize(windows_.size());
  }

  RodSolve land(const RodStep& step, double tolerance, const RodGoal& goal) override {
    return tolerance > 0 ? land_as<false>(step, tolerance, goal) : land_as<true>(step, tolerance, goal);
  }
  RodSolve project(const double* q, const RodSums& p, double tolerance, double* nu) override {
    RodSolve result = project_once(q, p, tolerance, nu);
    for (int n = 1; n < most_projections && !result.sound && result.corrections > 0; ++n) {
      const RodSolve again = project_once(q, p, tolerance, rest_.data());
      if (again.corrections == 0 && !again.sound) break;
      for (const Chain& chain : chains_) chain.add(rest_.data(), nu);
      result = {result.corrections + again.corrections, again.sound};
    }
    return result;
  }
  RodSolve newton(const double* q0, const double* q1, const RodGoal& goal, double scale,
                  double* delta) override {
    return iterate(
        goal, [&](const auto& records, const auto& work) { records.of_positions(work, q0, q1); },
        [&](Chain& chain, int block) { chain.copy_mu(block, scale, delta); });
  }

 private:
  using Chain = RodChain<dimension>;
  using Window = ChainWindow<dimension>;
  static constexpr int blocks_worth_a_thread = 4;  // some thousand rods
  // With fewer rods all corrections find most of the chains in a cache.
  static constexpr int rods_worth_windows = 1 << 14;
  static constexpr int windows_worth_a_thread = 2;
  // K of a nearly straight chain is ill-conditioned: rounding leaves something for a second projection, or a
  // third.
  static constexpr int most_projections = 3;

  template <class F>
  void each_block(F&& f) {
    in_ranges(static_cast<int>(blocks_.size()), 1, blocks_worth_a_thread, [&](int begin, int end) {
      for (int n = begin; n < end; ++n) f(chains_[blocks_[n].first], blocks_[n].second, sweeps_[n]);
    });
  }
  void clear(double* mu) const {
    for (const Chain& chain : chains_) chain.clear(mu);
  }

  // Runs Newton's iteration: set_up(records, work) fills the records of a block, end(chain, block) uses its
  // μ.
  template <class F, class End>
  RodSolve iterate(const RodGoal& goal, F&& set_up, End&& end) {
    each_block([&](Chain& chain, int block, RodSweep& sweep) { sweep = chain.start(block, set_up); });
    return in_corrections(
        RodForecast::of_chains(goal),
        [&](bool first) { return first ? solve_separators<true>() : solve_separators<false>(); },
        [&](bool first, bool last) {
          each_block([&](Chain& chain, int block, RodSweep& next) {
            if (last) {
              first ? chain.template correct<true>(block) : chain.template correct<false>(block);
              end(chain, block);
            } else {
              next = first ? chain.template correct_and_sweep<true>(block)
                           : chain.template correct_and_sweep<false>(block);
            }
          });
        });
  }
  template <bool first>
  RodSweep solve_separators() {
    RodSweep all;
    for (const RodSweep& sweep : sweeps_) all = worse(all, sweep);
    for (Chain& chain : chains_) all = worse(all, chain.template solve_separators<first>());
    return all;
  }
  template <bool to_rounding>
  RodSolve land_as(const RodStep& step, double tolerance, const RodGoal& goal) {
    SharedExcess excess;
    RodSolve result;
    if (!land_windows<to_rounding>(step, goal, result, excess)) {
      excess.all = {};
      result = land_whole_chains<to_rounding>(step, goal, excess);
    }
    result.sound = result.sound && excess.all.residual <= tolerance;
    if (!result.sound) clear(step.mu);
    return result;
  }
  template <bool to_rounding>
  RodSolve land_whole_chains(const RodStep& step, const RodGoal& goal, SharedExcess& excess) {
    const RodSolve result = iterate(
        goal, [&](const auto& records, const auto& work) { records.of_step(work, step); },
        [&](Chain& chain, int block) { excess.add(chain.template end_step<to_rounding>(block, step)); });
    for (const Chain& chain : chains_)
      excess.add(chain.impulses().template length_excess_between_blocks<to_rounding>(step.q.to));
    return result;
  }
  // Goes window by window, from one state into another. Returns false if windows cannot be used here; μ may
  // then be anything.
  template <bool to_rounding>
  bool land_windows(const RodStep& step, const RodGoal& goal, RodSolve& result, SharedExcess& excess) {
    // A window reads what lies in its neighbours.
    if (windows_.empty() || step.q.from == step.q.to || step.p.from == step.p.to) return false;
    SharedSolve solved;
    const bool all_sound = each_window([&](Window& window) {
      const RodSolve one = window.solve(step, goal);
      if (!one.sound) return false;
      excess.add(window.template end_step<to_rounding>(chains_[window.chain()], step));
      solved.add(one);
      return true;
    });
    if (!all_sound) return false;
    for (const Window& window : windows_)
      excess.add(window.template end_step_at_joint<to_rounding>(chains_[window.chain()], step));
    result = solved.all;
    return true;
  }

  RodSolve project_once(const double* q, const RodSums& p, double tolerance, double* nu) {
    return tolerance > 0 ? project_as<false>(q, p, tolerance, nu) : project_as<true>(q, p, tolerance, nu);
  }
  template <bool to_rounding>
  RodSolve project_as(const double* q, const RodSums& p, double tolerance, double* nu) {
    if (std::all_of(chains_.begin(), chains_.end(), [&](const Chain& chain) {
          return chain.impulses().template momenta_are_tangent<to_rounding>(q, p.from, tolerance);
        })) {
      clear(nu);
      return {};
    }
    SharedExcess excess;
    if (cuts_fade(q)) {
      if (!project_windows<to_rounding>(q, p, nu, excess)) return {1, false};
    } else if (!project_whole_chains<to_rounding>(q, p, nu, excess)) {
      clear(nu);
      return {0, false};
    }
    // A rod that hardly moves feels the rounding of the others.
    const double rounding =
        velocity_slack * epsilon<double>() / 2 * 0x1p-10 * plan_->shortest * excess.all.speed;
    return {1, excess.all.residual <= (to_rounding ? rounding : tolerance)};
  }
  // Returns false if a pivot vanished; p is then as it was.
  template <bool to_rounding>
  bool project_whole_chains(const double* q, const RodSums& p, double* nu, SharedExcess& excess) {
    std::atomic<bool> sound = true;
    each_block([&](Chain& chain, int block, RodSweep&) {
      if (!chain.eliminate(block, q, p.from)) sound = false;
    });
    for (Chain& chain : chains_)
      if (!chain.solve_linear_separators()) sound = false;
    if (!sound) return false;
    each_block([&](Chain& chain, int block, RodSweep&) {
      excess.add(chain.template end_projection<to_rounding>(block, q, p, nu));
    });
    for (const Chain& chain : chains_)
      excess.add(chain.impulses().template velocity_excess_between_blocks<to_rounding>(q, p.to, nu));
    return true;
  }
  // Says whether a projection can go window by window. Momenta change in place, so this is asked before.
  bool cuts_fade(const double* q) {
    return !windows_.empty() && each_window([&](const Window& window) {
      if (&window != &windows_.front()) (&window - 1)->prefetch(chains_[(&window - 1)->chain()], q);
      return window.cut_fades(chains_[window.chain()], q);
    });
  }
  // Returns false if a pivot vanished somewhere; p has then changed by what nu says.
  template <bool to_rounding>
  bool project_windows(const double* q, const RodSums& p, double* nu, SharedExcess& excess) {
    std::atomic<bool> sound = true;
    const auto end_at_joint = [&](int n) {
      const Chain& chain = chains_[windows_[n].chain()];
      excess.add(windows_[n].template end_projection_at_joint<to_rounding>(chain, q, p, nu));
    };
    in_ranges(static_cast<int>(windows_.size()), 1, windows_worth_a_thread, [&](int begin, int end) {
      for (int n = end; n-- > begin;) {
        if (!windows_[n].project(q, p.from, nu)) sound = false;
        excess.add(windows_[n].template end_projection<to_rounding>(chains_[windows_[n].chain()], q, p, nu));
        joins_late_[n] = n == begin;  // the window before it may be another thread's
        if (n + 1 < end) end_at_joint(n + 1);
      }
    });
    for (std::size_t n = 0; n < windows_.size(); ++n)
      if (joins_late_[n]) end_at_joint(static_cast<int>(n));
    return sound;
  }
  // Calls f(window) from the last window to the first, until one returns false. The passes over the particles
  // before and after this one run forwards, so going backwards starts with what is still in the cache.
  template <class F>
  bool each_window(F&& f) {
    std::atomic<bool> go_on = true;
    in_ranges(static_cast<int>(windows_.size()), 1, windows_worth_a_thread, [&](int begin, int end) {
      for (int n = end; n-- > begin && go_on;)
        if (!f(windows_[n])) go_on = false;
    });
    return go_on;
  }

  std::shared_ptr<const RodPlan> plan_;
  std::vector<Chain> chains_;
  std::vector<std::pair<int, int>> blocks_;  // chain, block
  std::vector<RodSweep> sweeps_;             // the last one of each block
  std::vector<Window> windows_;              // those of all chains
  std::vector<double> rest_;                 // ν of another projection
  std::vector<char> joins_late_;             // in a projection: one for each window
};

template <int dimension>
std::unique_ptr<RodPartSolver> make_chain_solver(std::shared_ptr<const RodPlan> plan) {
  return std::make_unique<ChainSolver<dimension>>(std::move(plan));
}

}  // namespace taut
