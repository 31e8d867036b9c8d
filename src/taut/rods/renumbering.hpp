// The border between the caller's numbers of particles and rods and those of the plan. If they are the same,
// arrays pass through; otherwise the solver works on copies in its own order.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/rods/plan.hpp>

#include <array>
#include <vector>

namespace taut {

class Renumbering {
 public:
  explicit Renumbering(const RodPlan& plan) : plan_(plan) {
    const std::size_t coordinates = static_cast<std::size_t>(plan.rods.dimension) * plan.rods.particles;
    if (!plan.particle_of.empty())
      for (auto& copy : particle_copy_) copy.resize(coordinates);
    if (!plan.rod_of.empty()) rod_copy_.resize(plan.rods.size());
  }

  // Gives the arrays of a step in the order of the plan: copies of what is read, and room for what is
  // written.
  RodStep enter(const RodStep& given) {
    RodStep step = given;
    if (!plan_.particle_of.empty()) {
      step.q = copy_of(given.q, 0, 4);
      step.p = copy_of(given.p, 2, 6);
    }
    step.mu = rods(given.mu);
    return step;
  }
  // Gives back what the step wrote. Positions and momenta are given back only if they are `sound`.
  void leave(const RodStep& step, const RodStep& given, bool sound) const {
    if (sound) {
      leave(step.q, given.q);
      leave(step.p, given.p);
    }
    leave(step.mu, given.mu);
  }

  // These do the same for momenta that change in place.
  RodSums enter(const RodSums& given) { return plan_.particle_of.empty() ? given : copy_of(given, 2, 2); }
  void leave(const RodSums& sums, const RodSums& given) const {
    if (plan_.particle_of.empty()) return;
    scatter_particles(sums.to, given.to);
    if (given.to_low != nullptr) scatter_particles(sums.to_low, given.to_low);
  }

  const double* positions(const double* q) { return particles(q, 0); }
  const double* end_positions(const double* q) { return particles(q, 1); }

  // Gives numbers of the rods, such as μ, in the order of the plan.
  double* rods(double* given) {
    if (plan_.rod_of.empty()) return given;
    for (std::size_t k = 0; k < rod_copy_.size(); ++k) rod_copy_[k] = given[plan_.rod_of[k]];
    return rod_copy_.data();
  }
  void leave(const double* numbers, double* given) const {
    for (std::size_t k = 0; k < plan_.rod_of.size(); ++k) given[plan_.rod_of[k]] = numbers[k];
  }

 private:
  using Copy = std::vector<double>;

  // Copies the sums that are read, and gives room for those that are written. Each takes two arrays, from the
  // numbers `from` and `to` on.
  RodSums copy_of(const RodSums& given, int from, int to) {
    gather_particles(given.from, particle_copy_[from]);
    if (given.from_low != nullptr) gather_particles(given.from_low, particle_copy_[from + 1]);
    const auto low = [&](const double* pointer, int n) {
      return pointer != nullptr ? particle_copy_[n + 1].data() : nullptr;
    };
    return {particle_copy_[from].data(), low(given.from_low, from), particle_copy_[to].data(),
            low(given.to_low, to)};
  }
  const double* particles(const double* given, int n) {
    if (plan_.particle_of.empty()) return given;
    gather_particles(given, particle_copy_[n]);
    return particle_copy_[n].data();
  }
  // Calls f(own, caller) with both numbers of every coordinate.
  template <class F>
  void each_coordinate(F&& f) const {
    const int count = plan_.rods.particles;
    in_ranges(count, 1, worth_a_thread, [&](int begin, int end) {
      for (int a = 0; a < plan_.rods.dimension; ++a)
        for (int i = begin; i < end; ++i) f(a * count + i, a * count + plan_.particle_of[i]);
    });
  }
  void gather_particles(const double* given, Copy& copy) const {
    each_coordinate([&](int own, int caller) { copy[own] = given[caller]; });
  }
  void scatter_particles(const double* own_numbers, double* given) const {
    each_coordinate([&](int own, int caller) { given[caller] = own_numbers[own]; });
  }

  const RodPlan& plan_;
  std::array<Copy, 8> particle_copy_;  // q, its low part, p, its low part, before and after a step
  Copy rod_copy_;
};

}  // namespace taut
