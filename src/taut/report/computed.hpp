// Says what was computed: the equations of a model, its parameters and start, and how it was integrated.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/report/report.hpp>
#include <taut/run/model_run.hpp>

namespace taut {

// Who made the report, and when; only the caller knows it.
struct Origin {
  std::string command;  // as it is typed to a shell
  std::string date;
};

// Returns the time now, or that of SOURCE_DATE_EPOCH, so that two pages of the same run can be compared.
// Throws InputError if that variable is not a number of seconds.
std::string date_of_report();

// `runs` are runs of one problem by several methods, `summaries` are theirs.
Computed computed_by(const std::vector<const ModelRun*>& runs, const std::vector<RunSummary>& summaries,
                     const Origin& origin);

}  // namespace taut
