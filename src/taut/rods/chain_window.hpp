// A long chain of rods, window by window. Beyond the cache every pass through the chain waits for memory, so
// each window goes through all corrections at one visit, as a chain of its own. It overlaps its neighbours by
// rods whose μ it finds and does not use: if K is far enough from that of a straight chain, what is cut off
// at the ends of the window is not felt beyond the overlap. Windows depend on the number of rods only.
// Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/chain.hpp>

#include <algorithm>
#include <vector>

namespace taut {

template <int dimension>
class ChainWindow {
 public:
  using Chain = RodChain<dimension>;
  using Scratch = typename Chain::Scratch;

  static constexpr int overlap = 64;  // enough if each rod turns by 36 degrees or more against the last
  static constexpr int most_rods = Chain::cached_rods - 2 * overlap;

  // Makes a window of the rods begin … end - 1 of a whole chain, number `chain` in its owner's list.
  ChainWindow(const RodList& rods, const Chain& whole, int chain, int begin, int end)
      : chain_(chain),
        begin_(begin),
        end_(end),
        left_(std::min(begin - whole.path().first, overlap)),
        right_(std::min(whole.path().end() - end, overlap)),
        rods_(Chain::without_memory(
            rods, {begin - left_, whole.path().lower(begin - left_), left_ + end - begin + right_})) {}

  int chain() const { return chain_; }

  // Finds μ of a step. The result is not sound without convergence, or if the cuts are felt.
  RodSolve solve(const RodStep& step, const RodGoal& goal) {
    Scratch scratch;
    rods_.borrow(scratch);
    const RodSolve solved = solve_with_scratch(step, goal);
    if (solved.sound) {
      for (int block = 0; block < rods_.blocks(); ++block)
        rods_.copy_mu(block, 1 / step.h, scratch.along.data(), rods_.path().first);
      std::copy_n(scratch.along.begin() + left_, end_ - begin_, step.mu + begin_);
    }
    rods_.give_back();
    return solved;
  }
  // Ends the step for its particles, except for the particle that joins it to the window before. Returns the
  // residuals of all rods that join two of them.
  template <bool to_rounding>
  RodExcess end_step(const Chain& whole, const RodStep& step) const {
    const int from = has_left() ? begin_ + 1 : begin_, to = right_ > 0 ? end_ : end_ + 1;
    return whole.impulses().template kick_and_drift<to_rounding>(from, to, has_left() ? step.mu[begin_] : 0.0,
                                                                 step.mu + from, step);
  }
  // Ends it for that particle, with μ as both windows wrote it. Returns the residuals of the rods that it
  // joins.
  template <bool to_rounding>
  RodExcess end_step_at_joint(const Chain& whole, const RodStep& step) const {
    if (!has_left()) return {};
    const auto& impulses = whole.impulses();
    const RodExcess excess = impulses.template kick_and_drift<to_rounding>(
        begin_, begin_ + 1, step.mu[begin_ - 1], step.mu + begin_, step);
    return worse(excess, worse(impulses.template length_excess<to_rounding>(begin_ - 1, step.q.to),
                               impulses.template length_excess<to_rounding>(begin_, step.q.to)));
  }

