// The summary of a run as a file, DIR/summary.json.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/contract/summary.hpp>

namespace taut {

// Complete or not at all; WriteError.
void write_summary(const std::string& folder, const RunSummary& summary);

}  // namespace taut
