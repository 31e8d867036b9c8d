// Makes the machines of the trajectories of an ensemble: one at a time, and several side by side. The
// trajectories have one method and one model, whose parameters may differ from one to the next.
#pragma once

#include <taut/contract/backend_use.hpp>
#include <taut/contract/device.hpp>
#include <taut/contract/request.hpp>
#include <taut/mechanism/device_machine.hpp>
#include <taut/mechanism/lane_machine.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/model/model.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taut {

struct FormulaSystem;  // model/formula_system.hpp

// A model with the parameters of one trajectory.
struct TrajectoryModel {
  const Model* model = nullptr;
  std::shared_ptr<const FormulaSystem> system = {};  // none if it is a system of particles
  const Mechanism* mechanism = nullptr;              // nobody else uses it meanwhile
};

// The numbers by which a lane knows a model; empty if all trajectories have the same. Nothing, if the model
// has another shape than the first, so that it does not fit into a lane.
using LaneConstants = std::optional<std::vector<double>>;

// What all trajectories have in common.
struct EnsembleMethod {
  MethodChoice choice;
  SolveOptions options;
  RunRequest request;
  double step = 0;
  std::int64_t steps = 0;
  bool other_parameters = false;  // the trajectories differ in more than their starts
  int lanes = 0;                  // trajectories side by side; 0: as many as pay
  Device device = Device::cpu;
};

// Any number of threads may ask at a time, each with models of its own.
class EnsembleMachines {
 public:
  virtual ~EnsembleMachines() = default;
  virtual BackendUse used() const = 0;
  // `constants` are those of the model.
  virtual std::unique_ptr<Machine> machine(const TrajectoryModel& of, const PlainState& start,
                                           const LaneConstants& constants) const = 0;
  // Gives none if the method is not there for lanes.
  virtual std::unique_ptr<LaneMachine> lanes(const PlainState& start) const = 0;
  // Gives none if trajectories are computed by the processor alone.
  virtual std::unique_ptr<DeviceMachine> device(int) const { return nullptr; }
  virtual std::string device_name() const { return ""; }  // in words; empty: the processor alone
  virtual LaneConstants constants(const TrajectoryModel& of) const = 0;
};

struct MadeEnsembleMachines {
  std::unique_ptr<EnsembleMachines> machines;
  std::string note = {};  // a sentence, if they are not what was wanted
};

// Makes them as `taut run` would for one of the trajectories: the digits do not depend on how many there are.
// `base` is the model as it is written.
MadeEnsembleMachines ensemble_machines(const TrajectoryModel& base, const PlainState& start,
                                       const EnsembleMethod& method);

}  // namespace taut