  // Returns true if a projection will not feel the cut before the window. (Z5)
  bool cut_fades(const Chain& whole, const double* q) const {
    return !has_left() || whole.projection().fades_about(begin_, overlap, q);
  }
  // Asks memory for what cut_fades() will read.
  void prefetch(const Chain& whole, const double* q) const {
    if (has_left()) whole.projection().prefetch_about(begin_, overlap, q);
  }
  // Finds ν of a projection whose cuts are not felt. Returns false, and ν = 0, if a pivot vanished.
  bool project(const double* q, const double* p, double* nu) {
    Scratch scratch;
    rods_.borrow(scratch);
    const bool solved = project_with_scratch(q, p, scratch);
    if (solved)
      std::copy_n(scratch.along.begin() + left_, end_ - begin_, nu + begin_);
    else
      std::fill_n(nu + begin_, end_ - begin_, 0.0);
    rods_.give_back();
    return solved;
  }
  // Ends the projection for the particles whose momenta no other window reads.
  template <bool to_rounding>
  RodExcess end_projection(const Chain& whole, const double* q, const RodSums& p, const double* nu) const {
    const int from = has_left() ? begin_ + overlap + 1 : begin_, to = right_ > 0 ? end_ - overlap : end_ + 1;
    return whole.impulses().template kick<to_rounding>(from, to, has_left() ? nu[from - 1] : 0.0, q, p, nu);
  }
  // Ends it for the particles that the window before reads, too, once both have found their ν. Returns the
  // residuals of their rods, and of the rods from them to the others.
  template <bool to_rounding>
  RodExcess end_projection_at_joint(const Chain& whole, const double* q, const RodSums& p,
                                    const double* nu) const {
    if (!has_left()) return {};
    const int from = begin_ - overlap, to = begin_ + overlap + 1;
    const auto& impulses = whole.impulses();
    const RodExcess excess = impulses.template kick<to_rounding>(from, to, nu[from - 1], q, p, nu);
    return worse(excess, worse(impulses.template velocity_excess<to_rounding>(from - 1, q, p.to, nu),
                               impulses.template velocity_excess<to_rounding>(to - 1, q, p.to, nu)));
  }

 private:
  // Says whether there is a window before this one in the same chain.
  bool has_left() const { return left_ > 0; }
  bool cuts_fade() const {  // (Z5)
    return (left_ == 0 || rods_.fades_at_start(left_)) && (right_ == 0 || rods_.fades_at_end(right_));
  }
  RodSolve solve_with_scratch(const RodStep& step, const RodGoal& goal) {
    RodSweep inside = each_block([&](int block) {
      return rods_.start(
          block, [&](const auto& records, const auto& work) { records.of_step(work, step); }, step.p.from);
    });
    if (!cuts_fade()) return {0, false};
    RodSolve result = in_corrections(
        RodForecast::of_chains(goal),
        [&](bool first) {
          return worse(inside, first ? rods_.template solve_separators<true>()
                                     : rods_.template solve_separators<false>());
        },
        [&](bool first, bool last) {
          inside = each_block([&](int block) {
            if (!last)
              return first ? rods_.template correct_and_sweep<true>(block)
                           : rods_.template correct_and_sweep<false>(block);
            first ? rods_.template correct<true>(block) : rods_.template correct<false>(block);
            return RodSweep();
          });
        });
    result.sound = result.sound && cuts_fade();
    return result;
  }
  bool project_with_scratch(const double* q, const double* p, Scratch& scratch) {
    bool sound = true;
    for (int block = rods_.blocks(); block-- > 0;)
      if (!rods_.eliminate(block, q, p)) sound = false;
    if (!sound || !rods_.solve_linear_separators()) return false;
    for (int block = 0; block < rods_.blocks(); ++block)
      rods_.copy_nu(block, scratch.along.data(), rods_.path().first);
    return true;
  }
  // Goes from the last block to the first, as windows do.
  template <class F>
  RodSweep each_block(F&& f) {
    RodSweep all;
    for (int block = rods_.blocks(); block-- > 0;) all = worse(all, f(block));
    return all;
  }

  int chain_, begin_, end_;
  int left_, right_;  // it overlaps its neighbours by this many rods
  Chain rods_;
};

// Cuts a chain into windows. A chain that fits in the cache is one window.
template <int dimension>
void add_windows(const RodList& rods, const RodChain<dimension>& whole, int chain,
                 std::vector<ChainWindow<dimension>>& to) {
  const int count = whole.rods() <= RodChain<dimension>::cached_rods
                        ? 1
                        : whole.rods() / ChainWindow<dimension>::most_rods + 1;
  const auto cut = [&](int n) {
    return whole.path().first + static_cast<int>(static_cast<long>(whole.rods()) * n / count);
  };
  for (int n = 0; n < count; ++n) to.emplace_back(rods, whole, chain, cut(n), cut(n + 1));
}

}  // namespace taut
