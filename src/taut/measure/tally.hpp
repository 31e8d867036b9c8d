// Adds up the steps of one trajectory. Every step counts, sampled or not. Trajectories in lanes have a tally
// each: Gauge::read_lanes gives a reading for each lane.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/measure/block_averages.hpp>
#include <taut/solve/failure.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

struct Tally {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  Reading first, now;
  std::int64_t steps = 0;  // steps done
  double energy_error = 0, position_max, momentum_max;
  std::int64_t iterations = 0;
  int iterations_max = 0;
  std::int64_t gradients = 0;  // evaluations of grad V or of H_q
  std::int64_t halved = 0;     // steps taken in parts
  int parts_max = 1;           // the most parts of one step
  BlockAverages blocks;
  std::int64_t turns = 0;               // steps after which H goes down instead of up, or up instead of down
  bool rising = false;                  // the last step raised H
  bool stops_at_jumps = true;           // the run ends if H jumps; otherwise jumps are counted
  std::int64_t jumps = 0;               // steps in which the energy jumped
  std::int64_t first_jump = 0;          // the first of them, from 1
  double largest_jump = 0;              // the largest change of H in one of them
  double least_pivot = 1;               // the smallest pivot ratio of G W Gᵀ that was seen
  std::int64_t least_pivot_step = 0;    // and the step after which it was seen
  double first_unexplained = 0;         // how far the first step moved q beyond what its velocity explains
  double change_max = 0;                // the largest change of H in one step
  double kinetic_max = 0;               // the largest kinetic energy that was seen in a look at a step
  double kinetic_owned = 0;             // the same without what H had above H₀ by then
  double energy_off = 0;                // |H - H₀| at the last look at which it was large beside that
  double change_seen = 0;               // the largest change of H in a step at looks at which it was large
  double local_error = 0;               // the method's estimate of the error of the last step, if watched
  double local_error_max = 0;           // the largest of them
  std::optional<Failure> failure = {};  // the failure of step number steps + 1
  bool energy_not_finite = false;  // if so, step steps + 1 ended on the constraints, but H has no value there

  // Starts the tally of a run of `length` steps from this reading; -1: nobody knows how many there will be.
  Tally(const Reading& start, std::int64_t length)
      : first(start),
        now(start),
        position_max(start.position),
        momentum_max(start.momentum),
        blocks(length < 0 ? BlockAverages::growing() : BlockAverages(length)) {}

  bool failed() const { return failure || energy_not_finite; }
  void clear_failure() {
    failure.reset();
    energy_not_finite = false;
  }
  // Counts a jump of the energy in step steps + 1 and says so, if the user wants to go on after jumps.
  bool goes_on_after(const Failure& found) { return goes_on_after(found, steps + 1); }
  bool goes_on_after(const Failure& found, std::int64_t step) {
    if (stops_at_jumps || found.kind != FailureKind::jumped) return false;
    if (jumps == 0) first_jump = step;
    ++jumps;
    largest_jump = std::max(largest_jump, found.residual);
    return true;
  }
  // Counts a pivot ratio that was seen after step steps + 1.
  void see_pivot(double ratio) {
    if (!(ratio < least_pivot)) return;
    least_pivot = ratio;
    least_pivot_step = steps + 1;
  }
  // Counts a kinetic energy, seen with an energy that is `above` H₀. What a run has won by its errors does
  // not make them small.
  void see_kinetic(double energy, double above) {
    kinetic_max = std::max(kinetic_max, energy);
    kinetic_owned = std::max(kinetic_owned, energy - std::max(above, 0.0));
  }
  void see_local_error(double estimate) {
    local_error = estimate;
    local_error_max = std::max(local_error_max, estimate);
  }
  void count_halved(int pieces) {
    ++halved;
    parts_max = std::max(parts_max, pieces);
  }

  // The energy is lost if it was off by more than this part of the largest kinetic energy, or changed by
  // more than that part of it in one step: what moves then is not what was started. A start off the
  // constraints has an energy that its velocity does not show.
  static constexpr double part_lost = 0.5, part_in_a_step = 0.1;
  bool energy_is_lost(double kinetic_energy) const {
    const double kinetic = std::max(kinetic_max, std::abs(kinetic_energy));
    return (energy_off > part_lost * kinetic || change_seen > part_in_a_step * kinetic) &&
           first_unexplained == 0;
  }

