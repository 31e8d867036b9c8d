// What a RodSolver knows before the first step: which rods make chains and which make clusters, in the order
// of the solver. Particles and rods are renumbered unless they lie in that order already: a chain then runs
// through consecutive particles and rods, and eight clusters of one shape lie at equal distances. Every
// kernel relies on it.
#pragma once

#include <taut/rods/cluster_shape.hpp>
#include <taut/rods/rod_solver.hpp>

#include <utility>
#include <vector>

namespace taut {

// Rod k of a chain is rod first_rod + k of the list; it joins the particles first_particle + k and the next
// one.
struct ChainPlace {
  int first_rod, first_particle, rods;
};

struct RodPlan {
  bool serves = false;
  RodList rods;  // in the order of the solver
  std::vector<int> particle_of,
      rod_of;  // the caller's numbers; empty if the caller's order is that of the solver
  std::vector<ChainPlace> chains;
  std::vector<std::vector<RodCluster>> clusters;  // the clusters of each shape, by their first particle
  std::vector<std::pair<int, int>> free;          // runs [begin, end) of particles that no rod holds
  double shortest = 1e300, longest = 0;           // rod
};

}  // namespace taut
