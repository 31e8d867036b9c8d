// The summary of a run as a file, DIR/summary.json.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/contract/summary.hpp>
#include <taut/files/folder.hpp>

namespace taut {

// Writes the summary completely or not at all. Throws WriteError.
void write_summary(const Folder& folder, const RunSummary& summary);

}  // namespace taut
