#include <taut/method/methods.hpp>
#include <taut/report/comparison.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "origin.hpp"
#include "text_width.hpp"
#include "typed.hpp"
#include "watcher.hpp"

namespace taut::cli {

namespace {

constexpr const char* compare_notes = R"text(
Every method makes the run from the same start with the same step; then each makes shorter runs with the steps of a ladder, whose
errors at one time give its order, and whose CPU times give its cost. µs a step is CPU time: the least of five measurements in
which the methods take turns. --report draws error against step and work against precision; --json and --csv print their numbers.
  taut compare pendulum --methods rattle,yoshida4 --steps-ladder 0.2,0.1,0.05,0.025 --ladder-time 10 --csv)text";

// Splits at the commas outside brackets: a method may have some inside. A refusal begins with `needs`.
std::vector<std::string> split(const std::string& list, std::string_view needs, std::string_view example) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  if (std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); }))
    throw InputError(fmt::format("{} with commas between, as in {}, not `{}`.", needs, example, list));
  return parts;
}

// Makes the runs, each with the formulation, projection and tolerance that were asked for, if it takes one.
std::vector<ModelRun> runs_of(const TypedModel& typed, const std::vector<std::string>& methods) {
  std::vector<ModelRun> runs;
  for (const std::string& method : methods) {
    const RunRequest request = request_for_method(typed.request(), method);
    runs.push_back(read_model_run(typed.problem, request, typed.set));
    drop_useless_tolerance(runs.back().request, method);
    const Schedule schedule = schedule_of(runs.back().request);
    if (!schedule.varies) runs.back().request.every = recording_interval(schedule);
    runs.back().request.out.clear();
    runs.back().request.watch_multipliers = true;
  }
  return runs;
}

void print(const Table& table) {
  std::vector<std::size_t> wide;
  for (const std::string& name : table.columns) wide.push_back(width(name));
  for (const auto& row : table.rows)
    for (std::size_t k = 0; k < row.size(); ++k) wide[k] = std::max(wide[k], width(row[k].text));
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (std::size_t k = 0; k < wide.size(); ++k)
      text += text_of(k) + std::string(wide[k] - width(text_of(k)) + 2, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  };
  line([&](std::size_t k) { return table.columns[k]; });
  for (const auto& row : table.rows) line([&](std::size_t k) { return row[k].text; });
}

Report report_of(const std::vector<ModelRun>& runs, const std::vector<RecordedRun>& done,
                 const ErrorLadder& ladder) {
  Report report = report_of_runs(drawing_hints(runs.front().model), done, ladder);
  std::vector<const ModelRun*> models;
  std::vector<RunSummary> summaries;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    models.push_back(&runs[k]);
    summaries.push_back(done[k].summary);
  }
  report.computed = computed_by(models, summaries, origin_of_report());
  return report;
}

struct CompareFlags {
  TypedModel typed;
  TypedReport reports;
  std::string methods;
  std::string ladder;  // steps, with commas between
  std::optional<double> ladder_time;
  bool work_precision = false;
  bool json = false, csv = false;
};

LadderRequest ladder_of(const CompareFlags& flags) {
  LadderRequest asked{.steps = {}, .time = flags.ladder_time, .wide = flags.work_precision};
  if (flags.ladder.empty()) return asked;
  for (const std::string& text : split(flags.ladder, "--steps-ladder needs steps", "0.1,0.05,0.025")) {
    asked.steps.push_back(number_of(text, "--steps-ladder"));
    if (asked.steps.back() == 0) throw InputError("--steps-ladder: a step of 0 leads nowhere.");
  }
  return asked;
}

// Prints the ladder, one rung a line: what the plots of order and of work against precision show.
void print_csv(const ErrorLadder& ladder) {
  fmt::print("method,step,steps,error,cpu_seconds,gradients\n");
  for (const ErrorLadder::Method& method : ladder.methods)
    for (const Rung& rung : method.rungs)
      fmt::print("\"{}\",{},{},{},{},{}\n", method.name, rung.h, rung.steps, rung.error, rung.seconds,
                 rung.gradients);
}

