#pragma once

#include <taut/contract/summary.hpp>

#include <span>
#include <string>
#include <vector>

namespace taut {

enum class RunStatus { running, stopped, failed, finished };

// Everything on which later steps depend.
struct Snapshot {
  std::int64_t steps = 0;  // steps done
  RunStatus status = RunStatus::running;
  std::string machine, tally;  // bytes of Machine::save and of the tally
  std::string start_digest;    // after the first steps from the start: equal if the same bits are computed
  double seconds = 0;          // seconds of work so far
  std::string events = {};     // bytes of EventWatch::save, if events are watched
  std::vector<BackendUse> backends = {};  // the last one is at work; none in checkpoints of older versions
};

// What a run reports while it goes. q and p are those of the mesh point; `more` has what quantities.hpp says.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void sample(double time, std::span<const double> q, std::span<const double> p,
                      const Reading& reading, std::span<const double> more) = 0;
  // Called before a sample whose numbers have more digits than doubles.
  virtual void all_digits(const WideState&) {}
  virtual void note(const std::string&) {}                            // a sentence that the user should read
  virtual void progress(std::int64_t done, std::int64_t wanted) = 0;  // some ten times a second
  virtual void waits_for(const std::string&) {}  // before the first step: "compiling the step"

  virtual bool wants_checkpoints() const { return false; }  // once, before the first step
  // The following are asked between steps, some hundred times a second if steps are short.
  virtual std::string stop_reason() { return {}; }  // not empty: the run ends here
  virtual bool checkpoint_due() { return false; }
  // Everything up to the step of the snapshot must outlast the end of the program. This is always called at
  // the end of a run that wants checkpoints.
  virtual void checkpoint(const Snapshot&) {}
};

// An observer for a run of which only the end matters.
class SilentObserver final : public RunObserver {
  void sample(double, std::span<const double>, std::span<const double>, const Reading&,
              std::span<const double>) override {}
  void progress(std::int64_t, std::int64_t) override {}
};

}  // namespace taut
