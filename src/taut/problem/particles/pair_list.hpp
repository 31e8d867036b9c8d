// Lists the pairs of particles that are close enough to act on each other, found by cells whose edge is the
// longest distance of a pair. Threads share the particles; the list does not depend on how many threads there
// are.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/problem/particles/particle_system.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace taut {

// Positions, component by component, and the cells they lie in.
class CellGrid {
 public:
  CellGrid(const PairRule& rule, int dimension, const std::vector<double>& q, const std::vector<int>& members)
      : d_(dimension), n_(static_cast<int>(q.size()) / dimension), q_(q), box_(rule.box) {
    std::array<double, 3> length{};
    for (int a = 0; a < d_; ++a) length[a] = box_[a] == 0 ? extent(a, members) : box_[a];
    // A cloud that flies apart would need endlessly many cells: they are widened until there are about two
    // for each particle.
    const double most = 2.0 * static_cast<double>(members.size()) + 1;
    double edge = rule.cutoff + rule.skin;
    // No direction has more cells than that, whatever the cutoff; so the loop below is short.
    for (int a = 0; a < d_; ++a)
      if (std::isfinite(length[a])) edge = std::max(edge, length[a] / most);
    while (cells_of(length, edge) > most) edge *= 1.25;
    for (int a = 0; a < d_; ++a) {
      cells_[a] = static_cast<int>(cells_along(length[a], edge));
      edge_[a] = std::max(length[a] / cells_[a], 1e-300);
    }
  }

  int cells() const { return cells_[0] * cells_[1] * cells_[2]; }
  int cell_of(int i) const { return number({along(i, 0), along(i, 1), along(i, 2)}); }
  double distance2(int i, int j) const {
    double sum = 0;
    for (int a = 0; a < d_; ++a) {
      double r = at(i, a) - at(j, a);
      if (box_[a] != 0) r -= box_[a] * std::round(r / box_[a]);
      sum += r * r;
    }
    return sum;
  }

  // Calls f(cell) for the cell of this particle and for those around it, each once.
  template <class F>
  void around(int i, F&& f) const {
    std::array<std::array<int, 3>, 3> near;
    std::array<int, 3> count{};
    for (int a = 0; a < 3; ++a)
      for (int step = -1; step <= 1; ++step) {
        int c = along(i, a) + step;
        if (a < d_ && box_[a] != 0) c = (c + cells_[a]) % cells_[a];
        const auto end = near[a].begin() + count[a];
        if (c >= 0 && c < cells_[a] && std::find(near[a].begin(), end, c) == end) near[a][count[a]++] = c;
      }
    for (int x = 0; x < count[0]; ++x)
      for (int y = 0; y < count[1]; ++y)
        for (int z = 0; z < count[2]; ++z) f(number({near[0][x], near[1][y], near[2][z]}));
  }

 private:
  // Returns how far the members reach, from low_ on.
  double extent(int a, const std::vector<int>& members) {
    double high = -1e300;
    low_[a] = 1e300;
    for (const int i : members) {
      low_[a] = std::min(low_[a], at(i, a));
      high = std::max(high, at(i, a));
    }
    return high - low_[a];
  }
  // Count the cells of this edge or of a longer one, in one direction and in all. A length that is not finite
  // counts as one cell.
  static double cells_along(double length, double edge) {
    return std::isfinite(length) ? std::max(std::floor(length / edge), 1.0) : 1.0;
  }
  double cells_of(const std::array<double, 3>& length, double edge) const {
    double product = 1;
    for (int a = 0; a < d_; ++a) product *= cells_along(length[a], edge);
    return product;
  }
  double at(int i, int a) const { return q_[static_cast<std::size_t>(a) * n_ + i]; }
  int number(const std::array<int, 3>& c) const { return (c[0] * cells_[1] + c[1]) * cells_[2] + c[2]; }
  int along(int i, int a) const {
    if (a >= d_) return 0;
    double x = (at(i, a) - low_[a]) / edge_[a];
    if (box_[a] != 0) x -= std::floor(x / cells_[a]) * cells_[a];
    return x > 0 ? static_cast<int>(std::min(x, cells_[a] - 1.0)) : 0;
  }

