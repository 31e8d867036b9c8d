// The plan by which one connected constraint graph is eliminated, made once: an order with little fill
// (approximate minimum degree; on trees and chains it makes none), and the fronts of a multifrontal
// factorisation. A front is a small dense matrix: a few rows that become pivots there, and the later rows
// they touch, its border. What the pivots leave on the border is added to the parent's front.
#pragma once

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <map>
#include <vector>

namespace taut {

struct Front {
  // The pivots are first … first + pivots - 1 in the order of elimination; `size` counts the border too.
  int first, pivots, size;
  int rows;    // where its pivot rows begin in the factor: pivots × size numbers
  int border;  // where its border begins in FrontTree::border
  int parent;  // -1: none
  int update;  // where the border's square lies in the working memory
  int into;    // where the border's places in the parent's front begin in FrontTree::into
  std::vector<int> children;
};

struct FrontTree {
  std::vector<int> order;  // order[k] is the row eliminated as k-th
  std::vector<Front> fronts;
  std::vector<int> border, into;
  std::vector<int> front_of;  // the front that eliminates the k-th row
  int factor_size = 0, working_size = 0, largest_front = 0;

  int size() const { return static_cast<int>(order.size()); }

  // Returns where the entry (a, b) of K, a before b in the order, stands in the factor.
  int place(int a, int b) const {
    const Front& f = fronts[front_of[a]];
    const int row = a - f.first;
    const int column = b < f.first + f.pivots ? b - f.first : f.pivots + border_place(f, b);
    return f.rows + row * f.size + column;
  }

 private:
  int border_place(const Front& f, int b) const {
    const auto from = border.begin() + f.border, to = from + (f.size - f.pivots);
    return static_cast<int>(std::lower_bound(from, to, b) - from);
  }
};

namespace front_detail {

using Graph = std::vector<std::vector<int>>;  // neighbours of each row

inline std::vector<int> minimum_degree(const Graph& graph) {
  const int n = static_cast<int>(graph.size());
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int i = 0; i < n; ++i) {
    // Without its diagonal entry a row would count as dense, and come last.
    entries.emplace_back(i, i, 1.0);
    for (const int j : graph[i]) entries.emplace_back(j, i, 1.0);
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

// Returns the order from the leaves of a tree to its root, which fills nothing. Returns no order for other
// graphs.
inline std::vector<int> leaves_first(const Graph& graph) {
  std::size_t ends = 0;
  for (const auto& neighbours : graph) ends += neighbours.size();
  if (ends != 2 * (graph.size() - 1)) return {};
  std::vector<int> order{0};
  std::vector<char> seen(graph.size(), 0);
  seen[0] = 1;
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const int j : graph[order[at]])
      if (!seen[j]) {
        seen[j] = 1;
        order.push_back(j);
      }
  std::reverse(order.begin(), order.end());
  return order;
}

// Returns in structure[k] the later rows that column k of the factor touches; the first of them is the parent
// of k in the elimination tree.
inline Graph factor_structure(const Graph& graph, const std::vector<int>& order) {
  const int n = static_cast<int>(order.size());
  std::vector<int> at(n);
  for (int k = 0; k < n; ++k) at[order[k]] = k;
  Graph structure(n), children(n);
  std::vector<int> mark(n, -1);
  for (int k = 0; k < n; ++k) {
    std::vector<int>& s = structure[k];
    mark[k] = k;
    const auto add = [&](int j) {
      if (j > k && mark[j] != k) {
        mark[j] = k;
        s.push_back(j);
      }
    };
    for (const int row : graph[order[k]]) add(at[row]);
    for (const int child : children[k])
      for (const int j : structure[child]) add(j);
    std::sort(s.begin(), s.end());
    if (!s.empty()) children[s.front()].push_back(k);
  }
  return structure;
}

// Puts every parent right after its last child, so that fronts are made of neighbours in the order. The fill
// stays the same.
inline std::vector<int> postordered(const Graph& structure, const std::vector<int>& order) {
  const int n = static_cast<int>(order.size());
  Graph children(n);
  std::vector<int> roots;
  for (int k = 0; k < n; ++k) (structure[k].empty() ? roots : children[structure[k].front()]).push_back(k);
  std::vector<int> result;
  std::vector<std::pair<int, std::size_t>> stack;
  for (const int root : roots) {
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < children[node].size()) {
        stack.emplace_back(children[node][next++], 0);
      } else {
        result.push_back(order[node]);
        stack.pop_back();
      }
    }
  }
  return result;
}

