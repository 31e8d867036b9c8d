// What becomes of the trajectories of an ensemble, in units of 1024.
#pragma once

#include <cstdint>
#include <vector>

namespace taut {

inline constexpr std::int64_t unit_size = 1024;

// How a trajectory ended. The first failures are those of a step, in the order of FailureKind.
enum class Ended : std::uint8_t {
  done,
  not_converged,
  singular,
  not_finite,
  off_constraint,
  jumped,
  no_energy,      // H has no value at the end of a step
  unstable,       // all steps were made, and the energy grew without end
  start_refused,  // the start is off the constraints, or not finite, or the model has an error
};

struct Ending {
  Ended kind = Ended::done;
  std::uint8_t stage = 0;        // SolveStage
  std::int32_t constraint = -1;  // from 0; -1: unknown
  double time = 0;               // of the last good state
  double residual = 0;
  std::int64_t steps = 0;  // done
};

// Trajectories 1024 index, 1024 index + 1, … of an ensemble, all of them ended.
struct Unit {
  std::int64_t index = 0;
  int count = 0;
  int columns = 0;
  std::vector<double> rows;  // count × columns
  int samples = 0, sample_columns = 0;
  std::vector<double> sampled;  // count × samples × sample_columns; NaN after a failure
  std::vector<Ending> endings;
};

}  // namespace taut
