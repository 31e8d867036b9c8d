// Keeps a run in a folder: samples and checkpoints. Together with the signals it makes a run last.
#pragma once

#include <taut/files/durable_file.hpp>
#include <taut/run/model_run.hpp>
#include <taut/store/checkpoint.hpp>

#include <chrono>

namespace taut {

RunIdentity identity_of(const ModelRun& run, const Schedule& schedule);

// What is still in the folder of the last checkpoint written or resumed from. This is looked up on disk,
// because somebody may have removed it meanwhile.
struct Kept {
  bool state = false;     // the checkpoint is there, and whole
  bool samples = false;   // the samples it knows of are there too
  bool previous = false;  // it is the one before the last
  RunStatus status = RunStatus::running;
};

// The run in a folder, from its last checkpoint or from the one before it.
struct FoundRun {
  Checkpoint checkpoint;
  ModelRun run;
  std::string note;              // for the user; may be empty
  bool has_summary = false;      // written after the checkpoint; an older one is of an earlier part
  bool has_report = false;       // in the folder, of whatever was done before
  bool report_due = false;       // asked for, and not made since the summary was
  std::optional<Folder> folder;  // locked, until a recording takes it
};

class Recording {
 public:
  // Begins with the first sample: a request that is refused leaves no folder behind. Throws InputError if the
  // folder holds a run that is not finished, unless it is to be overwritten. Checkpoints hold the report, if
  // there is one, as it is then.
  Recording(const ModelRun& run, const Schedule& schedule, bool overwrite,
            std::shared_ptr<ReportSoFar> report);
  // Continues after the checkpoint that was found, in the folder that was locked for it. If `new_samples`,
  // continues in a new file and puts the old one aside. Throws InputError if the old samples cannot be
  // continued.
  Recording(FoundRun& found, bool new_samples);

  // All of these throw WriteError. `more` may hold more quantities at its end than the run keeps.
  void sample(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
              std::span<const double> more);
  // Takes the digits of the sample that follows.
  void all_digits(const WideState& x) { wide_ = x; }
  bool checkpoint_due();  // also hands over samples that have waited for a second
  void checkpoint(const Snapshot& snapshot);

  // Returns the step of the last checkpoint; none before the first.
  std::optional<std::int64_t> saved() const { return saved_; }
  Kept kept() const;
  const Folder* folder() const { return folder_ ? &*folder_ : nullptr; }  // none before the first sample

 private:
  using Clock = std::chrono::steady_clock;
  void begin();
  template <class Write>
  auto noting_failure(Write write);

  const ModelRun& run_;
  Schedule schedule_;
  bool overwrite_ = false;
  RunIdentity identity_;
  std::shared_ptr<ReportSoFar> report_;
  std::optional<Folder> folder_;
  std::unique_ptr<SampleSink> samples_;
  bool samples_fail_ = false, samples_end_ = false;  // they could not be written; no more will come
  SampleMark mark_;
  std::optional<WideState> wide_;
  std::optional<std::int64_t> saved_;
  Clock::time_point flushed_ = Clock::now(), checkpointed_ = flushed_;
};

// What may be otherwise when a run goes on; nothing leaves it as it was.
struct GoingOn {
  std::optional<double> checkpoint_every = {};
  std::optional<bool> halves = {}, warns = {};  // RunRequest::halve_on_failure and warn_at_jumps
  int threads = 0;
  Backend backend = Backend::automatic;
};
void change(FoundRun& found, const GoingOn& how);

// Locks the folder, then reads it. Throws InputError if the run cannot be resumed, with the reason and what
// can be done.
FoundRun find_run(const std::string& path, bool previous);

}  // namespace taut
