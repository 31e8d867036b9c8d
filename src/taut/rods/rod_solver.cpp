#include <taut/rods/part_solver.hpp>
#include <taut/rods/particle_sums.hpp>
#include <taut/rods/plan.hpp>
#include <taut/rods/renumbering.hpp>
#include <taut/solve/forecast.hpp>

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
    const RodList& rods = plan_->rods;
    const Batch<double> h(step.h), no_impulse(0);
    for (const auto& [begin, end] : plan_->free)
      for (int a = 0; a < rods.dimension; ++a)
        for (int i = begin; i < end; i += batch_size)
          kick_and_drift_eight(step, a * rods.particles + i, end - i, no_impulse,
                               h * load_batch(rods.weight.data() + i, end - i));
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
}  // namespace taut
