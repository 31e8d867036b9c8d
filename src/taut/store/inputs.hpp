// The files that a run reads, which nothing that it writes may replace.
#pragma once

#include <taut/run/model_run.hpp>

namespace taut {

// Throws InputError if `path`, which was typed after `option`, is the model file or a file that the model
// names.
void refuse_inputs(const ModelRun& run, const std::string& path, std::string_view option);

// The same for one file that the user named; `what` says what it is.
void refuse_input(const std::string& input, std::string_view what, const std::string& path,
                  std::string_view option);

}  // namespace taut
