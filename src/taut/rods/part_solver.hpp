// The two parts of a system of rods, chains and clusters, behind one interface. Arrays are in the order of
// the plan.
#pragma once

#include <taut/rods/forecast.hpp>
#include <taut/rods/rod_solver.hpp>

#include <memory>

namespace taut {

// The functions are those of RodSolver; `goal` is the goal of Newton's iteration.
class RodPartSolver {
 public:
  virtual ~RodPartSolver() = default;
  virtual RodSolve land(const RodStep& step, double tolerance, const RodGoal& goal) = 0;
  virtual RodSolve project(const double* q, const RodSums& p, double tolerance, double* nu) = 0;
  virtual RodSolve newton(const double* q0, const double* q1, const RodGoal& goal, double scale,
                          double* delta) = 0;
};

// These are instantiated for dimensions 2 and 3 in chains.cpp and clusters.cpp.
template <int dimension>
std::unique_ptr<RodPartSolver> make_chain_solver(std::shared_ptr<const RodPlan> plan);
template <int dimension>
std::unique_ptr<RodPartSolver> make_cluster_solver(std::shared_ptr<const RodPlan> plan);

}  // namespace taut
