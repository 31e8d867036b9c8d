#include <taut/store/run_files.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "carry_out.hpp"
#include "commands.hpp"
#include "origin.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

constexpr const char* run_notes = R"text(
PROBLEM is a name listed by `taut problems` or the path of a model file (docs/guide/model-file.md). The options replace what
its [run] says; where neither says it, the step is 0.01 and the run takes 10000 steps. The summary gives max |H - H0|, max |g| and max |G H_p| over every step, the
drift of the energy with its error bar (95 %), and the iterations of the constraint solve. --out keeps samples
(about a thousand, or one every K steps) as DIR/samples.csv or DIR/trajectory.taut, the summary as DIR/summary.json, and checkpoints
from which `taut resume DIR` continues a run that was killed, stopped (SIGINT, SIGTERM) or failed.)text";

int run(const TypedModel& typed, const TypedReport& reports, bool json, bool hash, bool overwrite) {
  if (json && hash) throw InputError("--json and --hash both say what is printed: leave one of them out.");
  const RunRequest request = typed.request();
  ModelRun model = read_model_run(typed.problem, request, typed.set);
  const std::string out = model.request.out;
  if (const auto useless = typed.useless_without_out(); out.empty() && !useless.empty())
    fmt::print(stderr, "taut: {} {} no effect without --out: nothing is kept.\n", fmt::join(useless, " and "),
               useless.size() == 1 ? "has" : "have");

  const Schedule schedule = schedule_of(model.request);
  CarriedOut how{.json = json, .hash = hash};
  const std::optional<ReportWanted> wanted = reports.wanted_in(out, refuse_run_files);
  std::shared_ptr<ReportSoFar> report;
  if (wanted) {
    check_wanted(*wanted, out, model);
    report =
        std::make_shared<ReportSoFar>(ReportSoFar{.wanted = *wanted, .command = origin_of_report().command});
    if (!schedule.varies) model.request.every = recording_interval(schedule);
    model.request.watch_multipliers = true;
    how.wanted = &*wanted;
    how.report = report.get();
  }
  std::optional<Recording> recording;
  if (!out.empty()) how.recording = &recording.emplace(model, schedule, overwrite, report);
  Watcher watcher(schedule, how.recording, report ? &report->record : nullptr);
  return carry_out(model, watcher, how);
}

}  // namespace

void add_run(Program& program) {
  const auto typed = std::make_shared<TypedModel>();
  const auto reports = std::make_shared<TypedReport>();
  const auto json = std::make_shared<bool>(false), hash = std::make_shared<bool>(false),
             overwrite = std::make_shared<bool>(false);
  Command command{
      .name = "run",
      .what = "Integrate a problem and say how well its geometry was kept",
      .examples =
          R"text(  taut run pendulum                                the defaults: a summary on standard output
  taut run pendulum --method yoshida6 --step 0.1 --until 1000
  taut run pendulum --set gravity=9.81 --set x=0.6 --set y=-0.8
  taut run pendulum --method rk4 --formulation dirac-weak --projection both
  taut run charged-particle --method 'yoshida4(midpoint)' --out out/particle
  taut run examples/four-bar.toml --set crank=0.8  a model written as formulas
  taut run heavy-top --json > top.json             one JSON object, full precision
  taut run double-pendulum --report                a page with plots and an animation: report.html
)text",
      .notes = run_notes,
      .action = [typed, reports, json, hash, overwrite] {
        return run(*typed, *reports, *json, *hash, *overwrite);
      }};
  typed->add_problem(command);
  typed->add_method(command);
  typed->add_length(command);
  typed->add_every(command);
  typed->add_set(command);
  typed->add_lambda(command);
  typed->add_local_error(command);
  typed->add_first_guess(command);
  typed->add_stop_rule(command);
  typed->add_error_tolerance(command);
  typed->add_step_function(command);
  typed->add_quantity(command);
  typed->add_events(command);
  typed->add_out(command);
  typed->add_keeping(command);
  command.add(flag("--overwrite", *overwrite, "begin anew in a folder that holds an unfinished run"));
  reports->add(command);
  command.add(flag("--json", *json, "print one JSON object instead of the summary"));
  command.add(
      flag("--hash", *hash, "print the SHA-256 of the last q and p (their bytes) instead of the summary"));
  typed->add_solve(command);
  typed->add_backend(command);
  typed->add_precision(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
