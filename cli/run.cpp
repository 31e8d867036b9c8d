#include <taut/run/files.hpp>
#include <taut/run/model_run.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdio>

#include "commands.hpp"
#include "typed.hpp"
#include "watcher.hpp"

namespace taut::cli {

namespace {

// 2000000 as "2 000 000".
std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ' ');
  return digits;
}

std::string vector_text(const std::vector<double>& x, std::string_view format) {
  std::string text;
  for (const double value : x) text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(format), value);
  return "(" + text + ")";
}

void print_summary(const RunSummary& s) {
  fmt::print("{}, {}, step {}: {} step{} to t = {:.10g} in {:.2f} s ({:.2g} steps/s)\n", s.model,
             s.formulation.empty() ? s.method : s.method + " on " + s.formulation, s.step, grouped(s.steps),
             s.steps == 1 ? "" : "s", s.time, s.seconds, s.steps_per_second());
  if (s.moved)
    fmt::print("  start     moved onto the manifold: q by {:.1e}, p by {:.1e}\n", s.moved->q, s.moved->p);
  fmt::print("  energy    H = {:.6g} at the start, max |H - H0| = {:.1e}\n", s.energy_initial,
             s.energy_error);
  if (s.trend)
    fmt::print("  drift     {:.1e} ± {:.1e} over the run ({})\n", s.trend->total, s.trend->error,
               s.trend->beyond_its_error() ? "beyond its error bar" : "none beyond its error bar");
  fmt::print("  residual  max |g| = {:.1e}, max |G H_p| = {:.1e}\n", s.position_max, s.momentum_max);
  fmt::print("  solve     {:.2f} iterations a step, {} at most\n", s.iterations_mean, s.iterations_max);
  if (!s.projection.empty() && s.projection != "none")
    fmt::print("  projected position {}, momentum {} times\n", grouped(s.position_projections),
               grouped(s.momentum_projections));
  // A failed run hands its last good state over to the last digit.
  const bool failed = !s.error.empty();
  if (failed || s.q.size() <= 4) {
    const std::string_view format = failed ? "{}" : "{:.10g}";
    fmt::print("  state     q = {}\n            p = {}\n", vector_text(s.q, format),
               vector_text(s.p, format));
    if (!s.lambda.empty()) fmt::print("            lambda = {}\n", vector_text(s.lambda, format));
  }
}

constexpr const char* notes = R"text(
PROBLEM is a name listed by `taut problems` or the path of a model file (docs/guide/model-file.md). The options replace what
its [run] says; where neither says it, the step is 0.01 and the run takes 10000 steps. The summary gives max |H - H0|, max |g| and max |G H_p| over every step, the
drift of the energy with its error bar (95 %), and the iterations of the constraint solve. --out keeps samples
(about a thousand, or one every K steps) as DIR/samples.csv, and the summary as DIR/summary.json.)text";

int run(const TypedModel& typed, const TypedReport& reports, bool json) {
  const RunRequest request = typed.request();
  ModelRun model = read_model_run(typed.problem, request, typed.set);
  const std::string out = model.request.out;
  if (request.every > 0 && out.empty()) fmt::print(stderr, "taut: --every has no effect without --out.\n");

  const std::string last_good = !out.empty() ? "in " + out + "/summary.json"
                                : json       ? "in the JSON object on standard output"
                                             : "on standard output";
  const Schedule schedule = schedule_of(model.request);
  std::optional<RunRecord> record;
  if (reports.wanted()) {
    record.emplace();
    model.request.every = recording_interval(schedule);
  }
  Watcher watcher(out, model.columns(), schedule, record ? &*record : nullptr);
  RunSummary summary = model.run(watcher, last_good);
  const auto write = [&summary](const auto& file) {
    try {
      file();
    } catch (const WriteError& error) {
      if (summary.error.empty()) summary.error = error.what();
    }
  };
  write([&] { watcher.close(); });
  if (!out.empty()) write([&] { write_summary(out, summary); });
  if (record) {
    const std::vector<RecordedRun> runs = {{method_label(summary), summary, std::move(*record)}};
    const Report report =
        report_of_runs(drawing_hints(model.model), runs, climb({model}, {runs.front().name}));
    write([&] { reports.write(out, report); });
  }
  if (json)
    fmt::print("{}\n", to_json(summary));
  else
    print_summary(summary);
  const int written = finish_output();
  if (summary.error.empty()) return written;
  fmt::print(stderr, "taut: {}\n", summary.error);
  return 1;
}

}  // namespace

void add_run(Program& program) {
  CLI::App* command = program.command(
      "run", "Integrate a problem and say how well its geometry was kept",
      R"text(  taut run pendulum                                the defaults: a summary on standard output
  taut run pendulum --method yoshida6 --step 0.1 --until 1000
  taut run pendulum --set gravity=9.81 --set x=0.6 --set y=-0.8
  taut run pendulum --method rk4 --formulation dirac-weak --projection both
  taut run charged-particle --method 'yoshida4(midpoint)' --out out/particle
  taut run examples/four-bar.toml --set crank=0.8  a model written as formulas
  taut run heavy-top --json > top.json             one JSON object, full precision
  taut run double-pendulum --report                a page with plots and an animation: report.html
)text");
  const auto typed = std::make_shared<TypedModel>();
  const auto reports = std::make_shared<TypedReport>();
  const auto json = std::make_shared<bool>(false);
  typed->add_problem(*command);
  typed->add_method(*command);
  typed->add_length(*command);
  typed->add_every(*command);
  typed->add_set(*command);
  typed->add_out(*command);
  reports->add(*command);
  command->add_flag("--json", *json, "print one JSON object instead of the summary");
  typed->add_solve(*command);
  typed->add_backend(*command);
  command->footer(notes);
  program.actions[command] = [typed, reports, json] { return run(*typed, *reports, *json); };
}

}  // namespace taut::cli
