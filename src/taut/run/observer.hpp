#pragma once

#include <taut/contract/summary.hpp>

#include <span>
#include <string>

namespace taut {

enum class RunStatus { running, stopped, failed, finished };

// All that the steps after it depend on.
struct Snapshot {
  std::int64_t steps = 0;  // done
  RunStatus status = RunStatus::running;
  std::string machine, tally;  // bytes of Machine::save and of the tally
  std::string start_digest;    // of the first steps from the start: equal where the same bits are computed
  double seconds = 0;          // of work so far
};

// What a run tells while it goes. q and p are those of the mesh point; `more` has what quantities.hpp says.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void sample(double time, std::span<const double> q, std::span<const double> p,
                      const Reading& reading, std::span<const double> more) = 0;
  virtual void note(const std::string&) {}                            // a sentence that the user should read
  virtual void progress(std::int64_t done, std::int64_t wanted) = 0;  // some ten times a second

  virtual bool wants_checkpoints() const { return false; }  // once, before the first step
  // Asked between steps, some hundred times a second where steps are short:
  virtual std::string stop_reason() { return {}; }  // not empty: the run ends here
  virtual bool checkpoint_due() { return false; }
  // Everything up to the step of the snapshot is to outlast the end of the program. Always called at the end of a run that wants checkpoints.
  virtual void checkpoint(const Snapshot&) {}
};

// Of a run whose end is all that is looked at.
class SilentObserver final : public RunObserver {
  void sample(double, std::span<const double>, std::span<const double>, const Reading&,
              std::span<const double>) override {}
  void progress(std::int64_t, std::int64_t) override {}
};

}  // namespace taut
