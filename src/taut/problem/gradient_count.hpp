// Counts how often a problem evaluates the gradient of V, or H_q: the unit in which the papers count work.
#pragma once

#include <cstdint>

namespace taut {

// A problem that derives from this and calls count_gradient() can say how much a step costs. The gradient of
// a part of V counts as one, and so does an evaluation for all lanes of a pack at once. A copy begins at 0:
// a stepper has its own copy, so that what others ask of the problem does not count.
class GradientCount {
 public:
  GradientCount() = default;
  GradientCount(const GradientCount&) {}
  GradientCount(GradientCount&&) noexcept {}
  GradientCount& operator=(const GradientCount&) { return *this; }
  GradientCount& operator=(GradientCount&&) noexcept { return *this; }
  ~GradientCount() = default;

  std::int64_t gradients() const { return gradients_; }

 protected:
  void count_gradient() const { ++gradients_; }

 private:
  mutable std::int64_t gradients_ = 0;
};

}  // namespace taut
