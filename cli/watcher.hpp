// What the command line does with the samples of a run.
#pragma once

#include <taut/run/files.hpp>
#include <taut/run/run_report.hpp>

#include <CLI/CLI.hpp>

#include <optional>

#include "progress.hpp"

namespace taut::cli {

// Keeps samples in a file, made with the first of them: a request that is refused leaves no folder behind. All go to the record, where
// there is one; the file has those of the schedule.
class Watcher final : public RunObserver {
 public:
  Watcher(const std::string& out, const std::vector<std::string>& columns, const Schedule& schedule,
          RunRecord* record);
  void sample(double time, std::span<const double> q, std::span<const double> p,
              const Reading& reading) override;
  void progress(std::int64_t done, std::int64_t wanted) override { line_.show(done, wanted); }
  void note(const std::string& sentence) override;
  void close();

 private:
  std::string out_;
  std::vector<std::string> columns_;
  Schedule schedule_;
  RunRecord* record_;
  std::optional<SamplesFile> samples_;
  Progress line_;
};

// --report and --figures, alike for every command that has something to report.
class TypedReport {
 public:
  void add(CLI::App& command);
  bool wanted() const { return page_->count() > 0 || !figures_.empty(); }
  // What was asked for, the page by default into the folder `out`; says on standard error where it is. WriteError where it cannot be
  // written.
  void write(const std::string& out, const Report& report) const;

 private:
  std::string path_, figures_;
  const CLI::Option* page_ = nullptr;
};

}  // namespace taut::cli