void print_text(const std::vector<RecordedRun>& done, const ErrorLadder& ladder, bool chosen, bool work) {
  const RunSummary& first = done.front().summary;
  fmt::print("{}, step {}, {} steps\n\n", harmless(first.model), first.step, first.wanted);
  print(comparison(done, ladder));
  if (chosen && ladder.refusal.empty()) {
    fmt::print("\n");
    print(ladder_table(ladder));
  }
  if (work && ladder.refusal.empty()) {
    fmt::print("\n");
    print(work_table(ladder));
  }
  fmt::print("\n{}\n", ladder.refusal.empty()
                           ? fmt::format("The error is that against {}, itself known to {:.0e}.",
                                         ladder.reference, ladder.known_to)
                           : fmt::format("There are no errors against a reference: {}.", ladder.refusal));
}

int compare(const CompareFlags& flags) {
  const LadderRequest asked = ladder_of(flags);
  if (flags.json && flags.csv)
    throw InputError("--json and --csv are both given; standard output takes one of them.");
  const std::vector<ModelRun> runs =
      runs_of(flags.typed, split(flags.methods, "--methods needs names", "rattle,lobatto(3)"));
  for (const ModelRun& run : runs) run.check_precision();
  check_ladder(asked, runs.front());
  const auto wanted = flags.reports.wanted();
  if (wanted) check_wanted(*wanted, "", runs.front());
  std::vector<RecordedRun> done;
  std::vector<std::string> names;
  for (const ModelRun& run : runs) {
    RunRecord record;
    Watcher watcher(schedule_of(run.request), nullptr, &record);
    const RunSummary summary = run.run(watcher, "what `taut run` by this method puts out");
    watcher.clear();
    names.push_back(method_label(summary));
    done.push_back({names.back(), summary, std::move(record), 0, watched_names(run)});
  }
  add_costs(runs, done);
  const ErrorLadder ladder = climb(runs, names, asked);
  if (flags.json)
    fmt::print("{}\n", comparison_as_json(done, ladder).to_text(2));
  else if (flags.csv)
    print_csv(ladder);
  else
    print_text(done, ladder, !asked.steps.empty(), flags.work_precision);
  if (wanted) write_wanted(*wanted, nullptr, report_of(runs, done, ladder));
  const int written = finish_output();
  int status = written;
  for (const RecordedRun& run : done) {
    if (run.summary.error.empty()) continue;
    fmt::print(stderr, "taut: {}\n", harmless_lines(run.summary.error));
    status = 1;
  }
  return status;
}

}  // namespace

void add_compare(Program& program) {
  const auto flags = std::make_shared<CompareFlags>();
  Command command{.name = "compare",
                  .what = "Integrate a problem by several methods, side by side",
                  .examples = "  taut compare pendulum --methods 'rattle,lobatto(3),bdf(2)' --report\n",
                  .notes = compare_notes,
                  .action = [flags] { return compare(*flags); }};
  flags->typed.add_problem(command);
  Option methods = required(
      option("--methods", "LIST", flags->methods, "names listed by `taut methods`, with commas between"));
  methods.words = method_names;
  methods.list = true;
  command.add(std::move(methods));
  flags->typed.add_formulation(command);
  flags->typed.add_length(command);
  flags->typed.add_set(command);
  flags->typed.add_lambda(command);
  flags->typed.add_quantity(command);
  command.add(option("--steps-ladder", "LIST", flags->ladder,
                     "steps for the errors against a reference; default: h, h/2, … h/32"));
  command.add(option("--ladder-time", "T", flags->ladder_time,
                     "time at which these errors are taken; default: at most 200 steps of h"));
  command.add(flag(
      "--work-precision", flags->work_precision,
      "steps from 2h to h/512, and the CPU time and gradients that each method needs for 2, 4, … digits"));
  command.add(flag("--json", flags->json, "print one JSON object: every run, and its errors and CPU times"));
  command.add(flag("--csv", flags->csv, "print a table of the errors and CPU times"));
  flags->reports.add(command);
  flags->typed.add_backend(command);
  flags->typed.add_solve(command);
  flags->typed.add_precision(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
