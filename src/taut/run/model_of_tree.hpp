// Makes runs of one model with other values again and again, without reading its file again.
#pragma once

#include <taut/model/text/tree.hpp>
#include <taut/run/model_run.hpp>

namespace taut {

// Makes the run that model_run makes of the file of this tree.
ModelRun model_run(const SourceTree& tree, const RunRequest& request, const std::vector<std::string>& set,
                   const Surroundings& around);

}  // namespace taut
