// A long chain of rods, window by window: beyond the cache every pass through the chain waits for memory, so each window goes through all corrections at one
// visit, as a chain of its own. It overlaps its neighbours by rods whose μ it finds and does not use: where K is far enough from that of a straight chain,
// what is cut off at the ends of the window is not felt beyond them. Windows depend on the number of rods only. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/chains.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace taut {

template <int dimension>
class RodWindow {
 public:
  using Chain = RodChain<dimension>;
  using Desk = typename Chain::Desk;
  using Room = typename Chain::Room;

  static constexpr int overlap = 64;  // enough where each rod turns by 36 degrees or more against the last
  static constexpr int most_rods = Chain::cached_rods - 2 * overlap;

  // The rods begin … end - 1 of a whole chain in order, number `chain` in its owner's list.
  RodWindow(const RodList& rods, const RodEntries& entries, const Chain& whole, int chain, int begin, int end)
      : chain_(chain),
        begin_(begin),
        end_(end),
        left_(std::min(begin - whole.first(), overlap)),
        right_(std::min(whole.first() + whole.rows() - end, overlap)),
        rods_(Chain::without_memory(rods, entries, with_overlap())) {}

  int chain() const { return chain_; }

  // μ of a flight. Not sound: no convergence, or the cuts are felt.
  RodSolve solve(const RodFlight& flight, const RodGoal& goal, int limit) {
    Desk desk;
    rods_.sit_down(desk);
    const RodSolve solved = solve_at_desk(flight, goal, limit);
    if (solved.sound) take(desk, 1 / flight.h, flight.mu);
    rods_.stand_up();
    return solved;
  }
  // Its end: the particles, except for the particle that joins it to the window before, and a look at all rods that hold two of them.
  template <bool to_rounding>
  RodLook land(const Chain& whole, const RodFlight& flight) const {
    const int from = joined() ? begin_ + 1 : begin_, to = right_ > 0 ? end_ : end_ + 1;
    return whole.impulses().template fly<to_rounding>(from, to, joined() ? flight.mu[begin_] : 0.0,
                                                      flight.mu + from, flight);
  }
  // That particle, with μ as both windows wrote it, and the rods that it joins.
  template <bool to_rounding>
  RodLook join(const Chain& whole, const RodFlight& flight) const {
    if (!joined()) return {};
    const auto& impulses = whole.impulses();
    const RodLook look = impulses.template fly<to_rounding>(begin_, begin_ + 1, flight.mu[begin_ - 1],
                                                            flight.mu + begin_, flight);
    return worse(look, worse(impulses.template length_of<to_rounding>(begin_ - 1, flight.q.to),
                             impulses.template length_of<to_rounding>(begin_, flight.q.to)));
  }

  // Will a projection not feel the cut before it? (Z5)
  bool serves(const Chain& whole, const double* q) const {
    return !joined() || whole.projection().fades_about(begin_, overlap, q);
  }
  // That will be asked soon.
  void foresee(const Chain& whole, const double* q) const {
    if (joined()) whole.projection().foresee_about(begin_, overlap, q);
  }
  // ν of a projection where the cuts are not felt. False: a pivot vanished, and ν = 0.
  bool project(const double* q, const double* p, double* nu) {
    Desk desk;
    rods_.sit_down(desk);
    const bool solved = project_at_desk(q, p, desk);
    if (solved)
      std::copy_n(desk.along.begin() + left_, end_ - begin_, nu + begin_);
    else
      std::fill_n(nu + begin_, end_ - begin_, 0.0);
    rods_.stand_up();
    return solved;
  }
  // Its end: the momenta of the particles that no other window reads.
  template <bool to_rounding>
  RodLook part(const Chain& whole, const double* q, const RodSums& p, const double* nu) const {
    const int from = joined() ? begin_ + overlap + 1 : begin_, to = right_ > 0 ? end_ - overlap : end_ + 1;
    return whole.impulses().template part<to_rounding>(from, to, joined() ? nu[from - 1] : 0.0, q, p, nu);
  }
  // Those that the window before reads, too, when both have found their ν, and the rods from them to the others.
  template <bool to_rounding>
  RodLook part_joined(const Chain& whole, const double* q, const RodSums& p, const double* nu) const {
    if (!joined()) return {};
    const int from = begin_ - overlap, to = begin_ + overlap + 1;
    const auto& impulses = whole.impulses();
    const RodLook look = impulses.template part<to_rounding>(from, to, nu[from - 1], q, p, nu);
    return worse(look, worse(impulses.template velocity_along<to_rounding>(from - 1, q, p.to, nu),
                             impulses.template velocity_along<to_rounding>(to - 1, q, p.to, nu)));
  }

