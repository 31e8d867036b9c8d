// An ensemble: a model, a method, and what varies from one trajectory to the next. Trajectory i is a function
// of these, the seed and i alone: nothing here knows of lanes, threads or other trajectories.
#pragma once

#include <taut/backend/ensemble_machines.hpp>
#include <taut/ensemble/unit.hpp>
#include <taut/ensemble/variation.hpp>
#include <taut/run/model_run.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taut {

struct SourceTree;  // model/text/tree.hpp

struct EnsembleOptions {
  int lanes = 0;         // trajectories side by side in one thread; 0: as many as pay
  bool samples = false;  // keep samples, not only the ends
  Device device = Device::cpu;
  // Asked while a compiler works for the ensemble, which is ended if it gives true; StoppedWhileCompiling is
  // thrown then.
  std::function<bool()> wants_to_stop = {};
};

struct Ensemble {
  ModelRun run;
  Variations variations;
  Schedule schedule;
  EnsembleMethod method;
  std::shared_ptr<const ModelRun> typical;  // with the parameters of a trajectory, if these vary
  std::unique_ptr<EnsembleMachines> machines;
  // What is the same whenever the model is read: its tree, and the files that it names.
  std::shared_ptr<const SourceTree> tree = {};
  std::shared_ptr<const std::map<std::string, std::string>> files = {};
  std::string note;              // a sentence about the backend, if it is not what was wanted
  bool samples = false;          // are kept
  bool claims_no_drift = false;  // the method claims that H stays near its first value
  std::vector<bool> is_start;  // for each name that varies: a coordinate, momentum or velocity, no parameter
  // Numbers of the start follow from others that vary, as momenta follow from velocities, and are computed
  // where the model is read.
  bool start_is_computed = false;
  bool reads_models() const { return start_is_computed || method.other_parameters; }
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
  LaneConstants constants = {};
  PlainState start = {};
  std::optional<StartMove> moved = {};
  std::string refusal = {};  // why it cannot start, in a sentence; otherwise empty
};

// Makes trajectories ready. Each thread has one of its own.
class Trajectories {
 public:
  explicit Trajectories(const Ensemble& ensemble);
  ReadyTrajectory ready(std::int64_t index);
  // Those of trajectories that have the parameters of the model as it is written.
  const Quantities& quantities() const { return quantities_; }

 private:
  // A model that was read, with its constants. Trajectories of a grid, or of a choice, have the same again.
  struct Known {
    std::shared_ptr<const ModelRun> run;
    LaneConstants constants;
  };
  void place(ReadyTrajectory& t) const;  // puts what varies into the start
  void read(ReadyTrajectory& t);         // reads the model, if it is not known
  Known model_of(const std::vector<double>& values);

  const Ensemble& ensemble_;
  std::unique_ptr<const Mechanism> mechanism_;  // the one of the model as it is written
  Quantities quantities_;
  std::vector<std::optional<std::size_t>> places_;    // for each name that varies: where it is in (q, p)
  std::map<std::vector<std::int64_t>, Known> known_;  // by the bits of the parameters
};

}  // namespace taut
