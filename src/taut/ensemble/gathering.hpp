// Workers in any number of threads get the trajectories of an ensemble from here, and bring them back.
#pragma once

#include <taut/ensemble/ensemble.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace taut {

// What became of one trajectory.
struct EndedTrajectory {
  std::int64_t index = 0;
  std::span<const double> row, sampled;
  Ending ending;
};

// Hands out the trajectories of some units in their order, and puts what became of them together again.
class Gathering {
 public:
  // Gives the next unit to work on, or nothing; `take` gets each finished unit, in any order, one at a time.
  using NextUnit = std::function<std::optional<std::int64_t>()>;
  using TakeUnit = std::function<void(const Unit&)>;
  Gathering(const Ensemble& ensemble, NextUnit next, TakeUnit take)
      : ensemble_(ensemble), next_(std::move(next)), take_(std::move(take)) {}

  std::optional<std::int64_t> next_trajectory();
  void put(const EndedTrajectory& ended);

  int workers = 1;  // among which the trajectories are shared

  // Workers ask this between steps, and stop without an end for what they have in hand.
  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

  // For the progress of the work.
  std::atomic<std::int64_t> steps = 0, failed = 0, ended = 0;
  std::atomic<std::int64_t> lane_steps = 0, busy_lane_steps = 0;  // those that were made, those that counted
  std::atomic<std::int64_t> device_steps = 0, device_nanoseconds = 0;  // in which the device made them
  std::atomic<std::int64_t> handed_back = 0;  // steps that the device left to the processor

 private:
  struct Open {
    Unit unit;
    int missing = 0;
  };
  void open(std::int64_t index);

  const Ensemble& ensemble_;
  NextUnit next_;
  TakeUnit take_;
  std::mutex mutex_, taking_;
  std::map<std::int64_t, Open> open_;
  std::int64_t now_ = 0, end_ = 0;  // the next trajectory, and the end of its unit
  std::atomic<bool> stopped_ = false;
};

}  // namespace taut
