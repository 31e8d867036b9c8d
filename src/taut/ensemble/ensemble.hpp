// An ensemble: a model, a method, and what varies from one trajectory to the next. Trajectory i is a function
// of these, the seed and i alone: nothing here knows of lanes, threads or other trajectories.
#pragma once

#include <taut/backend/ensemble_machines.hpp>
#include <taut/ensemble/unit.hpp>
#include <taut/ensemble/variation.hpp>
#include <taut/run/model_run.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taut {

struct EnsembleOptions {
  int lanes = 0;         // trajectories side by side in one thread; 0: as many as pay
  bool samples = false;  // keep samples, not only the ends
  Device device = Device::cpu;
};

struct Ensemble {
  ModelRun run;
  Variations variations;
  Schedule schedule;
  EnsembleMethod method;
  std::shared_ptr<const ModelRun> typical;  // with the parameters of a trajectory, if these vary
  std::unique_ptr<EnsembleMachines> machines;
  std::string note;              // a sentence about the backend, if it is not what was wanted
  bool samples = false;          // are kept
  bool claims_no_drift = false;  // the method claims that H stays near its first value
  std::vector<bool> is_start;    // for each name that varies: a coordinate or a momentum, no parameter
  std::vector<std::string> columns, sample_columns;

  std::int64_t size() const { return variations.size(); }
  std::int64_t unit() const { return unit_size_for(size()); }  // trajectories of a unit
  std::int64_t units() const { return unit_count(size(), unit()); }
  int samples_each() const;  // those of one trajectory
  int coordinates() const { return run.mechanism->coordinates(); }
};

// Throws InputError, or ModelFileError, if something is wrong with what is asked for all trajectories.
Ensemble make_ensemble(ModelRun run, const VaryRequest& vary, const EnsembleOptions& options);

// One trajectory, ready to run.
struct ReadyTrajectory {
  std::int64_t index = 0;
  std::vector<double> values = {};           // one for each name that varies
  std::shared_ptr<const ModelRun> own = {};  // with its parameters, if these vary
  TrajectoryModel model = {};
  PlainState start = {};
  std::optional<StartMove> moved = {};
  std::string refusal = {};  // why it cannot start, in a sentence; otherwise empty
};

// Makes trajectories ready. Each thread has one of its own.
class Trajectories {
 public:
  explicit Trajectories(const Ensemble& ensemble);
  ReadyTrajectory ready(std::int64_t index) const;
  // Those of trajectories that have the parameters of the model as it is written.
  const Quantities& quantities() const { return quantities_; }

 private:
  void place(ReadyTrajectory& t) const;  // only the start varies
  void read(ReadyTrajectory& t) const;   // the model is read anew

  const Ensemble& ensemble_;
  std::unique_ptr<const Mechanism> mechanism_;  // the one of the model as it is written
  Quantities quantities_;
};

}  // namespace taut
