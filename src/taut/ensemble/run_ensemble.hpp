// Runs an ensemble in threads.
#pragma once

#include <taut/ensemble/gathering.hpp>

#include <functional>
#include <optional>
#include <string>

namespace taut {

struct EnsembleProgress {
  std::int64_t steps = 0, ended = 0, failed = 0;
  double busy = 0;  // the part of the lanes' steps that counted; 0 if trajectories run one at a time
  std::int64_t device_steps = 0, handed_back = 0;  // made by a device; left by it to the processor
  double device_seconds = 0;                       // in which it made them; those of all threads together
  std::int64_t messages = 0, message_bytes = 0;    // between the processes, if there are several
};

// Whoever wants the units of an ensemble, and knows when to stop.
class EnsembleObserver {
 public:
  virtual ~EnsembleObserver() = default;
  virtual std::optional<std::int64_t> next_unit() = 0;  // asked by one thread at a time
  virtual void take(const Unit& unit) = 0;              // by one thread at a time, in any order
  virtual void progress(const EnsembleProgress&) {}     // some ten times a second
  virtual bool wants_to_stop() { return false; }        // asked as often
};

// Works until there is no unit left, or the observer wants to stop; units in hand are then given up. What a
// worker throws, this throws.
EnsembleProgress run_ensemble(const Ensemble& ensemble, int threads, EnsembleObserver& observer);

// As many threads as the machine has processors.
int usual_threads();

}  // namespace taut