// Decides whether two fronts are joined: they are if that stores few zeros, because a dense row costs less
// than another front.
inline bool worth_joining(int pivots, int zeros, int joined_size) {
  if (pivots < 4) return zeros <= 8;
  return zeros * 4 <= (pivots + 1) * joined_size;
}

inline void make_fronts(const Graph& structure, FrontTree& tree) {
  const int n = tree.size();
  tree.front_of.resize(n);
  int zeros = 0;
  for (int k = 0; k < n; ++k) {
    const int border = static_cast<int>(structure[k].size());
    if (k > 0 && !tree.fronts.empty()) {
      Front& last = tree.fronts.back();
      const bool parent = !structure[k - 1].empty() && structure[k - 1].front() == k;
      const int more = last.pivots * (border + 1 - (last.size - last.pivots));
      if (parent && worth_joining(last.pivots, zeros + more, last.pivots + 1 + border)) {
        zeros += more;
        ++last.pivots;
        last.size = last.pivots + border;
        tree.front_of[k] = static_cast<int>(tree.fronts.size()) - 1;
        continue;
      }
    }
    zeros = 0;
    tree.front_of[k] = static_cast<int>(tree.fronts.size());
    tree.fronts.push_back({k, 1, 1 + border, 0, 0, -1, 0, 0, {}});
  }
  for (std::size_t s = 0; s < tree.fronts.size(); ++s) {
    Front& f = tree.fronts[s];
    const std::vector<int>& border = structure[f.first + f.pivots - 1];
    f.rows = tree.factor_size;
    tree.factor_size += f.pivots * f.size;
    f.border = static_cast<int>(tree.border.size());
    tree.border.insert(tree.border.end(), border.begin(), border.end());
    tree.largest_front = std::max(tree.largest_front, f.size);
    if (border.empty()) continue;
    f.parent = tree.front_of[border.front()];
    tree.fronts[f.parent].children.push_back(static_cast<int>(s));
  }
}

inline void place_borders(FrontTree& tree) {
  for (Front& f : tree.fronts) {
    f.into = static_cast<int>(tree.into.size());
    if (f.parent < 0) continue;
    const Front& p = tree.fronts[f.parent];
    const int* from = tree.border.data() + p.border;
    for (int k = 0; k < f.size - f.pivots; ++k) {
      const int row = tree.border[f.border + k];
      tree.into.push_back(
          row < p.first + p.pivots
              ? row - p.first
              : p.pivots + static_cast<int>(std::lower_bound(from, from + (p.size - p.pivots), row) - from));
    }
  }
}

// Places the squares, which live from their own front to their parent's. Freed room is used again, first fit.
inline void place_updates(FrontTree& tree) {
  std::map<int, int> room;  // begin → length
  for (Front& f : tree.fronts) {
    const int border = f.size - f.pivots, need = border * border;
    if (need > 0) {
      auto at = room.begin();
      while (at != room.end() && at->second < need) ++at;
      if (at == room.end()) {
        f.update = tree.working_size;
        tree.working_size += need;
      } else {
        f.update = at->first;
        if (at->second > need) room.emplace(at->first + need, at->second - need);
        room.erase(at);
      }
    }
    for (const int child : f.children) {
      const Front& c = tree.fronts[child];
      int begin = c.update, length = (c.size - c.pivots) * (c.size - c.pivots);
      auto next = room.lower_bound(begin);
      if (next != room.end() && next->first == begin + length) {
        length += next->second;
        next = room.erase(next);
      }
      if (next != room.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == begin) {
          before->second += length;
          continue;
        }
      }
      room.emplace(begin, length);
    }
  }
}

}  // namespace front_detail

inline FrontTree plan_fronts(const std::vector<std::vector<int>>& graph) {
  using namespace front_detail;
  FrontTree tree;
  tree.order = leaves_first(graph);
  if (tree.order.empty()) tree.order = minimum_degree(graph);
  tree.order = postordered(factor_structure(graph, tree.order), tree.order);
  const auto structure = factor_structure(graph, tree.order);
  make_fronts(structure, tree);
  place_borders(tree);
  place_updates(tree);
  return tree;
}

}  // namespace taut
