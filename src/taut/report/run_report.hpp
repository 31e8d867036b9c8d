// The report of one run, or of several runs of the same problem side by side.
#pragma once

#include <taut/report/drawing.hpp>
#include <taut/report/error_ladder.hpp>
#include <taut/store/run_record.hpp>

namespace taut {

struct RecordedRun {
  std::string name;  // of the method, for legends
  RunSummary summary;
  RunRecord record;
};

// `runs` began at the same state with the same step.
Report report_of_runs(const DrawingHints& hints, const std::vector<RecordedRun>& runs,
                      const ErrorLadder& ladder);

// Steps between the samples that a record is given: a divisor of the interval of the schedule, small enough that nothing between two
// samples is missed, unless the run has millions of steps.
std::int64_t recording_interval(const Schedule& schedule);

// One row for each run: energy error, drift, residuals, error against the reference, cost.
Table comparison(const std::vector<RecordedRun>& runs, const ErrorLadder& ladder);

// "rk4 on dirac-weak", "rattle".
std::string method_label(const RunSummary& summary);

}  // namespace taut
