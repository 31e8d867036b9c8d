// Finds the step of a run that went across a pole, if one did. It keeps a copy of the run from a while ago;
// if a divisor has another sign since then, the steps from there on are made again, one by one.
#pragma once

#include <taut/mechanism/machine.hpp>
#include <taut/run/events/event_watch.hpp>
#include <taut/run/pole_watch.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace taut {

class PoleGuard {
 public:
  // All of them outlive this. Events may be null. If a look costs many steps, as that at one lane among
  // others does, there are `least_gap` steps between two of them or more.
  PoleGuard(PoleWatch& poles, Machine& machine, Tally& tally, double step, EventWatch* events = nullptr,
            std::int64_t least_gap = 1)
      : poles_(poles),
        machine_(machine),
        tally_(tally),
        step_(step),
        events_(events),
        least_gap_(least_gap) {}

  void begin();  // where the machine is now
  // Says after how many steps it is time for a look, at the latest. The clock has no say in it, so that the
  // same run always ends at the same step.
  std::int64_t next_look() const { return next_look_; }
  // Asks whether a divisor has another sign than at the last look: the run may no longer be good.
  bool is_pending() const { return poles_.changed(here().q(), here().p()); }
  // Looks at the run as it is now. If a step went across a pole, the run is back before that step, and the
  // tally has failed, unless the run goes on after jumps. Returns whether steps were made again.
  bool look();
  const std::string& pole() const { return pole_; }  // the one that the failed step went across, in words

 private:
  // Returns what is where the run is: at the event that ended it, or at the last mesh point.
  const Machine& here() const;
  void keep();
  void plan();
  void back();
  void find();

  PoleWatch& poles_;
  Machine& machine_;
  Tally& tally_;
  double step_;
  EventWatch* events_;
  std::string machine_before_;
  EventWatch::Mark events_before_;
  std::optional<Tally> tally_before_;
  std::int64_t next_look_ = 0, next_copy_ = 0, planned_at_ = 0;
  std::int64_t least_gap_;
  std::string pole_;
};

// Makes steps that were made before, to the same bits.
void advance_again(Machine& machine, double step, std::int64_t count, Tally& tally);

}  // namespace taut
