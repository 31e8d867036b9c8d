// Several methods on one problem, side by side, as JSON.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/report/run_report.hpp>

#include <vector>

namespace taut {

// Measures what a step of each run costs, in turns.
void add_costs(const std::vector<ModelRun>& runs, std::vector<RecordedRun>& done);

// Returns one object with every run, its errors and its CPU times.
Json comparison_as_json(const std::vector<RecordedRun>& done, const ErrorLadder& ladder);

}  // namespace taut
