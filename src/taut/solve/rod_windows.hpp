// A long chain of rods, window by window: beyond the cache every pass through the chain waits for memory, so each window goes through all corrections at one
// visit, as a chain of its own. It overlaps its neighbours by rods whose μ it finds and does not use: where K is far enough from that of a straight chain,
// what is cut off at the ends of the window is not felt beyond them. Windows depend on the number of rods only. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/solve/rod_chains.hpp>

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
  RodSolve solve(const RodFlight& flight, const RodProgress& progress, int limit) {
    Desk desk;
    rods_.sit_down(desk);
    const RodSolve solved = solve_at_desk(flight, progress, limit);
    if (solved.sound) take(desk, 1 / flight.h, flight.mu);
    rods_.stand_up();
    return solved;
  }
  // Its end: the particles, except for the particle that joins it to the window before. Is |g| within the tolerance for all rods that hold two of them?
  bool land(const Chain& whole, const RodFlight& flight, double tolerance) const {
    const int from = joined() ? begin_ + 1 : begin_, to = right_ > 0 ? end_ : end_ + 1;
    return whole.fly(from, to, joined() ? flight.mu[begin_] : 0.0, flight.mu + from, flight, tolerance);
  }
  // That particle, with μ as both windows wrote it, and the rods that it joins.
  bool join(const Chain& whole, const RodFlight& flight, double tolerance) const {
    return !joined() ||
           (whole.fly(begin_, begin_ + 1, flight.mu[begin_ - 1], flight.mu + begin_, flight, tolerance) &&
            whole.holds(begin_ - 1, flight, tolerance) && whole.holds(begin_, flight, tolerance));
  }

  // ν of a projection. False: a pivot vanished, or the cuts are felt.
  bool project(const double* q, const double* p, double* nu) {
    Desk desk;
    rods_.sit_down(desk);
    const bool solved = project_at_desk(q, p);
    if (solved) take(desk, 1, nu);
    rods_.stand_up();
    return solved;
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
  RodSolve solve_at_desk(const RodFlight& flight, const RodProgress& progress, int limit) {
    RodSweep inside = each_block([&](int block) {
      return rods_.template start<false>(block, [&](const Room& room) { rods_.depart(room, flight); });
    });
    if (!fades()) return {0, false};
    RodSolve result = in_corrections(
        progress, limit,
        [&](bool first) {
          return worse(inside, first ? rods_.template separators<true, false>()
                                     : rods_.template separators<false, false>());
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
  bool project_at_desk(const double* q, const double* p) {
    const RodSweep inside = each_block([&](int block) {
      return rods_.template start<true>(block, [&](const Room& room) { rods_.meet(room, q, p); });
    });
    if (!inside.sound || !fades() || !rods_.template separators<true, true>().sound) return false;
    for (int block = 0; block < rods_.blocks(); ++block) rods_.template finish<true>(block);
    return true;
  }
  void take(Desk& desk, double scale, double* to) const {
    for (int block = 0; block < rods_.blocks(); ++block)
      rods_.take(block, scale, desk.along.data(), rods_.first());
    std::copy_n(desk.along.begin() + left_, end_ - begin_, to + begin_);
  }
  template <class F>
  RodSweep each_block(F&& f) {
    RodSweep all;
    for (int block = 0; block < rods_.blocks(); ++block) all = worse(all, f(block));
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
