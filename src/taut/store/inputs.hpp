// The files that a run reads, which nothing that it writes may replace.
#pragma once

#include <taut/run/model_run.hpp>

namespace taut {

// Throws InputError if `path`, which was typed after `option`, is the model file or a file that the model
// names.
void refuse_inputs(const ModelRun& run, const std::string& path, std::string_view option);

}  // namespace taut
