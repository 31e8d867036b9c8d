// All clusters of a system, shape by shape. Threads share the batches.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/rods/clusters.hpp>
#include <taut/rods/part_solver.hpp>
#include <taut/rods/plan.hpp>
#include <taut/rods/shared_results.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

namespace taut {

template <int dimension>
class ClusterSolver final : public RodPartSolver {
 public:
  explicit ClusterSolver(std::shared_ptr<const RodPlan> plan) : plan_(std::move(plan)) {
    for (const auto& clusters : plan_->clusters) {
      bool added = false;
      each_kind([&]<class Shape>(std::vector<RodClusters<dimension, Shape>>& kind) {
        if (added || !Shape::fits(clusters.front())) return;
        kind.emplace_back(plan_->rods, clusters);
        added = true;
      });
    }
  }

  RodSolve land(const RodStep& step, double tolerance, const RodGoal& goal) override {
    return of_all([&](const auto& clusters, int n) { return clusters.land(n, step, tolerance, goal); });
  }
  RodSolve project(const double* q, const RodSums& p, double tolerance, double* nu) override {
    return of_all([&](const auto& clusters, int n) { return clusters.project(n, q, p, tolerance, nu); });
  }
  RodSolve newton(const double* q0, const double* q1, const RodGoal& goal, double scale,
                  double* delta) override {
    return of_all(
        [&](const auto& clusters, int n) { return clusters.newton(n, q0, q1, goal, scale, delta); });
  }

 private:
  static constexpr int batches_worth_a_thread = 128;

  template <class... Shape>
  using Kinds = std::tuple<std::vector<RodClusters<dimension, Shape>>...>;
  // A shape that the compiler knows saves two thirds of the time of a step, and takes two seconds of
  // compilation. The shapes that it knows come before the others.
  using AllKinds = std::conditional_t<dimension == 3, Kinds<Triangle, AnyShape>, Kinds<AnyShape>>;

  template <class F>
  void each_kind(F&& f) {
    std::apply([&](auto&... kind) { (f(kind), ...); }, kinds_);
  }
  // Returns the worst outcome of one(clusters, n) over all batches n of all shapes.
  template <class One>
  RodSolve of_all(One&& one) {
    SharedSolve solved;
    each_kind([&](const auto& kind) {
      for (const auto& clusters : kind)
        in_ranges(clusters.batches(), 1, batches_worth_a_thread, [&](int begin, int end) {
          RodSolve worst;
          for (int n = begin; n < end; ++n) worst = worse(worst, one(clusters, n));
          solved.add(worst);
        });
    });
    return solved.all;
  }

  std::shared_ptr<const RodPlan> plan_;
  AllKinds kinds_;
};

template <int dimension>
std::unique_ptr<RodPartSolver> make_cluster_solver(std::shared_ptr<const RodPlan> plan) {
  return std::make_unique<ClusterSolver<dimension>>(std::move(plan));
}

}  // namespace taut
