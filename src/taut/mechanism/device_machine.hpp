// Trajectories on a device, one in each slot. A slot does what a Machine of the same problem and method does,
// to the last bit, as long as its steps are ordinary. A step that is not is left to that machine.
#pragma once

#include <taut/measure/tally.hpp>
#include <taut/mechanism/device_job.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Whoever has the numbers and makes the steps: a device, or this processor in its place.
class StepsOfSlots {
 public:
  virtual ~StepsOfSlots() = default;
  // The arrays of the job are those of this processor. `changed`: since the last call. Returns the seconds
  // that the steps took, without the copies.
  virtual double make(const DeviceJob& job, bool changed) = 0;
  // Fetches the numbers and the sums of blocks; the steps and states come back by themselves.
  virtual void fetch(const DeviceJob& job) = 0;
};

// How many numbers a slot has.
struct SlotLayout {
  int coordinates = 0;
  bool compensated = false;
  std::size_t constants = 0;  // each slot has so many; 0: all slots have the same

  int of_state() const { return (compensated ? 4 : 2) * coordinates; }
  int numbers() const { return of_state() + slot_sums; }
};

class DeviceMachine {
 public:
  // `length` is the number of steps of a trajectory.
  DeviceMachine(std::unique_ptr<StepsOfSlots> steps, const SlotLayout& layout, int slots, std::int64_t length,
                const SolveOptions& options);

  int slots() const { return static_cast<int>(states_.size()); }
  // Puts a trajectory into a slot: what Machine::save gives of it, its tally after at least one step, and the
  // constants of its formulas if slots have their own. Returns false if the bytes are not those of a machine
  // whose next step depends on its state alone.
  bool fill(int slot, std::string_view saved, const Tally& tally, std::span<const double> constants);
  void clear(int slot);
  void stop_at(int slot, std::int64_t steps);

  // Lets all slots make steps up to their stops, and at most so many. A slot ends before a step that is no
  // ordinary one, and is then behind.
  void advance(double h, std::int64_t most);
  std::int64_t steps(int slot) const { return steps_[at(slot)]; }
  bool is_behind(int slot) const { return states_[at(slot)] == SlotState::behind; }
  double seconds() const { return seconds_; }  // in which steps were made

  // What Machine::restore takes, and the tally so far, except for the reading of the last state. The number
  // of corrections, the pivots and the turns of H are those of the time before the slot was filled.
  std::string save(int slot);
  Tally tally(int slot);

 private:
  static std::size_t at(int slot) { return static_cast<std::size_t>(slot); }
  double& number(int k, int slot) {
    return numbers_[static_cast<std::size_t>(k) * states_.size() + at(slot)];
  }
  double& sum(SlotSum which, int slot) { return number(layout_.of_state() + static_cast<int>(which), slot); }
  void fetch();
  DeviceJob job(double h, std::int64_t most);

  std::unique_ptr<StepsOfSlots> make_;
  SlotLayout layout_;
  std::int64_t block_;
  SolveOptions options_;
  std::vector<double> numbers_, block_sums_, constants_;
  std::vector<std::int64_t> steps_, stops_;
  std::vector<SlotState> states_;
  std::vector<Tally> tallies_;  // at the time when the slot was filled
  bool changed_ = true, fetched_ = true;
  double seconds_ = 0;
};

}  // namespace taut
