// A machine that shows the method's own multiplier Λₛ of the last step in place of λ(q, p), Jay's choice
// after (3.3e). Before the first step there is none, and λ(q, p) stands in its place.
#pragma once

#include <taut/bytes/carry.hpp>
#include <taut/mechanism/machine.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taut {

class StageMultipliers final : public Machine {
 public:
  StageMultipliers(std::unique_ptr<Machine> machine, double h)
      : machine_(std::move(machine)), h_(h), last_(machine_->multiplier()) {}

  void advance(double h, std::int64_t count, Tally& tally) override {
    const std::int64_t before = tally.steps;
    machine_->advance(h, count, tally);
    if (tally.steps > before) last_ = machine_->last_multiplier(h_);
  }
  // The step was taken in parts, of which none has a multiplier for the whole.
  void advance_by_halves(double h, Tally& tally) override {
    machine_->advance_by_halves(h, tally);
    last_ = machine_->multiplier();
  }
  std::vector<double> multiplier() const override { return last_; }
  std::string save() override {
    Carry c;
    c(last_);
    return c.bytes() + machine_->save();
  }
  bool restore(std::string_view bytes) override {
    Carry c;
    c(last_);
    const std::size_t size = c.bytes().size();
    if (bytes.size() < size) return false;
    Carry saved(bytes.substr(0, size));
    saved(last_);
    return saved.complete() && machine_->restore(bytes.substr(size));
  }

  std::span<const double> q() const override { return machine_->q(); }
  std::span<const double> p() const override { return machine_->p(); }
  Reading read() override { return machine_->read(); }
  // The method's own multiplier is known to the digits of a double.
  std::optional<WideState> wide(std::int64_t steps) const override {
    std::optional<WideState> x = machine_->wide(steps);
    if (!x) return x;
    x->lambda.clear();
    for (const double lambda : last_) x->lambda.push_back({.high = lambda});
    return x;
  }
  std::vector<double> constraint_force() const override { return machine_->constraint_force(); }
  double kinetic_energy() const override { return machine_->kinetic_energy(); }
  bool watch_local_error() override { return machine_->watch_local_error(); }
  std::vector<double> last_multiplier(double h) const override { return machine_->last_multiplier(h); }
  ProjectionCount projections() const override { return machine_->projections(); }

 private:
  std::unique_ptr<Machine> machine_;
  double h_;
  std::vector<double> last_;
};

}  // namespace taut