 private:
  bool joined() const { return left_ > 0; }
  bool fades() const {  // (Z5)
    return (left_ == 0 || rods_.fades_at_start(left_)) && (right_ == 0 || rods_.fades_at_end(right_));
  }
  std::vector<int> with_overlap() const {
    std::vector<int> path(left_ + end_ - begin_ + right_);
    std::iota(path.begin(), path.end(), begin_ - left_);
    return path;
  }
  RodSolve solve_at_desk(const RodFlight& flight, const RodGoal& goal, int limit) {
    RodSweep inside = each_block([&](int block) {
      return rods_.start(
          block, [&](const auto& departure, const Room& room) { departure.depart(room, flight); },
          flight.p.from);
    });
    if (!fades()) return {0, false};
    RodSolve result = in_corrections(
        RodProgress(goal), limit,
        [&](bool first) {
          return worse(inside,
                       first ? rods_.template separators<true>() : rods_.template separators<false>());
        },
        [&](bool first, bool over) {
          inside = each_block([&](int block) {
            if (!over) return first ? rods_.template go_on<true>(block) : rods_.template go_on<false>(block);
            first ? rods_.template finish<true>(block) : rods_.template finish<false>(block);
            return RodSweep();
          });
        });
    result.sound = result.sound && fades();
    return result;
  }
  bool project_at_desk(const double* q, const double* p, Desk& desk) {
    bool sound = true;
    for (int block = rods_.blocks(); block-- > 0;)
      if (!rods_.eliminate(block, [&](const auto& rods, auto& rows) { rods.meet(block, q, p, rows); }))
        sound = false;
    if (!sound || !rods_.linear_separators()) return false;
    for (int block = 0; block < rods_.blocks(); ++block)
      rods_.scatter(block, desk.along.data(), rods_.first());
    return true;
  }
  void take(Desk& desk, double scale, double* to) const {
    for (int block = 0; block < rods_.blocks(); ++block)
      rods_.take(block, scale, desk.along.data(), rods_.first());
    std::copy_n(desk.along.begin() + left_, end_ - begin_, to + begin_);
  }
  // From the last to the first, as windows go.
  template <class F>
  RodSweep each_block(F&& f) {
    RodSweep all;
    for (int block = rods_.blocks(); block-- > 0;) all = worse(all, f(block));
    return all;
  }

  int chain_, begin_, end_, left_, right_;
  Chain rods_;
};

// A chain that fits is one window.
template <int dimension>
void add_windows(const RodList& rods, const RodEntries& entries, const RodChain<dimension>& whole, int chain,
                 std::vector<RodWindow<dimension>>& to) {
  using Window = RodWindow<dimension>;
  const int rows = whole.rows();
  const int count = rows <= RodChain<dimension>::cached_rods ? 1 : rows / Window::most_rods + 1;
  const auto cut = [&](int n) {
    return whole.first() + static_cast<int>(static_cast<long>(rows) * n / count);
  };
  for (int n = 0; n < count; ++n) to.emplace_back(rods, entries, whole, chain, cut(n), cut(n + 1));
}

}  // namespace taut
