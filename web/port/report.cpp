// The report of runs side by side, the page that `taut compare --report` makes: its figures, tables and
// drawing are the program's.
#include <taut/capi/border.hpp>
#include <taut/capi/open_model.hpp>
#include <taut/report/computed.hpp>
#include <taut/report/cost.hpp>
#include <taut/report/run_report.hpp>

#include <chrono>
#include <sstream>

using namespace taut::capi;

namespace {

class Keeper final : public taut::RunObserver {
 public:
  taut::RunRecord record;

  void sample(double time, std::span<const double> q, std::span<const double> p, const taut::Reading& reading,
              std::span<const double> more) override {
    record.add(time, q, p, reading, more);
  }
  void progress(std::int64_t, std::int64_t) override {}
};

}  // namespace

namespace taut {

// In the place of report/cost.cpp: a page has no clock of its process alone.
TimedRun timed_run(const ModelRun& run) {
  SilentObserver nobody;
  const auto begin = std::chrono::steady_clock::now();
  TimedRun timed{.summary = run.run(nobody, "")};
  timed.cpu_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return timed;
}

}  // namespace taut

// Makes a run for each line of `options`, which is an object of JSON as runs take it.
extern "C" __attribute__((export_name("lab_report"))) int lab_report(taut_model* model, const char* options,
                                                                     const char* command, char** html) {
  return guarded([&] {
    need(model, "model");
    std::vector<taut::ModelRun> readings;
    std::vector<taut::RecordedRun> runs;
    std::istringstream lines(options);
    for (std::string line; std::getline(lines, line);) {
      taut::ModelRun run = *model->open->reading(read_options(line.c_str(), {}));
      const taut::Schedule schedule = schedule_of(run.request);
      if (!schedule.varies) run.request.every = taut::recording_interval(schedule);
      run.request.watch_multipliers = true;
      Keeper keeper;
      taut::RunSummary summary = run.run(keeper, "");
      runs.push_back({.name = taut::method_label(summary),
                      .summary = std::move(summary),
                      .record = std::move(keeper.record),
                      .quantities = taut::watched_names(run)});
      run.request.watch_multipliers = false;
      readings.push_back(std::move(run));
    }
    std::vector<std::string> names;
    std::vector<const taut::ModelRun*> of;
    std::vector<taut::RunSummary> summaries;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      names.push_back(runs[k].name);
      of.push_back(&readings[k]);
      summaries.push_back(runs[k].summary);
    }
    taut::Report report =
        taut::report_of_runs(taut::drawing_hints(readings.front().model), runs, taut::climb(readings, names));
    report.computed = taut::computed_by(of, summaries, {command, taut::date_of_report()});
    *html = handed_out(taut::to_html(report));
    return TAUT_OK;
  });
}
