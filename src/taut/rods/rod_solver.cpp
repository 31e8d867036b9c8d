#include <taut/parallel/in_ranges.hpp>
#include <taut/rods/part_solver.hpp>
#include <taut/rods/plan.hpp>
#include <taut/rods/renumbering.hpp>
#include <taut/scalar/compensated_sum.hpp>
#include <taut/solve/iterate.hpp>

#include <algorithm>

namespace taut {

class RodSolver::Inside {
 public:
  explicit Inside(std::shared_ptr<const RodPlan> plan) : plan_(std::move(plan)), renumbering_(*plan_) {
    const bool plane = plan_->rods.dimension == 2;
    if (!plan_->chains.empty())
      parts_.push_back(plane ? make_chain_solver<2>(plan_) : make_chain_solver<3>(plan_));
    if (!plan_->clusters.empty())
      parts_.push_back(plane ? make_cluster_solver<2>(plan_) : make_cluster_solver<3>(plan_));
  }

  RodSolve land(const RodStep& given, double tolerance) {
    const RodGoal goal = tolerance > 0 ? goal_at(tolerance / 4) : rounding_goal();
    const RodStep step = renumbering_.enter(given);
    const RodSolve result = of_parts([&](RodPartSolver& part) { return part.land(step, tolerance, goal); });
    land_free_particles(step);
    renumbering_.leave(step, given, result.sound);
    return result;
  }
  RodSolve project(const double* given_q, const RodSums& given_p, double tolerance, double* given_nu) {
    const double* q = renumbering_.positions(given_q);
    const RodSums p = renumbering_.enter(given_p);
    double* nu = renumbering_.rods(given_nu);
    const RodSolve result = of_parts([&](RodPartSolver& part) { return part.project(q, p, tolerance, nu); });
    renumbering_.leave(p, given_p);
    renumbering_.leave(nu, given_nu);
    return result;
  }
  RodSolve newton(const double* given_q0, const double* given_q1, double tolerance, double scale,
                  double* given_delta) {
    const double *q0 = renumbering_.positions(given_q0), *q1 = renumbering_.end_positions(given_q1);
    double* delta = renumbering_.rods(given_delta);
    const RodGoal goal = goal_at(tolerance / 4);
    const RodSolve result =
        of_parts([&](RodPartSolver& part) { return part.newton(q0, q1, goal, scale, delta); });
    renumbering_.leave(delta, given_delta);
    return result;
  }
  bool solve(const double* given_q, const double* given_demand, double* given_x) {
    const double *q = renumbering_.positions(given_q), *demand = renumbering_.demand(given_demand);
    double* x = renumbering_.rods(given_x);
    const bool sound =
        of_parts([&](RodPartSolver& part) { return RodSolve{1, part.solve(q, demand, x)}; }).sound;
    renumbering_.leave(x, given_x);
    return sound;
  }

 private:
  template <class F>
  RodSolve of_parts(F&& f) {
    RodSolve result;
    for (const auto& part : parts_) result = worse(result, f(*part));
    return result;
  }

  // The target is not below what the rounding of g itself allows.
  RodGoal goal_at(double target) const {
    const double length2 = plan_->shortest * plan_->shortest;
    const double reached = std::max(target, 8 * epsilon<double>() * length2);
    return {reached, reached, length2};
  }
  // The last correction leaves less than left_over of a unit, for the reason given there. Before it |g| may
  // be as large as the rounding of its own terms, because the correction squares it.
  RodGoal rounding_goal() const {
    const double length2 = plan_->shortest * plan_->shortest;
    return {left_over * epsilon<double>() / 2 * length2,
            std::min(length_terms * epsilon<double>() * plan_->longest * plan_->longest, 1e-10 * length2),
            length2};
  }

  void land_free_particles(const RodStep& step) const {
    const auto add = [](const RodSums& x, int j, double d) {
      const CompensatedSum<double> t(x.from[j], x.from_low ? x.from_low[j] : 0.0, d);
      x.to[j] = t.sum;
      if (x.to_low) x.to_low[j] = t.low;
      return t.sum;
    };
    const RodList& rods = plan_->rods;
    for (const auto& [begin, end] : plan_->free)
      for (int a = 0; a < rods.dimension; ++a)
        for (int i = begin; i < end; ++i) {
          const int j = a * rods.particles + i;
          const double p = add(step.p, j, 0);
          add(step.q, j, (step.h * rods.weight[i]) * p);
        }
  }

  std::shared_ptr<const RodPlan> plan_;
  Renumbering renumbering_;
  std::vector<std::unique_ptr<RodPartSolver>> parts_;
};

RodSolver::RodSolver(std::shared_ptr<const RodPlan> plan)
    : inside_(std::make_unique<Inside>(std::move(plan))) {}
RodSolver::RodSolver(RodSolver&&) noexcept = default;
RodSolver& RodSolver::operator=(RodSolver&&) noexcept = default;
RodSolver::~RodSolver() = default;

RodSolve RodSolver::land(const RodStep& step, double tolerance) { return inside_->land(step, tolerance); }
RodSolve RodSolver::project(const double* q, const RodSums& p, double tolerance, double* nu) {
  return inside_->project(q, p, tolerance, nu);
}
RodSolve RodSolver::newton(const double* q0, const double* q1, double tolerance, double scale,
                           double* delta) {
  return inside_->newton(q0, q1, tolerance, scale, delta);
}
bool RodSolver::solve(const double* q, const double* demand, double* x) {
  return inside_->solve(q, demand, x);
}

}  // namespace taut
