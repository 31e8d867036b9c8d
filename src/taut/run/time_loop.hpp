// The time loop: it steps from sample to sample, looks at the clock now and then, and leaves a
// checkpoint at the last good step however it ends.
#pragma once

#include <taut/mechanism/machine.hpp>
#include <taut/run/events/event_watch.hpp>
#include <taut/run/observer.hpp>
#include <taut/run/pole_guard.hpp>
#include <taut/run/quantities.hpp>
#include <taut/run/schedule.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace taut {

class TimeLoop {
 public:
  TimeLoop(Machine& machine, const Schedule& schedule, bool halve_on_failure, RunObserver& observer,
           Tally& tally, const Quantities& quantities, PoleWatch* poles, EventWatch* events);

  // Runs the loop; `seconds` of work went before. Returns why the run was stopped or what could not be
  // written. Returns nothing if it went to its end, or if a step failed, which is in the tally.
  std::string go(const std::string& start_digest, std::vector<BackendUse> backends, double seconds,
                 bool from_the_start);
  double seconds() const;
  bool could_not_write() const { return could_not_write_; }
  // Returns where the run is: at a mesh point, or at the event that ended it.
  double time() const;
  // The pole that the failed step went across, in words.
  std::string pole() const { return poles_ ? poles_->pole() : std::string(); }

 private:
  using Clock = std::chrono::steady_clock;

  void advance_watched(std::int64_t count);  // step by step, and looks for events after each
  Machine& end() const { return events_ && events_->stopped() ? *events_->stopped() : machine_; }
  void advance();  // to the next sample, or to the next look at the clock
  bool is_time_for_poles() const;
  bool awaits_poles() const { return poles_ && !tally_.failed() && poles_->is_pending(); }
  void settle_poles();
  void sample();
  void sample_between();  // at equal times, up to the last step
  void show_sample(double time, const Reading& reading);
  void look();
  void keep();
  void back_to_last_good();
  void save_after_failed_write();
  Snapshot snapshot(RunStatus status) const;
  bool has_ended() const;
  bool is_stopped() const { return events_ && events_->stopped() != nullptr; }

  Machine& machine_;
  const Schedule& schedule_;
  bool halve_;
  RunObserver& observer_;
  Tally& tally_;
  const Quantities& quantities_;
  VariableSteps* variable_;  // null if all steps have the size of the schedule
  double sampled_ = 0;       // the time up to which samples were taken
  EventWatch* events_;       // null if nothing is watched

  Snapshot before_;
  Clock::time_point began_ = Clock::now(), looked_ = began_, told_ = began_, kept_at_ = began_;
  std::int64_t pace_ = 1, since_look_ = 0;  // steps between two looks at the clock
  bool wants_checkpoints_ = false;
  std::optional<PoleGuard> poles_;  // none if nothing is divided by in the model
  Snapshot kept_;                   // a moment ago: from here a failed step is repeated
  std::string stop_;
  bool could_not_write_ = false;
};

}  // namespace taut