  int d_, n_;
  const std::vector<double>& q_;
  std::array<double, 3> box_, low_{}, edge_{1, 1, 1};
  std::array<int, 3> cells_{1, 1, 1};
};

// The members of each cell.
class CellMembers {
 public:
  CellMembers(const CellGrid& grid, const std::vector<int>& members)
      : begin_(grid.cells() + 1, 0), inside_(members.size()) {
    std::vector<int> cell;
    for (const int i : members) ++begin_[cell.emplace_back(grid.cell_of(i)) + 1];
    for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    std::vector<int> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t k = 0; k < members.size(); ++k) inside_[next[cell[k]]++] = members[k];
  }
  template <class F>
  void in(int cell, F&& f) const {
    for (int k = begin_[cell]; k < begin_[cell + 1]; ++k) f(inside_[k]);
  }

 private:
  std::vector<int> begin_, inside_;
};

// Pairs are numbered by an int, with room for a batch beyond the last one.
inline constexpr std::size_t most_pairs = std::numeric_limits<int>::max() - 64;
inline void check_number_of_pairs(std::size_t pairs) {
  if (pairs <= most_pairs) return;
  throw std::length_error("there are " + std::to_string(pairs) +
                          " pairs closer than cutoff + skin, and a list has at most " +
                          std::to_string(most_pairs) + ": a shorter cutoff makes it shorter.");
}

// The pairs (i, j), i < j, closer than cutoff and skin together, sorted.
struct PairList {
  std::vector<int> first, second;

  PairList() = default;
  PairList(const PairRule& rule, int dimension, const std::vector<double>& q) {
    std::vector<int> members = rule.sets.front();
    if (rule.sets.size() > 1) {
      members.clear();
      std::set_union(rule.sets[0].begin(), rule.sets[0].end(), rule.sets[1].begin(), rule.sets[1].end(),
                     std::back_inserter(members));
    }
    const CellGrid grid(rule, dimension, q, members);
    std::vector<CellMembers> cells;
    for (const std::vector<int>& set : rule.sets) cells.emplace_back(grid, set);

    std::map<int, PairList> parts;  // by their first member
    std::mutex hold;
    constexpr int worth_a_thread_of_members = 512;
    in_ranges(static_cast<int>(members.size()), 1, worth_a_thread_of_members, [&](int from, int to) {
      PairList part;
      for (int k = from; k < to; ++k) part.add_partners_of(members[k], rule, grid, cells);
      const std::scoped_lock lock(hold);
      parts.emplace(from, std::move(part));
    });
    std::size_t pairs = 0;
    for (const auto& [from, part] : parts) pairs += part.first.size();
    check_number_of_pairs(pairs);
    for (auto& [from, part] : parts) {
      first.insert(first.end(), part.first.begin(), part.first.end());
      second.insert(second.end(), part.second.begin(), part.second.end());
    }
  }

 private:
  void add_partners_of(int i, const PairRule& rule, const CellGrid& grid,
                       const std::vector<CellMembers>& cells) {
    const double reach = rule.cutoff + rule.skin;
    const std::size_t before = second.size();
    for (std::size_t own = 0; own < rule.sets.size(); ++own) {
      if (rule.sets.size() > 1 && !std::binary_search(rule.sets[own].begin(), rule.sets[own].end(), i))
        continue;
      const CellMembers& others = cells[rule.sets.size() - 1 - own];
      grid.around(i, [&](int cell) {
        others.in(cell, [&](int j) {
          if (j > i && grid.distance2(i, j) < reach * reach) second.push_back(j);
        });
      });
    }
    const auto begin = second.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(begin, second.end());
    auto end = std::unique(begin, second.end());  // members of both sets were found twice
    const std::vector<int>& apart = rule.apart[i];
    if (!apart.empty())
      end = std::remove_if(begin, end,
                           [&](int j) { return std::binary_search(apart.begin(), apart.end(), j); });
    second.erase(end, second.end());
    first.resize(second.size(), i);
  }
};

}  // namespace taut
