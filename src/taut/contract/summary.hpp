// The result of a run as plain data: its end state, the extremes over every step, and the reason if it
// stopped early.
#pragma once

#include <taut/contract/backend_use.hpp>
#include <taut/contract/wide.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taut {

// Values measured at one state.
struct Reading {
  double energy = 0;
  double position = 0;  // max |g|
  double momentum = 0;  // max |G H_p|
  // What the energy has beyond the digits of a double, in a run of more precision: energy + energy_rest has
  // 106 bits.
  double energy_rest = 0;
};

// Returns how much the energy of one reading is above that of another. Loops over steps in double are spared
// the rest.
template <bool wide = true>
double energy_above(const Reading& now, const Reading& before) {
  const double above = now.energy - before.energy;
  return wide ? above + (now.energy_rest - before.energy_rest) : above;
}

// The drift of the energy over the whole run, from averages over blocks of it.
struct Trend {
  double total = 0;
  double error = 0;  // half the width of the 95 % interval
  // The averages move along a curve by more than they scatter: a drift, or a part of an oscillation that is
  // slower than the run.
  bool bent = false;
  // Rounding lets the energy walk at random: what it moves by in this many steps counts as no drift.
  double rounding = 0;
  static double rounding_of(double energy, std::int64_t steps,
                            double epsilon = std::numeric_limits<double>::epsilon()) {
    return 10 * epsilon * std::abs(energy) * std::sqrt(static_cast<double>(steps));
  }
  bool is_finite() const { return std::isfinite(total) && std::isfinite(error); }
  // A value or a bar that is not finite is no reason to believe that there is no drift.
  bool beyond_its_error() const { return !(std::abs(total) <= std::max(error, rounding)) || !is_finite(); }
};

// The sizes of steps that differ.
struct StepSizes {
  double shortest = 0, mean = 0, longest = 0, last = 0;
};

// A start off the manifold that was brought onto it: largest change of a coordinate, of a momentum.
struct StartMove {
  double q = 0, p = 0;
};

// The method's own estimates of the error that a step makes.
struct LocalError {
  double last = 0, largest = 0;
};

// Why a run ended early, or why its numbers mean nothing, as data; the sentence is RunSummary::error.
struct RunFailure {
  // not-converged, singular, not-finite, off-constraint, jumped, step-size, energy-not-finite, unstable,
  // energy-lost, stopped or not-written.
  std::string kind;
  std::string stage = {};  // position, momentum or inner; empty if no solve failed
  double residual = 0;     // what the failed solve left, in the units of its equation
  int iterations = 0;      // corrections of that solve
  int constraint = -1;     // from 0; -1: not known
  std::string constraint_name = {};
  std::int64_t step = 0;  // the one that failed, from 1
  double time = 0;        // when the last good state was reached
};

// A formula crossed zero, or a time was reached at which the state was wanted.
struct EventRecord {
  std::string name;
  double time = 0;
  std::vector<double> q, p;
};

struct RunSummary {
  std::string model, method;
  std::string definition = {};                    // what a method of one's own is and claims; otherwise empty
  std::string formulation = {}, projection = {};  // for an ordinary method; otherwise empty
  double step = 0;
  std::int64_t steps = 0;            // done
  std::int64_t wanted = 0;           // asked for
  double time = 0;                   // steps × step
  std::vector<double> q, p, lambda;  // at the end; lambda is empty if the constraints are dependent
  bool stage_multiplier = false;     // lambda is the method's own, not λ(q, p)
  double energy_initial = 0, energy_final = 0, energy_error = 0;  // the last: max |H - H₀|
  std::optional<Trend> trend = {};                                // none for a run too short to tell
  double position_max = 0, momentum_max = 0;
  double iterations_mean = 0;
  int iterations_max = 0;
  std::optional<LocalError> local_error = {};  // if it was asked for
  std::optional<StepSizes> sizes = {};         // if the steps differ in size; `step` is then fictitious
  std::int64_t gradients = 0;                  // evaluations of grad V or of H_q in the steps
  std::int64_t position_projections = 0, momentum_projections = 0;
  std::int64_t halved = 0;       // steps that failed and were taken in parts: the run then has no fixed step
  int parts_max = 1;             // the most parts of one step
  std::int64_t jumps = 0;        // steps in which the energy jumped, if the run was to go on after them
  double first_jump = 0;         // the time of the first of them
  double largest_jump = 0;       // the largest change of H in one of them
  double least_pivot = 1;        // the smallest pivot ratio of G W Gᵀ that was seen; 1: constraints apart
  double least_pivot_time = 0;   // and when
  double first_unexplained = 0;  // how far the first step moved q beyond what its velocity explains
  double kinetic_max = 0;        // the largest kinetic energy in looks at single steps, and at the end
  double change_max = 0;         // the largest change of H in one step
  bool energy_lost = false;      // these, or max |H - H₀|, are large beside the kinetic energy
  double energy_off_for_a_while = 0;  // |H - H₀|, averaged over the worst twentieth of the run
  double kinetic_owned = 0;           // the largest kinetic energy without what H had above H₀ by then
  bool energy_stays_lost = false;     // this is so large, though the method claims that H stays near H₀
  double seconds = 0;
  Precision precision = Precision::double_precision;
  // All digits of the end and of the energies, if the precision is more than that of a double.
  std::optional<WideState> wide = {};
  Wide wide_energy_initial = {};
  std::vector<BackendUse> backends = {};  // who made it; more than one if it was resumed by another
  std::optional<StartMove> moved = {};
  std::vector<std::pair<std::string, double>> quantities = {};  // the formulas of the model, at the end
  bool watches_events = false;
  std::vector<EventRecord> events = {};  // in the order of time
  std::vector<EventRecord> at = {};      // the states at the times that were asked for
  std::string stopped_by = {};           // the event that ended the run
  // The work that forces and the time dependence have done, if the model has either. The energies above are
  // then H at the start and at the end, and the error is that of H - work.
  std::optional<double> work = {};
  bool unstable = false;   // the energy grew without end: all steps were made, and their numbers mean nothing
  std::string error = {};  // empty: the run went to its end, is stable, and has kept its energy
  std::optional<RunFailure> failure = {};  // the same as data
  std::vector<std::string> warnings = {};  // sentences that the user should read
  // The options with which the model makes this run again, as a JSON object; empty if nobody knows them.
  std::string options = {};

  // Below this the constraints are nearly dependent, and another branch of them may be near.
  static constexpr double small_pivot = 1e-3;
  bool nearly_dependent() const { return least_pivot < small_pivot; }

  double steps_per_second() const { return seconds > 0 ? static_cast<double>(steps) / seconds : 0; }
};

// Returns one JSON object; numbers read back as the same bits.
std::string to_json(const RunSummary& summary);

}  // namespace taut
