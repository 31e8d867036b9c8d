#include <taut/ensemble/sweep.hpp>
#include <taut/report/computed.hpp>
#include <taut/store/inputs.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "commands.hpp"
#include "origin.hpp"
#include "sweep_report.hpp"
#include "typed_ensemble.hpp"
#include "watcher.hpp"

namespace taut::cli {

namespace {

constexpr const char* sweep_notes = R"text(
A sweep is an ensemble of which every trajectory is a row: the values that differ, max |H - H0|, max |g|, max |G H_p|, the steps that
were made, and how it ended. --report draws curves over one name, maps over two that form a grid, and where trajectories failed.
What varies is said as for `taut ensemble`, and the rows have the bits of its trajectories and of `taut run`.)text";

// All rows are kept in memory.
constexpr std::int64_t most_rows = 1'000'000;

struct SweepFlags {
  TypedEnsemble typed;
  TypedReport reports;
  bool json = false, csv = false;
};

std::string json_of(const Sweep& sweep, const EnsembleSummary& summary) {
  const EnsembleSummary::About& a = summary.about;
  return Json::object({{"model", a.model},
                       {"method", a.method},
                       {"step", a.step},
                       {"steps", a.steps},
                       {"size", a.size},
                       {"seed", a.seed},
                       {"failed", summary.totals.failed()},
                       {"sha256", summary.totals.sha256()},
                       {"backend", a.backend},
                       {"seconds", summary.seconds},
                       {"names", sweep.names},
                       {"rows", to_json(sweep)}})
      .to_text();
}

std::string text_of(const Sweep& sweep, const EnsembleSummary& summary) {
  const EnsembleSummary::About& a = summary.about;
  constexpr std::size_t most = 40;
  std::string text = fmt::format("{}, {}, step {}: {} sets of values, {} steps each, {} failed\n", a.model,
                                 a.method, a.step, a.size, a.steps, summary.totals.failed());
  return text + to_text(sweep, most);
}

int sweep(SweepFlags& flags) {
  if (flags.json && flags.csv) throw InputError("--json and --csv both want standard output: leave one out.");
  const Ensemble ensemble = flags.typed.made();
  if (ensemble.size() > most_rows)
    throw InputError(fmt::format(
        "a sweep has at most {} rows, and these are {}.\n  `taut ensemble --out DIR` keeps any number, and "
        "`taut export DIR --csv` prints them.",
        most_rows, ensemble.size()));
  const std::string out = flags.typed.model.request().out;
  const auto wanted = flags.reports.wanted_in(out, refuse_ensemble_files);
  if (wanted) {
    if (const auto& table = flags.typed.vary.table; table && wanted->page)
      refuse_input(table->name, "the table of the starts", wanted->page_path(out), "--report");
    check_wanted(*wanted, out, ensemble.run);
  }
  const std::optional<EnsembleFolder> folder = flags.typed.folder_of(ensemble);
  Sweep rows(ensemble);
  const Worked worked = get_done(ensemble, folder ? &*folder : nullptr, {}, flags.typed.layout, false, {},
                                 [&](const Unit& unit) { rows.add(unit); });
  if (worked.signal != 0) return 128 + worked.signal;
  explain_refusal(ensemble, worked.summary);
  if (wanted) {
    Report report = report_of_sweep(rows, worked.summary);
    RunSummary run;
    run.method = worked.summary.about.method;
    report.computed = computed_by({&ensemble.run}, {run}, origin_of_report());
    write_wanted(*wanted, folder ? &folder->folder() : nullptr, report);
  }
  printed([&] {
    if (flags.csv)
      fmt::print("{}", to_csv(rows));
    else if (flags.json)
      fmt::print("{}\n", json_of(rows, worked.summary));
    else
      fmt::print("{}", text_of(rows, worked.summary));
  });
  const int written = finish_output();
  return status_of(worked.summary, written);
}

}  // namespace

void add_sweep(Program& program) {
  const auto flags = std::make_shared<SweepFlags>();
  Command command{.name = "sweep",
                  .what = "Run a problem for many values of its parameters, and see what changes",
                  .examples = "  taut sweep pendulum --vary 'L = linspace(1, 2, 20)' --set x=L --report\n",
                  .notes = sweep_notes,
                  .action = [flags] { return sweep(*flags); }};
  TypedEnsemble& typed = flags->typed;
  typed.model.add_problem(command);
  typed.add_what_varies(command);
  typed.model.add_method(command);
  typed.model.add_length(command);
  typed.model.add_set(command);
  typed.model.add_quantity(command);
  typed.model.add_out(command);
  flags->reports.add(command);
  command.add(flag("--json", flags->json, "print one JSON object instead of the table"));
  command.add(flag("--csv", flags->csv, "print the rows as CSV instead"));
  typed.model.add_solve(command);
  typed.model.add_backend_alone(command);
  typed.add_work(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
