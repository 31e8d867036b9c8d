// A machine whose long loops are shared among threads of its own. Other machines, also in other threads, do
// not notice.
#pragma once

#include <taut/mechanism/machine.hpp>
#include <taut/parallel/workers.hpp>

#include <memory>
#include <string>
#include <utility>

namespace taut {

class SharedMachine final : public Machine {
 public:
  SharedMachine(std::unique_ptr<Machine> machine, int threads)
      : workers_(threads), machine_(std::move(machine)) {}

  int threads() const { return workers_.threads(); }
  const std::string& missing_threads() const { return workers_.missing(); }  // why; empty if all are there

  void advance(double h, std::int64_t count, Tally& tally) override {
    const SharedWith workers(&workers_);
    machine_->advance(h, count, tally);
  }
  void advance_by_halves(double h, Tally& tally) override {
    const SharedWith workers(&workers_);
    machine_->advance_by_halves(h, tally);
  }
  Reading read() override {
    const SharedWith workers(&workers_);
    return machine_->read();
  }
  std::vector<double> multiplier() const override {
    const SharedWith workers(&workers_);
    return machine_->multiplier();
  }
  std::vector<double> constraint_force() const override {
    const SharedWith workers(&workers_);
    return machine_->constraint_force();
  }
  double kinetic_energy() const override {
    const SharedWith workers(&workers_);
    return machine_->kinetic_energy();
  }
  bool watch_local_error() override { return machine_->watch_local_error(); }
  std::vector<double> last_multiplier(double h) const override {
    const SharedWith workers(&workers_);
    return machine_->last_multiplier(h);
  }
  bool restore(std::string_view bytes) override {
    const SharedWith workers(&workers_);
    return machine_->restore(bytes);
  }

  // These have no long loop but copies.
  std::string save() override { return machine_->save(); }
  std::span<const double> q() const override { return machine_->q(); }
  std::span<const double> p() const override { return machine_->p(); }
  ProjectionCount projections() const override { return machine_->projections(); }

 private:
  mutable Workers workers_;  // constant functions of a machine have loops too
  std::unique_ptr<Machine> machine_;
};

}  // namespace taut
