// An order of the rows of a sparse symmetric matrix in which the envelope is narrow: reverse Cuthill-McKee.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace taut {

// The rows to which each row is coupled, itself left out.
using Neighbours = std::vector<std::vector<int>>;

// Returns the rows that hang together with `root`, layer after layer, those with few neighbours first. Rows
// that it finds get the mark; no row has it yet.
inline std::vector<int> layers_from(const Neighbours& of, int root, std::vector<int>& marked, int mark) {
  const auto fewer = [&](int a, int b) { return of[a].size() < of[b].size(); };
  std::vector<int> list{root};
  marked[root] = mark;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto begin = static_cast<std::ptrdiff_t>(list.size());
    for (const int j : of[list[k]])
      if (marked[j] != mark) {
        marked[j] = mark;
        list.push_back(j);
      }
    std::stable_sort(list.begin() + begin, list.end(), fewer);
  }
  return list;
}

// Returns the order: number k of it is the row that comes k-th.
inline std::vector<int> narrow_order(const Neighbours& of) {
  std::vector<int> order, marked(of.size(), 0);
  for (int i = 0; i < static_cast<int>(of.size()); ++i) {
    if (marked[i] != 0) continue;
    // The row that is found last is far from the others, and a start at an end gives thin layers.
    int root = i;
    for (int mark = 1; mark <= 2; ++mark) root = layers_from(of, root, marked, mark).back();
    const std::vector<int> found = layers_from(of, root, marked, 3);
    order.insert(order.end(), found.begin(), found.end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Returns the place of each row in an order.
inline std::vector<int> places_in(const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (int k = 0; k < static_cast<int>(order.size()); ++k) place[order[k]] = k;
  return place;
}

// Returns, for each place, the first place to which it is coupled.
inline std::vector<int> envelope_of(const Neighbours& of, const std::vector<int>& place) {
  std::vector<int> first(place.size());
  for (int i = 0; i < static_cast<int>(place.size()); ++i) {
    first[place[i]] = place[i];
    for (const int j : of[i]) first[place[i]] = std::min(first[place[i]], place[j]);
  }
  return first;
}

// Returns about how many products an elimination inside an envelope takes.
inline std::int64_t work_in(const std::vector<int>& first) {
  std::int64_t sum = 0;
  for (int i = 0; i < static_cast<int>(first.size()); ++i) {
    const std::int64_t width = i - first[i] + 1;
    sum += width * width;
  }
  return sum;
}

}  // namespace taut
