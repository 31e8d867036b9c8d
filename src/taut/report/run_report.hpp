// The report of one run, or of several runs of the same problem side by side.
#pragma once

#include <taut/report/drawing.hpp>
#include <taut/report/error_ladder.hpp>
#include <taut/store/run_record.hpp>

namespace taut {

struct RecordedRun {
  std::string name;  // the name of the method, for legends
  RunSummary summary;
  RunRecord record;
  double step_seconds = 0;                   // CPU time of a step; 0: not measured
  std::vector<std::string> quantities = {};  // the names of what the record keeps beside q and p
};

// Returns the names of the quantities that those who watch the run are given.
std::vector<std::string> watched_names(const ModelRun& run);

// Makes the report of `runs`, which began at the same state with the same step.
Report report_of_runs(const DrawingHints& hints, const std::vector<RecordedRun>& runs,
                      const ErrorLadder& ladder);

// The figures of H - H₀ and of the residuals over time.
Figure energy_figure(const std::vector<RecordedRun>& runs);
std::vector<Figure> residual_figures(const std::vector<RecordedRun>& runs);

// Returns the number of steps between the samples that a record is given: a divisor of the interval of the
// schedule, small enough that nothing between two samples is missed, unless the run has millions of steps.
std::int64_t recording_interval(const Schedule& schedule);

// Makes one row for each run: energy error, drift, residuals, error against the reference, cost.
Table comparison(const std::vector<RecordedRun>& runs, const ErrorLadder& ladder);

// Makes one row for each rung of the ladder.
Table ladder_table(const ErrorLadder& ladder);
// The CPU time and the gradients that each method needs for 2, 4, … digits, and its time as a multiple of the
// least.
Table work_table(const ErrorLadder& ladder);

// The words for how a run ended: "done", "unstable", "energy lost", or when it failed.
std::string result_of(const RunSummary& summary);
// Returns the error at the step of the run itself, if the ladder has it.
std::optional<double> error_at_step(const ErrorLadder& ladder, std::size_t k, double step);

// Returns "rk4 on dirac-weak" or "rattle", for example.
std::string method_label(const RunSummary& summary);

}  // namespace taut
