// Lists which constraints share coordinates, and through which entries of their rows: K = G₁ W G₀ᵀ has an
// entry (i, j) if they do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace taut {

// Entry `left` of one row is in the same column as entry `right` of another.
using SharedEntries = std::vector<std::pair<int, int>>;

struct Coupling {
  int i, j;  // j < i
  int how;   // the number of a SharedEntries: (entry of i, entry of j)
};

struct Couplings {
  int rows = 0;
  std::vector<Coupling> list;         // sorted by i, then j
  std::vector<SharedEntries> shared;  // the few ways in which rows couple
  // The neighbours of row i are neighbour[begin[i]] … neighbour[begin[i+1]-1], sorted.
  std::vector<int> begin, neighbour;

  int degree(int i) const { return begin[i + 1] - begin[i]; }
};

namespace couplings_detail {

struct Occurrence {
  int row, entry;
};

// Lists the rows of each column, sorted by row.
template <class Jacobian>
void transpose(const Jacobian& G, std::vector<int>& begin, std::vector<Occurrence>& where) {
  int columns = 0;
  for (const auto& g : G.groups())
    for (int e = 0; e < g.size; ++e)
      for (int k = 0; k < g.rows; ++k) columns = std::max(columns, g.column[e][k] + 1);
  begin.assign(columns + 1, 0);
  for (const auto& g : G.groups())
    for (int e = 0; e < g.size; ++e)
      for (int k = 0; k < g.rows; ++k) ++begin[g.column[e][k] + 1];
  for (int c = 0; c < columns; ++c) begin[c + 1] += begin[c];
  where.resize(begin[columns]);
  std::vector<int> next(begin.begin(), begin.end() - 1);
  for (const auto& g : G.groups())
    for (int k = 0; k < g.rows; ++k)
      for (int e = 0; e < g.size; ++e) where[next[g.column[e][k]]++] = {g.first_row + k, e};
}

inline void fill_neighbours(Couplings& c) {
  c.begin.assign(c.rows + 1, 0);
  for (const Coupling& x : c.list) ++c.begin[x.i + 1], ++c.begin[x.j + 1];
  for (int i = 0; i < c.rows; ++i) c.begin[i + 1] += c.begin[i];
  c.neighbour.resize(c.begin[c.rows]);
  std::vector<int> next(c.begin.begin(), c.begin.end() - 1);
  for (const Coupling& x : c.list)
    c.neighbour[next[x.i]++] = x.j;  // smaller ones first, so that lists are sorted
  for (const Coupling& x : c.list) c.neighbour[next[x.j]++] = x.i;
}

}  // namespace couplings_detail

template <class Jacobian>
Couplings find_couplings(const Jacobian& G) {
  using couplings_detail::Occurrence;
  Couplings c;
  c.rows = G.rows();
  std::vector<int> begin;
  std::vector<Occurrence> where;
  couplings_detail::transpose(G, begin, where);
  struct Meeting {
    int j, entry, other;
  };
  std::vector<Meeting> met;
  std::map<SharedEntries, int> known;
  SharedEntries shared;
  for (const auto& g : G.groups())
    for (int k = 0; k < g.rows; ++k) {
      const int i = g.first_row + k;
      met.clear();
      for (int e = 0; e < g.size; ++e) {
        const int column = g.column[e][k];
        for (int at = begin[column]; at < begin[column + 1] && where[at].row < i; ++at)
          met.push_back({where[at].row, e, where[at].entry});
      }
      std::sort(met.begin(), met.end(), [](const Meeting& a, const Meeting& b) {
        return std::pair(a.j, a.entry) < std::pair(b.j, b.entry);
      });
      for (std::size_t from = 0; from < met.size();) {
        shared.clear();
        const int j = met[from].j;
        for (; from < met.size() && met[from].j == j; ++from)
          shared.emplace_back(met[from].entry, met[from].other);
        int how = -1;
        if (!c.list.empty() && c.shared[c.list.back().how] == shared) {
          how = c.list.back().how;
        } else {
          const auto [at, fresh] = known.try_emplace(shared, static_cast<int>(c.shared.size()));
          if (fresh) c.shared.push_back(shared);
          how = at->second;
        }
        c.list.push_back({i, j, how});
      }
    }
  couplings_detail::fill_neighbours(c);
  return c;
}

// Returns the connected components, each a sorted list of rows, in the order of their first rows.
inline std::vector<std::vector<int>> components_of(const Couplings& c) {
  std::vector<char> seen(c.rows, 0);
  std::vector<std::vector<int>> components;
  for (int root = 0; root < c.rows; ++root) {
    if (seen[root]) continue;
    std::vector<int> rows{root};
    seen[root] = 1;
    for (std::size_t at = 0; at < rows.size(); ++at)
      for (int k = c.begin[rows[at]]; k < c.begin[rows[at] + 1]; ++k)
        if (!seen[c.neighbour[k]]) {
          seen[c.neighbour[k]] = 1;
          rows.push_back(c.neighbour[k]);
        }
    std::sort(rows.begin(), rows.end());
    components.push_back(std::move(rows));
  }
  return components;
}

}  // namespace taut
