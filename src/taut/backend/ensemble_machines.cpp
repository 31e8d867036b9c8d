#include <taut/backend/backend.hpp>
#include <taut/backend/compiled_formulas.hpp>
#include <taut/backend/device_steps.hpp>
#include <taut/backend/ensemble_machines.hpp>
#include <taut/backend/specialised.hpp>
#include <taut/mechanism/formula_lanes.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/method/composition_numbers.hpp>
#include <taut/model/formula_system.hpp>
#include <taut/model/lane_constants.hpp>

#include <fmt/format.h>

namespace taut {

namespace {

// The interpreter, for trajectories side by side, and for single ones compiled formulas if all of them have
// the same: both have the same bits.
class InterpretedEnsemble final : public EnsembleMachines {
 public:
  InterpretedEnsemble(const TrajectoryModel& base, const PlainState& start, const EnsembleMethod& method,
                      CompiledFormulas compiled)
      : method_(method), system_(base.system), compiled_(std::move(compiled)) {
    const FormulaLanes made = lanes_for(start);
    has_lanes_ = made.machine != nullptr;
    sized_ = made.sized;
  }
  BackendUse used() const override {
    return compiled_.system ? BackendUse{Backend::compile, compiled_.object} : BackendUse{};
  }
  std::unique_ptr<Machine> machine(const TrajectoryModel& of, const PlainState& start,
                                   const LaneConstants&) const override {
    const bool plain = method_.request.plain_updates;
    if (!compiled_.system) return of.mechanism->bind(method_.choice, start, method_.options, plain);
    return make_mechanism(compiled_.system)->bind(method_.choice, start, method_.options, plain);
  }
  std::unique_ptr<LaneMachine> lanes(const PlainState& start) const override {
    return has_lanes_ ? lanes_for(start).machine : nullptr;
  }
  LaneConstants constants(const TrajectoryModel& of) const override {
    if (!method_.other_parameters) return std::vector<double>{};
    if (!same_shape(*system_, *of.system)) return std::nullopt;
    return lane_constants(*of.system, sized_);
  }

 private:
  FormulaLanes lanes_for(const PlainState& start) const {
    if (method_.lanes == 1 || !system_) return {};
    return formula_lanes(system_, method_.choice, start, method_.options, method_.request.plain_updates);
  }

  EnsembleMethod method_;
  std::shared_ptr<const FormulaSystem> system_;
  CompiledFormulas compiled_;  // without a system if there are none
  bool has_lanes_ = false, sized_ = false;
};

// The whole step compiled, with the numbers of the formulas as data.
class SpecialisedEnsemble final : public EnsembleMachines {
 public:
  SpecialisedEnsemble(SpecialisedTrajectories unit, const EnsembleMethod& method,
                      std::shared_ptr<const DeviceSteps> device = nullptr)
      : unit_(std::move(unit)), method_(method), device_(std::move(device)) {}
  BackendUse used() const override { return {Backend::specialise, unit_.object}; }
  std::unique_ptr<Machine> machine(const TrajectoryModel& of, const PlainState& start,
                                   const LaneConstants& constants) const override {
    if (constants)
      return unit_.machine(method_.other_parameters ? *constants : unit_.numbers, start, method_.options);
    // The model has another shape. Its step is compiled as it is for a run.
    Specialised made =
        specialised_machine(*of.model, method_.choice, start, method_.options, method_.request.plain_updates);
    // Nothing else has its bits.
    if (!made.machine)
      throw InputError(
          fmt::format("the step of one of the trajectories is not specialised: {}.", made.missing));
    return std::move(made.machine);
  }
  std::unique_ptr<LaneMachine> lanes(const PlainState& start) const override {
    return method_.lanes == 1 ? nullptr : unit_.lanes(start, method_.options);
  }
  std::unique_ptr<DeviceMachine> device(int slots) const override {
    return device_ ? device_->machine(slots) : nullptr;
  }
  std::string device_name() const override { return device_ ? device_->name() : ""; }
  LaneConstants constants(const TrajectoryModel& of) const override {
    if (!method_.other_parameters) return std::vector<double>{};
    return unit_.numbers_of(*of.model);
  }

