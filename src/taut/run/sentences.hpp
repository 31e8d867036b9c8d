// Turns a failure into a sentence: what, where, how far off, which constraint, what to try, and where the
// last good state is.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/contract/summary.hpp>
#include <taut/mechanism/grain.hpp>
#include <taut/run/events/torn.hpp>
#include <taut/solve/failure.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct FailedStep {
  std::string_view method;
  Failure failure;
  bool energy_not_finite = false;
  bool is_ode = false;    // an ordinary method on a formulation
  std::int64_t step = 0;  // the one that failed, from 1
  double h = 0;           // the step of the run
  double time = 0;        // the time of the last good state
  double reached = 0;     // the time at which the failed step would have ended
  Iteration solver = Iteration::full_newton;
  double tolerance = 0;
  bool halved = false;                             // it was tried in parts too
  std::string constraint;                          // the worst one, by name; empty: not known
  std::vector<std::string> dependent;              // by name, at the last good state
  std::vector<std::string> without_gradient = {};  // by name, at that state
  Connection connection = {};                      // around the worst one, at that state
  bool offers_midpoint = false;                    // the problem runs with the midpoint rule
  bool of_particles = false;
  bool has_constraints = true;
  std::string pole = {};  // the step went across this pole, in words; empty: not known
  double far_at_start = 0,
         far = 0;                 // the largest coordinate at the start of the run and at the last good state
  std::optional<Torn> torn = {};  // the drive tears the mechanism apart, in this step or soon after it
};
std::string failure_sentence(const FailedStep& at, std::string_view last_good);

// Says that the energy of a run grew without end.
std::string unstable_sentence(std::string_view method, const RunSummary& run, bool offers_midpoint,
                              std::string_view last_state);

// Says that a run has lost its energy, though its method claims to keep it.
std::string lost_energy_sentence(std::string_view method, const RunSummary& run, std::string_view last_state);

struct BadStart {
  std::string_view model;
  double position = 0, momentum = 0;
  bool on_position = true, on_momentum = true;
  std::string worst_position, worst_momentum;
};
std::string inconsistent_start_sentence(const BadStart& start);

// Says that the rounding of a far coordinate decides the motion, and that the start is refused for it, or
// that results are only as good as that. `constraint` is the one of that gradient, by name.
std::string coarse_start_sentence(std::string_view model, const Grain& grain, const std::string& constraint,
                                  bool of_particles);
std::string coarse_energy_sentence(std::string_view model, const EnergyGrain& grain);

std::string dependent_start_sentence(std::string_view model, const std::vector<std::string>& dependent);

// Says why a method cannot solve constraints that follow from others; an ordinary one is for a formulation.
std::string needs_full_rank_sentence(std::string_view model, std::string_view method, bool is_ordinary,
                                     const std::vector<std::string>& dependent);

// Says that no point of the manifold was found near the start; `constraint` is the worst one, by name.
std::string failed_projection_sentence(std::string_view model, const Failure& failure,
                                       const std::string& constraint);

struct Refusal {
  std::string_view model, method, tier;  // the tier is the one that the method needs
  std::vector<std::string> fitting;      // catalogue names
  // What a system of particles offers, if it is of the right kind.
  std::vector<std::string> offered = {};
};
std::string does_not_fit_sentence(const Refusal& refusal);

// Says that a tolerance means nothing to a method whose steps solve no equations.
std::string nothing_to_stop_sentence(std::string_view method, double tolerance);

}  // namespace taut
