// Small connected sets of rods: which of its own particles each rod joins. Sets of one shape are solved side by side, and for the usual shapes the compiler
// knows it: particles then stay in registers.
#pragma once

#include <taut/rods/rods.hpp>
#include <taut/scalar/unroll.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace taut {

struct RodCluster {
  std::vector<int> rows, particles;  // particles in ascending order
  std::vector<int>
      shape;  // of each row, its particles as places in `particles`, the lower one first; rows are ordered by it

  RodCluster(const RodList& rods, std::vector<int> rods_of_it) : rows(std::move(rods_of_it)) {
    for (const int row : rows) particles.insert(particles.end(), {rods.first[row], rods.second[row]});
    std::sort(particles.begin(), particles.end());
    particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
    const auto ends = [&](int row) { return std::minmax(rods.first[row], rods.second[row]); };
    std::sort(rows.begin(), rows.end(),
              [&](int x, int y) { return std::pair<int, int>(ends(x)) < std::pair<int, int>(ends(y)); });
    for (const int row : rows) {
      const std::pair<int, int> end = ends(row);
      shape.insert(shape.end(), {place(end.first), place(end.second)});
    }
  }

  // 1/mass of the particles that rods k and l share, with the sign of b_k·b_l in K: see RodList::coupling.
  double coupling(const RodList& rods, int k, int l) const {
    double sum = 0;
    for (const int e : {0, 1})
      for (const int f : {0, 1})
        if (shape[2 * k + e] == shape[2 * l + f])
          sum += (e == f ? 1 : -1) * rods.weight[particles[shape[2 * k + e]]];
    return sum;
  }
  // Of rod k as it is listed, where `shape` lists the lower particle first.
  double sign(const RodList& rods, int k) const {
    return rods.first[rows[k]] == particles[shape[2 * k]] ? 1 : -1;
  }

 private:
  int place(int particle) const {
    return static_cast<int>(std::lower_bound(particles.begin(), particles.end(), particle) -
                            particles.begin());
  }
};

inline constexpr int largest_cluster = 6;  // rods; beyond, fronts (front_factor.hpp) do less work

// Any other: numbers are known when the program runs.
class AnyShape {
 public:
  static constexpr bool known = false;
  static constexpr int most_rods = largest_cluster, most_members = largest_cluster + 1;
  static bool fits(const RodCluster& cluster) { return cluster.rows.size() <= most_rods; }

  explicit AnyShape(const RodCluster& cluster)
      : rods_(static_cast<int>(cluster.rows.size())), members_(static_cast<int>(cluster.particles.size())) {
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
  bool same = cluster.rows.size() == Shape::most_rods;
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