 private:
  SpecialisedTrajectories unit_;
  EnsembleMethod method_;
  std::shared_ptr<const DeviceSteps> device_;  // null: the processor alone
};

CompiledFormulas compiled_for(const TrajectoryModel& base, const EnsembleMethod& method, Backend backend,
                              std::string& note) {
  if (!base.system || method.other_parameters || backend == Backend::interpret) return {};
  CompiledFormulas made = compiled_formulas(base.system);
  if (made.missing.empty()) return made;
  note = fmt::format("the formulas are interpreted: {}.", made.missing);
  return {};
}

}  // namespace

namespace {

SpecialisedTrajectories trajectories_of(const TrajectoryModel& base, const EnsembleMethod& method) {
  if (!is_small(*base.system)) return {.missing = too_large_to_specialise};
  // Registers hold a small system twice; a larger one goes through memory as it is.
  const int usual_lanes = base.system->n <= 4 ? 16 : 8;
  return specialised_trajectories(*base.model, method.choice, method.options, method.request.plain_updates,
                                  method.lanes > 1 ? method.lanes : usual_lanes);
}

// Throws InputError if the device cannot do it.
MadeEnsembleMachines machines_with_device(const TrajectoryModel& base, const PlainState& start,
                                          const EnsembleMethod& method) {
  const auto refuse = [&](const std::string& why) -> MadeEnsembleMachines {
    throw InputError(fmt::format("--device {}: {}.", name_of(method.device), why));
  };
  if (!base.system) return refuse("systems of particles are computed by the processor");
  if (method.request.backend != Backend::automatic && method.request.backend != Backend::specialise)
    return refuse("steps on a device are compiled for the model, so that --backend is specialise");
  // Other methods keep tables or memory that a thread of a device does not have.
  const std::string label = method.choice.label();
  const bool composed = !method.choice.ode && composition_numbers(method.choice.method).has_value();
  if (!method.choice.ode && !composed && label != "rattle" && label != "verlet" && label != "midpoint")
    return refuse(
        fmt::format("a device makes the steps of rattle, of its compositions and of midpoint, and {} is "
                    "computed by the processor",
                    label));
  const SolveOptions& solve = method.options;
  if (composed && (solve.tolerance > 0 || solve.iteration != Iteration::full_newton ||
                   solve.first_guess != FirstGuess::zero))
    return refuse(
        "compositions are solved there by Newton's iteration to rounding, from the usual first guess");
  if (!method.choice.ode &&
      device_source(*base.model, method.choice.method, method.options, method.request.plain_updates,
                    UnitTarget::device, method.other_parameters)
          .empty())
    return refuse("a full mass is there for the processor alone");
  SpecialisedTrajectories unit = trajectories_of(base, method);
  if (!unit.missing.empty()) return refuse(unit.missing);
  // Lanes, too, are there only for methods whose next step depends on the state alone.
  if (!unit.lanes(start, method.options)) return refuse("the method keeps more than a state between steps");
  const DeviceRequest request{.model = base.model,
                              .method = method.choice.method,
                              .options = method.options,
                              .plain_updates = method.request.plain_updates,
                              .constants = unit.numbers,
                              .own_constants = method.other_parameters,
                              .steps = method.steps,
                              .coordinates = base.system->n,
                              .device = method.device};
  try {
    std::shared_ptr<const DeviceSteps> device = device_steps(request);
    return {std::make_unique<SpecialisedEnsemble>(std::move(unit), method, std::move(device))};
  } catch (const DeviceError& error) {
    return refuse(error.what());
  }
}

}  // namespace

MadeEnsembleMachines ensemble_machines(const TrajectoryModel& base, const PlainState& start,
                                       const EnsembleMethod& method) {
  if (method.device != Device::cpu) return machines_with_device(base, start, method);
  std::string note;
  Backend backend = Backend::interpret;
  if (base.system)
    backend = method.request.backend == Backend::automatic
                  ? worth_while(*base.system, method.choice, method.steps)
                  : method.request.backend;
  if (backend == Backend::specialise) {
    SpecialisedTrajectories unit = trajectories_of(base, method);
    if (unit.missing.empty()) return {std::make_unique<SpecialisedEnsemble>(std::move(unit), method)};
    note = fmt::format("the step is not specialised: {}.", unit.missing);
    backend = Backend::compile;
  }
  CompiledFormulas compiled = compiled_for(base, method, backend, note);
  auto made = std::make_unique<InterpretedEnsemble>(base, start, method, std::move(compiled));
  return {std::move(made), note};
}

}  // namespace taut
