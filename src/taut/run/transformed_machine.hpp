// Steps of one size in a fictitious time, seen in the time of the model: the reader has made
// K = σ(q)(H + p_time) + (p_time + E₀)²/2 of H, and the last coordinate is the time.
// Labels: docs/theory/adaptive.md.
#pragma once

#include <taut/mechanism/machine.hpp>
#include <taut/run/step_function.hpp>

#include <memory>
#include <string>
#include <vector>

namespace taut {

// Takes steps of a machine of K, and shows energies, residuals and multipliers as those of H. `advance` is
// given the step of the fictitious time. A second machine of the same kind shows states between the steps.
class TransformedMachine final : public Machine, public VariableSteps {
 public:
  TransformedMachine(std::unique_ptr<Machine> steps, std::unique_ptr<Machine> between,
                     std::unique_ptr<StepFunction> sigma);

  void advance(double step, std::int64_t count, Tally& tally) override;
  // A step in parts is refused before a run begins: the failure stands.
  void advance_by_halves(double, Tally&) override {}

  VariableSteps* variable_steps() override { return this; }
  double time() const override { return machine_->q().back(); }
  StepSizes sizes() const override;
  bool show_at(double t) override;
  void show_mesh_point() override { shown_ = machine_.get(); }

  std::span<const double> q() const override { return shown_->q(); }
  std::span<const double> p() const override { return shown_->p(); }
  Reading read() override { return in_time(*shown_, shown_->read()); }
  std::vector<double> multiplier() const override { return over_sigma(shown_->multiplier()); }
  std::vector<double> constraint_force() const override { return over_sigma(shown_->constraint_force()); }
  double kinetic_energy() const override;
  std::vector<double> last_multiplier(double) const override { return {}; }
  ProjectionCount projections() const override { return machine_->projections(); }
  std::string save() override;
  bool restore(std::string_view bytes) override;

 private:
  double sigma(const Machine& at) const { return sigma_->sigma(at.q(), at.p()); }
  Reading in_time(const Machine& at, Reading of_K) const;
  std::vector<double> over_sigma(std::vector<double> x) const;
  template <class Carry>
  void carry(Carry& c);

  std::unique_ptr<Machine> machine_, between_;
  Machine* shown_;
  std::unique_ptr<StepFunction> sigma_;
  Tally of_K_;     // as the machine itself counts its steps
  double energy_;  // E₀
  double last_ = 0, shortest_ = 0, longest_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace taut
