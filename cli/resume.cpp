#include <taut/run/model_run.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "carry_out.hpp"
#include "commands.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

struct ResumeFlags {
  std::string folder;
  std::optional<double> checkpoint_every;  // as the run has it, if nothing was typed
  std::optional<bool> halves;
  int threads = 0;
  bool previous = false, new_samples = false, json = false;
};

int resume(const ResumeFlags& flags) {
  FoundRun found = find_run(flags.folder, flags.previous);
  if (!found.note.empty()) fmt::print(stderr, "taut: {}\n", found.note);
  const Snapshot& from = found.checkpoint.snapshot;
  if (from.status == RunStatus::finished && found.has_summary && !found.report_due) {
    fmt::print(stderr, "taut: the run in {} is finished: {} steps.\n", flags.folder, from.steps);
    if (flags.json) fmt::print("{}", text_of_file(flags.folder + "/summary.json"));
    return finish_output();
  }
  for (RunRequest* request : {&found.run.request, &found.run.asked}) {
    if (flags.checkpoint_every) request->checkpoint_every = *flags.checkpoint_every;
    if (flags.halves) request->halve_on_failure = *flags.halves;
    if (flags.threads > 0) request->threads = flags.threads;
  }
  Recording recording(found.run, found.checkpoint, flags.new_samples);
  CarriedOut how{.recording = &recording, .from = &from, .json = flags.json};
  const Schedule schedule = found.checkpoint.identity.schedule;
  RunRecord* record = nullptr;
  if (ReportSoFar* report = found.checkpoint.report.get()) {
    how.wanted = &report->wanted;
    how.record = record = &report->record;
    found.run.request.every = recording_interval(schedule);
  } else if (found.has_report) {
    fmt::print(stderr,
               "taut: {}/report.html is of the run as far as it was when the page was made, and stays as it "
               "is: the checkpoint holds no report to go on with.\n",
               flags.folder);
  }
  Watcher watcher(schedule, &recording, record);
  return carry_out(found.run, watcher, how);
}

constexpr const char* about_reports =
    R"text(a run that was begun with --report or --figures makes them by itself, at its end, of all of it. Leave the option out.
  The checkpoints of a run that was begun without them hold nothing to draw: begin it anew with `taut run … --report
  --overwrite`, or plot its samples, which `taut export DIR --csv` prints.)text";

}  // namespace

void add_resume(Program& program) {
  const auto flags = std::make_shared<ResumeFlags>();
  Option folder = required(place("DIR", flags->folder, "the --out of the run"));
  folder.files = Option::Files::folders;
  program.add(
      {.name = "resume",
       .what = "Continue a run that was killed, stopped or failed, to the same bits",
       .examples = "  taut resume out/particle                         goes on after the last checkpoint\n",
       .options = {folder, flag("--previous", flags->previous, "from the checkpoint before the last"),
                   flag("--new-samples", flags->new_samples,
                        "put a damaged file of samples aside and begin a new one"),
                   checkpoint_option(flags->checkpoint_every, "seconds between checkpoints"),
                   on_failure_option(flags->halves, "of a step: stop or halve"),
                   threads_option(flags->threads, "that share a step; the bits do not depend on it"),
                   flag("--json", flags->json, "print one JSON object instead of the summary")},
       .instead = {{"--report", about_reports}, {"--figures", about_reports}},
       .action = [flags] { return resume(*flags); }});
}

}  // namespace taut::cli
