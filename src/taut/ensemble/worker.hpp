// Computes trajectories in one thread: on a device if one is wanted, in lanes if the method is there for
// lanes, otherwise one at a time.
#pragma once

#include <taut/ensemble/gathering.hpp>
#include <taut/measure/tally.hpp>
#include <taut/run/pole_guard.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <vector>

namespace taut {

class Worker {
 public:
  Worker(const Ensemble& ensemble, Gathering& gathering);
  // Works until there is nothing left to begin, or the gathering is stopped.
  void work();

 private:
  // A trajectory that is being computed.
  struct Current {
    ReadyTrajectory t;
    std::unique_ptr<Machine> machine;
    Tally tally;
    std::unique_ptr<PoleWatch> poles = {};  // if its formulas divide
    std::unique_ptr<PoleGuard> guard = {};
    Quantities quantities = {};  // formulas with the parameters of this trajectory
    std::vector<double> sampled = {};
  };
  struct Lanes {
    std::unique_ptr<LaneMachine> machine;
    std::vector<std::unique_ptr<Current>> in;  // null: the lane is empty
    bool any_busy() const;
  };

  // Begins the next trajectories until one is to be computed side by side with others: its first steps are
  // made. Gives null if there is none left.
  std::unique_ptr<Current> begin_side_by_side();
  std::unique_ptr<Current> begin();  // the next one that can start; null if there is none
  void refuse(const ReadyTrajectory& t);
  void run_alone(Current& c, std::int64_t steps);  // up to that number of steps, or a failure
  bool has_ended(const Current& c) const;
  bool is_sample(const Current& c) const;
  std::int64_t to_next_stop(const Current& c) const;  // to the next sample, look for poles, or the end
  bool is_stop(const Current& c) const { return to_next_stop(c) == 0 || is_sample(c); }
  bool arrive(Current& c);  // at a stop; returns whether steps were made again
  void sample(Current& c);
  void end(Current& c);
  Ending ending_of(const Current& c) const;

  void work_alone();
  void work_in_lanes();
  bool make_lanes();
  void refill(Lanes& lanes);
  void fill(Lanes& lanes, int lane);
  void fill_again(Lanes& lanes, int lane);
  void put_in(Lanes& lanes, int lane, std::span<const double> constants);
  void advance(Lanes& lanes);
  static void take_out(const Lanes& lanes, int lane);
  void step_alone(Lanes& lanes, int lane);
  void stop_at(Lanes& lanes, int lane);
  void pace_by(std::chrono::steady_clock::duration took);

  // On a device (worker_on_device.cpp). Each worker has slots there of its own.
  struct Slots {
    std::unique_ptr<DeviceMachine> machine;
    std::vector<std::unique_ptr<Current>> in;  // null: the slot is empty
    std::int64_t busy = 0;
  };
  void work_on_device();
  void refill(Slots& slots);
  void fill(Slots& slots, int slot);
  void advance(Slots& slots);
  static void take_out(const Slots& slots, int slot);
  void step_alone(Slots& slots, int slot);
  void stop_at(Slots& slots, int slot);
  void leave(Slots& slots, int slot);

  const Ensemble& ensemble_;
  Gathering& gathering_;
  Trajectories trajectories_;
  std::vector<Lanes> lanes_;
  std::unique_ptr<Current> waiting_;  // has begun, and waits for a lane
  bool is_dry_ = false;               // there is nothing left to begin
  std::int64_t pace_ = 64;            // steps between two looks at the clock
  std::int64_t steps_of_a_call_ = 0;  // on a device
  std::vector<double> row_;
};

}  // namespace taut
