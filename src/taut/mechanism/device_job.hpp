// What the program hands to the threads of a device: arrays of plain numbers, one entry for each slot. A slot
// holds one trajectory, and one thread makes its steps.
#pragma once

#include <taut/solve/options.hpp>

#include <cstdint>

namespace taut {

// What a tally adds up at every step, in the order in which it lies behind the state.
enum class SlotSum : int {
  first,  // energies
  now,
  energy_error,
  change_max,
  position_max,
  momentum_max,
  block_sum,
  kinetic_max,
  kinetic_owned,
};
inline constexpr int slot_sums = 9;

enum class SlotState : std::int32_t {
  idle,
  running,
  behind,  // the next step is no ordinary one: a machine of the processor makes it
};

// Number k of slot i lies at [k * slots + i], so that neighbouring threads read neighbouring numbers.
struct DeviceJob {
  double* numbers;           // q, p, their low parts if the state has them, the sums
  double* block_sums;        // the sums of the blocks that a thread has filled
  const double* constants;   // the numbers in formulas, for each slot; none if all slots have the same
  std::int64_t* steps;       // done, those before the slot was filled included
  const std::int64_t* stop;  // the number of steps at which a slot stops
  SlotState* states;
  std::int64_t slots;
  std::int64_t block;  // steps of a block of averages; 0: no averages
  std::int64_t most;   // steps in this call
  double h;
  SolveOptions options;
};

}  // namespace taut
