#include <taut/mechanism/ode_choice.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "typed.hpp"
#include "watcher.hpp"

namespace taut::cli {

namespace {

// Splits at the commas outside brackets: a method may have some inside.
std::vector<std::string> split(const std::string& list) {
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
    throw InputError(
        fmt::format("--methods needs names with commas between, as in rattle,lobatto(3), not `{}`.", list));
  return parts;
}

// Makes the runs, each with the formulation and projection that were asked for, if it takes one.
std::vector<ModelRun> runs_of(const TypedModel& typed, const std::vector<std::string>& methods) {
  std::vector<ModelRun> runs;
  for (const std::string& method : methods) {
    RunRequest request = typed.request();
    request.method = method;
    if (!needs_formulation(method)) {
      request.formulation = request.projection = {};
      request.projection_tolerance.reset();
    }
    runs.push_back(read_model_run(typed.problem, request, typed.set));
    runs.back().request.every = recording_interval(schedule_of(runs.back().request));
    runs.back().request.out.clear();
  }
  return runs;
}

// Returns the width that a reader sees: bytes that continue a character take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
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

int compare(const TypedModel& typed, const TypedReport& reports, const std::string& methods) {
  const std::vector<ModelRun> runs = runs_of(typed, split(methods));
  const auto wanted = reports.wanted();
  if (wanted) check_wanted(*wanted, "", runs.front());
  std::vector<RecordedRun> done;
  std::vector<std::string> names;
  for (const ModelRun& run : runs) {
    RunRecord record;
    Watcher watcher(schedule_of(run.request), nullptr, &record);
    const RunSummary summary = run.run(watcher, "what `taut run` by this method puts out");
    watcher.clear();
    names.push_back(method_label(summary));
    done.push_back({names.back(), summary, std::move(record)});
  }
  const ErrorLadder ladder = climb(runs, names);
  const RunSummary& first = done.front().summary;
  fmt::print("{}, step {}, {} steps\n\n", harmless(first.model), first.step, first.wanted);
  print(comparison(done, ladder));
  fmt::print("\n{}\n", ladder.refusal.empty()
                           ? fmt::format("The error is that against {}, itself known to {:.0e}.",
                                         ladder.reference, std::max(ladder.doubt, 1e-16))
                           : fmt::format("There are no errors against a reference: {}.", ladder.refusal));
  if (wanted) write_wanted(*wanted, nullptr, report_of_runs(drawing_hints(runs.front().model), done, ladder));
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
  const auto typed = std::make_shared<TypedModel>();
  const auto reports = std::make_shared<TypedReport>();
  const auto methods = std::make_shared<std::string>();
  Command command{.name = "compare",
                  .what = "Integrate a problem by several methods, side by side",
                  .examples = "  taut compare pendulum --methods 'rattle,lobatto(3),bdf(2)' --report\n",
                  .action = [typed, reports, methods] { return compare(*typed, *reports, *methods); }};
  typed->add_problem(command);
  command.add(
      required(option("--methods", "LIST", *methods, "names listed by `taut methods`, with commas between")));
  typed->add_formulation(command);
  typed->add_length(command);
  typed->add_set(command);
  reports->add(command);
  typed->add_backend(command);
  typed->add_solve(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
