#include <taut/ensemble/ensemble_folder.hpp>
#include <taut/files/open_file.hpp>
#include <taut/run/model_run.hpp>
#include <taut/store/recording.hpp>
#include <taut/store/run_files.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "carry_out.hpp"
#include "commands.hpp"
#include "ensemble_work.hpp"
#include "sampling/sample_work.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

struct ResumeFlags {
  std::string folder;
  GoingOn how;
  int lanes = 0;                // those of an ensemble
  Device device = Device::cpu;  // the same
  bool previous = false, new_samples = false;
  EnsembleWanted wanted;
  TypedReport reports;
};

constexpr const char* about_reports =
    R"text(the checkpoints of this run hold nothing to draw, because it was begun without --report and --figures.
  Begin it anew with `taut run … --report --overwrite`, or plot its samples, which `taut export DIR --csv` prints.)text";

// Returns where the report goes: to what is typed now, or inside the folder. What a checkpoint says about
// other places is not believed, because it may come from somebody else, and a folder may be moved.
ReportWanted allowed(const ReportWanted& asked, const ReportWanted& typed, const std::string& folder) {
  ReportWanted wanted = asked;
  if (typed.page) {
    wanted.page = true;
    wanted.path = typed.path;
  } else if (asked.page && !asked.path.empty() && !is_inside(asked.path)) {
    wanted.path.clear();
    fmt::print(
        stderr,
        "taut: the run was begun with --report {}, which is outside of {}: the page goes into the folder "
        "unless --report is typed again.\n",
        shown(asked.path), folder);
  }
  if (!typed.figures.empty()) {
    wanted.figures = typed.figures;
  } else if (!asked.figures.empty() && !is_inside(asked.figures)) {
    wanted.figures.clear();
    fmt::print(stderr,
               "taut: the run was begun with --figures {}, which is outside of {}: there will be none unless "
               "--figures is typed again.\n",
               shown(asked.figures), folder);
  }
  return wanted;
}

int resume(const ResumeFlags& flags) {
  if (is_ensemble_folder(flags.folder)) {
    if (flags.reports.wanted())
      throw InputError("the folder of an ensemble has no page: `taut sweep … --out DIR --report` makes one.");
    return resume_ensemble(flags.folder, {flags.how.threads, flags.lanes, flags.device}, flags.wanted);
  }
  refuse_reductions(flags.wanted, flags.folder);
  if (is_sampling_folder(flags.folder))
    return resume_sampling(
        flags.folder, flags.how.threads,
        {.json = flags.wanted.json, .page = flags.reports.wanted_in(flags.folder, refuse_sampling_files)});
  FoundRun found = find_run(flags.folder, flags.previous);
  if (!found.note.empty()) fmt::print(stderr, "taut: {}\n", found.note);
  const Snapshot& from = found.checkpoint.snapshot;
  const std::optional<ReportWanted> typed = flags.reports.wanted_in(flags.folder, refuse_run_files);
  if (typed && !found.checkpoint.report) throw InputError(about_reports);
  if (from.status == RunStatus::finished && found.has_summary && !found.report_due && !typed) {
    fmt::print(stderr, "taut: the run in {} is finished: {} steps.\n", flags.folder, from.steps);
    if (flags.wanted.json) fmt::print("{}", text_of(*found.folder, summary_name));
    return finish_output();
  }
  change(found, flags.how);
  ReportWanted wanted;
  if (const auto& report = found.checkpoint.report) {
    wanted = allowed(report->wanted, typed.value_or(ReportWanted{}), flags.folder);
    check_wanted(wanted, flags.folder, found.run);
    if (typed) report->wanted = wanted;
  }
  Recording recording(found, flags.new_samples);
  CarriedOut how{.recording = &recording, .from = &from, .json = flags.wanted.json};
  const Schedule schedule = found.checkpoint.identity.schedule;
  RunRecord* record = nullptr;
  if (ReportSoFar* report = found.checkpoint.report.get()) {
    how.wanted = &wanted;
    how.report = report;
    record = &report->record;
    found.run.request.every = recording_interval(schedule);
    found.run.request.watch_multipliers = true;
  } else if (found.has_report) {
    fmt::print(stderr,
               "taut: {}/report.html is of the run as far as it was when the page was made, and stays as it "
               "is: the checkpoint holds no report to go on with.\n",
               flags.folder);
  }
  Watcher watcher(schedule, &recording, record);
  return carry_out(found.run, watcher, how);
}

}  // namespace

void add_resume(Program& program) {
  const auto flags = std::make_shared<ResumeFlags>();
  Option folder = required(place("DIR", flags->folder, "the --out of the run"));
  folder.files = Option::Files::folders;
  Command command{
      .name = "resume",
      .what = "Continue a run that was killed, stopped or failed, to the same bits",
      .examples = "  taut resume out/particle                         goes on after the last checkpoint\n",
      .options = {folder, flag("--previous", flags->previous, "from the checkpoint before the last"),
                  flag("--new-samples", flags->new_samples,
                       "put a damaged file of samples aside and begin a new one"),
                  checkpoint_option(flags->how.checkpoint_every, "seconds between checkpoints"),
                  on_failure_option(flags->how.halves, "of a step: stop or halve"),
                  on_jump_option(flags->how.warns),
                  threads_option(flags->how.threads, "that share a step; the bits do not depend on it"),
                  lanes_option(flags->lanes), device_option(flags->device),
                  choice("--backend", "B", flags->how.backend, "backend", written_backends,
                         in_words(written_backends, "or") +
                             ", even if the digits are others; default: the one of the run",
                         Backend::interpret)},
      .action = [flags] { return resume(*flags); }};
  add_reductions(command, flags->wanted);
  flags->reports.add(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
