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
};

// Makes the report of `runs`, which began at the same state with the same step.
Report report_of_runs(const DrawingHints& hints, const std::vector<RecordedRun>& runs,
                      const ErrorLadder& ladder);

// Returns the number of steps between the samples that a record is given: a divisor of the interval of the
// schedule, small enough that nothing between two samples is missed, unless the run has millions of steps.
std::int64_t recording_interval(const Schedule& schedule);

// Makes one row for each run: energy error, drift, residuals, error against the reference, cost.
Table comparison(const std::vector<RecordedRun>& runs, const ErrorLadder& ladder);

// Returns "rk4 on dirac-weak" or "rattle", for example.
std::string method_label(const RunSummary& summary);

}  // namespace taut
