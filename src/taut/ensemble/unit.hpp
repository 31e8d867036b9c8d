// The unit of work of an ensemble, and what became of its trajectories.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace taut {

// Trajectories of a unit at most; the last unit of an ensemble may have fewer. Results do not depend on it.
inline constexpr std::int64_t unit_size = 1024;

constexpr std::int64_t unit_count(std::int64_t trajectories, std::int64_t size = unit_size) {
  return (trajectories + size - 1) / size;
}

// Returns the size of the units of an ensemble: a power of two, and small for a small ensemble, so that there
// is work for all threads and ranks, and little is lost with a unit.
inline constexpr std::int64_t least_units = 64;
constexpr std::int64_t unit_size_for(std::int64_t trajectories) {
  std::int64_t size = unit_size;
  while (size > 1 && trajectories / size < least_units) size /= 2;
  return size;
}

// How a trajectory ended. The kinds of a failed step are those of FailureKind, in the same order.
enum class Ended : std::uint8_t {
  done,
  not_solved,
  singular,
  not_finite,
  off_constraint,
  jumped,
  no_energy,      // H has no value at the end of a step
  lost,           // all steps were made, and the energy was lost on the way
  unstable,       // all steps were made, and the energy grew without end
  start_refused,  // the start is off the manifold, has no finite energy, or cannot be projected
};
inline constexpr std::string_view ended_names[] = {
    "done",   "not-solved", "singular", "not-finite", "off-constraint",
    "jumped", "no-energy",  "lost",     "unstable",   "start-refused"};
inline constexpr int ended_count = static_cast<int>(std::size(ended_names));
inline constexpr std::string_view name_of(Ended kind) { return ended_names[static_cast<int>(kind)]; }

struct Ending {
  Ended kind = Ended::done;
  std::uint8_t stage = 0;        // the SolveStage of a step that failed
  std::int32_t constraint = -1;  // from 0; -1: unknown
  double time = 0;               // the last good one
  double residual = 0;           // what the failed solve left, in the units of its equation
  std::int64_t steps = 0;        // done

  bool failed() const { return kind != Ended::done; }
  friend bool operator==(const Ending&, const Ending&) = default;
};

// The trajectories first(), first() + 1, … of an ensemble, all of them ended.
struct Unit {
  std::int64_t index = 0;
  std::int64_t size = unit_size;  // the size of all units of this ensemble but the last
  int count = 0, columns = 0;
  std::vector<double> rows = {};  // count × columns: the end of each trajectory
  int samples = 0, sample_columns = 0;
  std::vector<double> sampled = {};  // count × samples × sample_columns; NaN after a failure
  std::vector<Ending> endings = {};  // count

  std::int64_t first() const { return index * size; }
  double at(int trajectory, int column) const {
    return rows[static_cast<std::size_t>(trajectory) * static_cast<std::size_t>(columns) +
                static_cast<std::size_t>(column)];
  }
};

}  // namespace taut
