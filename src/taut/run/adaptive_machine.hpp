// Reversible steps of different sizes over any symmetric one-step method (Hairer & Söderlind 2005): the
// density of steps ρ is integrated beside the motion. Labels: docs/theory/adaptive.md.
#pragma once

#include <taut/mechanism/machine.hpp>
#include <taut/run/step_function.hpp>
#include <taut/scalar/compensated_sum.hpp>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace taut {

struct StepLimits {
  double shortest = 0, longest = std::numeric_limits<double>::infinity();
};

// Takes steps of another machine. `advance` is given ε, the step of the fictitious time. A second machine of
// the same kind shows states between the steps.
class AdaptiveMachine final : public Machine, public VariableSteps {
 public:
  AdaptiveMachine(std::unique_ptr<Machine> steps, std::unique_ptr<Machine> between,
                  std::unique_ptr<StepFunction> function, const StepLimits& limits);

  void advance(double epsilon, std::int64_t count, Tally& tally) override;
  // A step in parts would have another density, and is refused: the failure stands.
  void advance_by_halves(double, Tally&) override {}

  VariableSteps* variable_steps() override { return this; }
  double time() const override { return time_.sum; }
  StepSizes sizes() const override;
  bool show_at(double t) override;
  void show_mesh_point() override { shown_ = machine_.get(); }

  std::span<const double> q() const override { return shown_->q(); }
  std::span<const double> p() const override { return shown_->p(); }
  Reading read() override { return shown_->read(); }
  std::vector<double> multiplier() const override { return shown_->multiplier(); }
  std::vector<double> constraint_force() const override { return shown_->constraint_force(); }
  double kinetic_energy() const override { return shown_->kinetic_energy(); }
  std::vector<double> last_multiplier(double h) const override { return machine_->last_multiplier(h); }
  ProjectionCount projections() const override { return machine_->projections(); }
  bool watch_local_error() override { return machine_->watch_local_error(); }
  std::string save() override;
  bool restore(std::string_view bytes) override;

 private:
  void advance_evenly(double h, std::int64_t count, Tally& tally);
  bool allows(double h, Tally& tally) const;
  void count(double h, std::int64_t steps);
  template <class Carry>
  void carry(Carry& c);

  std::unique_ptr<Machine> machine_, between_;
  Machine* shown_;
  std::unique_ptr<StepFunction> function_;
  StepLimits limits_;
  CompensatedSum<double> density_, time_{0, 0};  // ρ and t
  double rate_;                                  // -d(log σ)/dt at the mesh point
  double last_ = 0, shortest_ = 0, longest_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t even_steps_ = 0;  // steps of one size so far: their time is a product
};

}  // namespace taut
