// Small connected sets of rods: which of its own particles each rod joins. Clusters of one shape are solved
// side by side. If the compiler knows the shape, particles stay in registers.
#pragma once

#include <taut/rods/rod_solver.hpp>
#include <taut/scalar/unroll.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace taut {

inline constexpr int largest_cluster = 6;  // rods; for larger ones fronts (front_factor.hpp) do less work

struct RodCluster {
  std::vector<int> rods;
  std::vector<int> members;  // the particles, ascending in the caller's numbers
  // For each rod, its two particles as places in `members`, the lower one first. Rods are ordered by it.
  std::vector<int> shape;

  RodCluster(const RodList& list, std::vector<int> rods_of_it) : rods(std::move(rods_of_it)) {
    for (const int rod : rods) members.insert(members.end(), {list.first[rod], list.second[rod]});
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    const auto ends = [&](int rod) {
      return std::pair<int, int>(std::minmax(list.first[rod], list.second[rod]));
    };
    std::sort(rods.begin(), rods.end(), [&](int x, int y) { return ends(x) < ends(y); });
    for (const int rod : rods) shape.insert(shape.end(), {place(ends(rod).first), place(ends(rod).second)});
  }

  // C(k, l): the sum of 1/mass over the particles that rods k and l share, with the sign of b_k·b_l in K.
  double coupling(const RodList& list, int k, int l) const {
    double sum = 0;
    for (const int e : {0, 1})
      for (const int f : {0, 1})
        if (shape[2 * k + e] == shape[2 * l + f])
          sum += (e == f ? 1 : -1) * list.weight[members[shape[2 * k + e]]];
    return sum;
  }

 private:
  int place(int particle) const {
    return static_cast<int>(std::lower_bound(members.begin(), members.end(), particle) - members.begin());
  }
};

// A shape whose numbers are known when the program runs.
class AnyShape {
 public:
  static constexpr bool known = false;
  static constexpr int most_rods = largest_cluster, most_members = largest_cluster + 1;
  static bool fits(const RodCluster& cluster) { return cluster.rods.size() <= most_rods; }

  explicit AnyShape(const RodCluster& cluster)
      : rods_(static_cast<int>(cluster.rods.size())), members_(static_cast<int>(cluster.members.size())) {
    std::copy(cluster.shape.begin(), cluster.shape.end(), ends_.begin());
  }
  int rods() const { return rods_; }
  int members() const { return members_; }
  int first(int k) const { return ends_[2 * k]; }
  int second(int k) const { return ends_[2 * k + 1]; }

 private:
  int rods_, members_;
  std::array<int, 2 * most_rods> ends_{};
};

template <class Shape>
bool has_shape(const RodCluster& cluster) {
  bool same = cluster.rods.size() == Shape::most_rods;
  for (int k = 0; same && k < Shape::most_rods; ++k)
    same = cluster.shape[2 * k] == Shape::first(k) && cluster.shape[2 * k + 1] == Shape::second(k);
  return same;
}

// A rigid water.
struct Triangle {
  static constexpr bool known = true;
  static constexpr int most_rods = 3, most_members = 3;
  static bool fits(const RodCluster& cluster) { return has_shape<Triangle>(cluster); }
  explicit Triangle(const RodCluster&) {}
  static constexpr Known<3> rods() { return {}; }
  static constexpr Known<3> members() { return {}; }
  static constexpr int first(int k) { return k == 2 ? 1 : 0; }
  static constexpr int second(int k) { return k == 0 ? 1 : 2; }
};

}  // namespace taut
