// What the command line does with the samples of a run.
#pragma once

#include <taut/report/run_report.hpp>
#include <taut/store/recording.hpp>

#include <optional>
#include <string_view>

#include "commands.hpp"
#include "progress.hpp"

namespace taut::cli {

// Keeps the run in its folder, if there is a recording, and ends it when a signal asks for that. All samples
// go to the record, if there is one; the folder has those of the schedule.
class Watcher final : public RunObserver {
 public:
  Watcher(const Schedule& schedule, Recording* recording, RunRecord* record);
  void sample(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
              std::span<const double> more) override;
  void all_digits(const WideState& x) override {
    if (recording_ != nullptr) recording_->all_digits(x);
  }
  void progress(std::int64_t done, std::int64_t wanted) override { line_.show(done, wanted); }
  void waits_for(const std::string& what) override { line_.wait_for(what); }
  void note(const std::string& sentence) override;
  bool wants_checkpoints() const override { return recording_ != nullptr; }
  bool checkpoint_due() override { return recording_ != nullptr && recording_->checkpoint_due(); }
  void checkpoint(const Snapshot& snapshot) override { recording_->checkpoint(snapshot); }
  std::string stop_reason() override;
  void clear() { line_.clear(); }

 private:
  Schedule schedule_;
  Recording* recording_;
  RunRecord* record_;
  Progress line_;
};

// The options --report and --figures, alike for every command that has something to report.
class TypedReport {
 public:
  void add(Command& command);  // after --out, if the command has it
  std::optional<ReportWanted> wanted() const;
  // The same for a command that keeps files in the folder `out`, if it is not empty: what lies inside is then
  // named relative to it. `refuse` throws InputError if the page would replace a file that the folder keeps.
  using Refuse = void (*)(const std::string& folder, const std::string& path, std::string_view option);
  std::optional<ReportWanted> wanted_in(const std::string& out, Refuse refuse) const;

 private:
  std::optional<std::string> path_;  // empty: the default; none: no page
  std::string figures_;
};

// Throws WriteError if the page or the figures could not be written, and InputError if the page would replace
// the model: before the run, so that it is not made in vain.
void check_wanted(const ReportWanted& wanted, const std::string& out, const ModelRun& run);

// Writes the report and says on standard error where it is. If there is a folder of the run, paths that do
// not begin at the root are inside it. Throws WriteError if the report cannot be written.
void write_wanted(const ReportWanted& wanted, const Folder* folder, const Report& report);

}  // namespace taut::cli