  // Returns by how much the energy was off for a while: on average over the worst twentieth of the run, or at
  // the end of a run too short for that. An error that comes and goes, as near a wall or with the phase of a
  // stiff oscillation, counts by its mean.
  double energy_off_for_a_while() const {
    return blocks.largest_mean().value_or(std::abs(energy_above(now, first)));
  }
  // Returns how much of the kinetic energy H may be off by for a while. If a single step changed H by a tenth
  // of it, as at a wall that a long step runs into, a tenth that stays is a loss; what the phase of a motion
  // does to H in steps of moderate size counts only if it is half.
  double part_that_may_stay(double kinetic_energy) const {
    const double kinetic = std::max(kinetic_max, std::abs(kinetic_energy));
    return change_seen > part_in_a_step * kinetic ? part_in_a_step : part_lost;
  }
  // Asks whether the energy was lost and did not come back at once.                                    (W7)
  bool energy_stays_lost(double kinetic_energy) const {
    return (energy_off > 0 || change_seen > 0) && first_unexplained == 0 &&
           energy_off_for_a_while() > part_that_may_stay(kinetic_energy) * largest_owned(kinetic_energy);
  }
  double largest_owned(double kinetic_energy) const {
    return std::max(kinetic_owned, std::abs(kinetic_energy) - std::max(energy_above(now, first), 0.0));
  }

  // Asks whether the run is unstable: H - H₀ grew without end, to more than half of the kinetic energy that
  // there is now, and far beyond H₀. An orbit that leaves an unstable equilibrium has an error that grows as
  // fast, but stays small beside the kinetic energy.
  bool is_unstable(double kinetic_energy) const {
    const double off = std::abs(energy_above(now, first));
    if (!(off > 1e6 * std::abs(first.energy)) || off < std::abs(kinetic_energy) / 2) return false;
    return blocks.grows_without_end() ||
           (energy_is_lost(kinetic_energy) && blocks.began_far_below(energy_error));
  }

  // Writes the tally to bytes or reads it back, for a run of the same length.
  template <class Carry>
  void carry(Carry& c) {
    carry(c, first);
    carry(c, now);
    c(steps);
    c(energy_error);
    c(position_max);
    c(momentum_max);
    c(iterations);
    c(iterations_max);
    c(halved);
    c(parts_max);
    blocks.carry(c);
    if (!c.has_more()) return;  // a checkpoint that is older than these
    c(jumps);
    c(first_jump);
    c(largest_jump);
    if (!c.has_more()) return;
    c(least_pivot);
    c(least_pivot_step);
    c(first_unexplained);
    if (!c.has_more()) return;
    c(turns);
    c(rising);
    if (!c.has_more()) return;
    c(gradients);
    c(first.energy_rest);
    c(now.energy_rest);
    if (!c.has_more()) {
      change_max = energy_error;
      return;
    }
    c(change_max);
    c(kinetic_max);
    c(energy_off);
    c(change_seen);
    if (!c.has_more()) return;
    c(local_error);
    c(local_error_max);
    if (!c.has_more()) {
      kinetic_owned = kinetic_max;
      return;
    }
    c(kinetic_owned);
  }
  // Checkpoints of older versions have these three of a reading, one after the other.
  template <class Carry>
  static void carry(Carry& c, Reading& reading) {
    c(reading.energy);
    c(reading.position);
    c(reading.momentum);
  }

  // Returns the drift of H. If the change is most of what H did, and H went up and down many times meanwhile,
  // it is no part of one slow oscillation, however curved it is.
  std::optional<Trend> trend() const {
    constexpr std::int64_t many_turns = 40;
    constexpr double most = 0.5;
    return blocks.trend(steps, turns >= many_turns ? most * energy_error : infinity);
  }

  // Counts one step that ended with this reading after `corrections` corrections. Returns false, and counts
  // nothing, if the energy is not finite. `wide`: readings have an energy_rest.
  template <bool wide = false>
  bool add(const Reading& reading, int corrections) {
    const double error = energy_above<wide>(reading, first);
    if (!std::isfinite(error)) {
      energy_not_finite = true;
      return false;
    }
    const double change = energy_above<wide>(reading, now);
    const bool rises = change > 0;
    turns += static_cast<std::int64_t>(rises != rising);
    rising = rises;
    now = reading;
    ++steps;
    energy_error = std::max(energy_error, std::abs(error));
    change_max = std::max(change_max, std::abs(change));
    position_max = std::max(position_max, reading.position);
    momentum_max = std::max(momentum_max, reading.momentum);
    iterations += corrections;
    iterations_max = std::max(iterations_max, corrections);
    blocks.add(error);
    return true;
  }
};

}  // namespace taut
