// The whole step of a run, compiled for its model and its method: a problem of fixed size with its sparsity
// in the type, and the method's template, in one unit. It takes the compiler some seconds once, and is as
// fast as a loop written by hand.
#pragma once

#include <taut/backend/compiled_object.hpp>
#include <taut/contract/choices.hpp>
#include <taut/mechanism/lane_machine.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/model/model.hpp>

namespace taut {

struct Specialised {
  std::unique_ptr<Machine> machine;  // null if there is none
  std::string missing = {};          // why there is none, as a part of a sentence
  std::string object = {};           // the key of its object
};

// A machine that computes in long double or in 128-bit floats.
struct WideMachine {
  std::unique_ptr<Machine> machine = {};  // null if there is none
  std::string missing = {};               // why there is none, as a part of a sentence
  std::string object = {};                // the key of its object
  std::optional<Move> moved = {};         // if the start was to be brought onto the manifold
  std::optional<Failure> failure = {};    // if it could not be
};

// Makes it from the start as the model gives it. `step` is the nearest double of the step of the run; the
// model may know more digits of it.
WideMachine wide_machine(const Model& model, const MethodChoice& choice, const SolveOptions& options,
                         Precision precision, bool plain_updates, bool project_start, double step);

Specialised specialised_machine(const Model& model, const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates);

// A unit for the trajectories of an ensemble. The numbers of the formulas are data: models that differ in
// their parameters alone share it, as a rule. Numbers of a full mass stay in the formulas: such a unit is
// that of a run, has no lanes, and serves the model for which it was made.
struct SpecialisedTrajectories {
  std::string missing = {};  // why there is none, as a part of a sentence; otherwise empty
  std::string object = {};   // the key of its object
  std::string formulas = {};
  std::vector<double> numbers = {};  // those of the model for which it was made
  void* make_machine = nullptr;
  void* make_lanes = nullptr;
  void* make_alone = nullptr;  // in place of these two, if the numbers are in the formulas

  // Returns the numbers of another model; nothing if its formulas have another shape.
  std::optional<std::vector<double>> numbers_of(const Model& model) const;
  std::unique_ptr<Machine> machine(const std::vector<double>& of, const PlainState& start,
                                   const SolveOptions& options) const;
  // Gives none if the method keeps something between steps, or the numbers are in the formulas. The lanes
  // have the numbers of the unit's model.
  std::unique_ptr<LaneMachine> lanes(const PlainState& start, const SolveOptions& options) const;
};
SpecialisedTrajectories specialised_trajectories(const Model& model, const MethodChoice& choice,
                                                 const SolveOptions& options, bool plain_updates, int lanes);

// A unit of taut's headers, ready to be compiled.
struct UnitOfHeaders {
  SourceUnit unit = {};
  std::string missing = {};  // why there is none, as a part of a sentence
};
UnitOfHeaders unit_of_headers(const std::string& text, std::vector<std::string> options);

// Returns the text for a device: taut_make_steps, which makes the steps of all slots of a DeviceJob. For the
// processor it is a loop. `own_constants`: each slot has its own. Gives an empty text if there is none.
std::string device_source(const Model& model, const std::string& method, const SolveOptions& options,
                          bool plain_updates, UnitTarget target, bool own_constants);

// Returns the text that is compiled. It contains the iteration and whether there is a tolerance; the machine
// is told later how large that is.
std::string specialised_source(const Model& model, const std::string& method, const SolveOptions& options,
                               bool plain_updates, Precision precision = Precision::double_precision);

}  // namespace taut
