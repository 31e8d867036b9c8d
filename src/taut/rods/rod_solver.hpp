// Rigid rods in long chains and in small clusters: the public face of the library taut_rods, and the only
// header of this folder that other folders include. A RodSolver lands a step on g = 0 and projects momenta
// onto G W p = 0 in the space of the rods, without a matrix. Theory: docs/theory/sparse-solve.md.
#pragma once

#include <memory>
#include <vector>

namespace taut {

// The rods of a system, in the order of the constraints. Each joins two particles.
struct RodList {
  int dimension = 3, particles = 0;
  std::vector<int> first, second;      // the particles of each rod
  std::vector<double> length, weight;  // one for each rod; 1/mass, one for each particle

  int size() const { return static_cast<int>(first.size()); }
};

// One array over all particles, component by component as q is, before (`from`) and after (`to`) an addition.
// If sums are compensated, the low parts are in `from_low` and `to_low`; otherwise these are null.
struct RodSums {
  const double *from, *from_low;
  double *to, *to_low;
};

// A step that is an impulse along the rods and a drift: p ← p - Gᵀmu, q ← q + h W p. G is that of q.from.
struct RodStep {
  RodSums q, p;
  double h;
  double* mu;
};

// How many corrections a solve made, and whether it reached its goal.
struct RodSolve {
  int corrections = 0;
  bool sound = true;
};

// What a solver knows of the rods before the first step: chains, clusters, and their order. It is made once
// and shared by all solvers of a problem.
struct RodPlan;
std::shared_ptr<const RodPlan> plan_rods(RodList rods);
// Returns true if there are rods, in two or three dimensions, and every connected set of them is a long
// chain or a small cluster. Rings and branched nets need a matrix.
bool serves(const RodPlan& plan);

class RodSolver {
 public:
  // The plan must serve.
  explicit RodSolver(std::shared_ptr<const RodPlan> plan);
  RodSolver(RodSolver&& other) noexcept;
  RodSolver& operator=(RodSolver&& other) noexcept;
  ~RodSolver();

  // Finds step.mu with |g| <= tolerance at step.q.to, or |g| at rounding if the tolerance is 0, and writes q
  // and p. Clusters start from the given mu, chains from 0. If the result is not sound, q and p are not to be
  // used; mu is as it was for the clusters that failed, and 0 for the chains.
  RodSolve land(const RodStep& step, double tolerance);
  // Finds nu with |G W p| <= tolerance at p.to = p.from - Gᵀnu, or |G W p| at rounding if the tolerance is 0.
  // The arrays p.from and p.to are the same. If the result is not sound, p has changed by what nu says.
  RodSolve project(const double* q, const RodSums& p, double tolerance, double* nu);
  // Finds delta with g(q₁ - W G₀ᵀdelta) = 0 to the tolerance, or to rounding if the tolerance is 0, and
  // multiplies it by `scale`. G₀ is that of q₀.
  RodSolve newton(const double* q0, const double* q1, double tolerance, double scale, double* delta);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace taut
