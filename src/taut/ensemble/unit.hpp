// What becomes of the trajectories of an ensemble, in units of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace taut {

// A unit has at most so many trajectories. A smaller ensemble has smaller ones, so that there are enough of
// them for all threads and ranks, and not much is lost with one: at least `least_units`, if it has as many
// trajectories. The size is a power of two.
inline constexpr std::int64_t largest_unit = 1024, least_units = 64;
constexpr std::int64_t unit_size_of(std::int64_t trajectories) {
  std::int64_t size = largest_unit;
  while (size > 1 && trajectories / size < least_units) size /= 2;
  return size;
}

// How a trajectory ended. The first failures are those of a step, in the order of FailureKind.
enum class Ended : std::uint8_t {
  done,
  not_converged,
  singular,
  not_finite,
  off_constraint,
  jumped,
  no_energy,      // H has no value at the end of a step
  lost,           // all steps were made, and the energy is not that of the start
  unstable,       // all steps were made, and the energy grew without end
  start_refused,  // the start is off the constraints, or not finite, or the model has an error
};

inline constexpr std::size_t ended_kinds = 10;

struct Ending {
  Ended kind = Ended::done;
  std::uint8_t stage = 0;        // SolveStage
  std::int32_t constraint = -1;  // from 0; -1: unknown
  double time = 0;               // of the last good state
  double residual = 0;
  std::int64_t steps = 0;  // done
};

// Trajectories first, first + 1, … of an ensemble, all of them ended.
struct Unit {
  std::int64_t index = 0, first = 0;
  int count = 0;
  int columns = 0;
  std::vector<double> rows;  // count × columns
  int samples = 0, sample_columns = 0;
  std::vector<double> sampled;  // count × samples × sample_columns; NaN after a failure
  std::vector<Ending> endings;
};

}  // namespace taut
