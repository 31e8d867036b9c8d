// The cost of a step: CPU time, measured so that it does not depend on what else was measured before it.
#pragma once

#include <taut/run/model_run.hpp>

#include <vector>

namespace taut {

struct TimedRun {
  RunSummary summary;
  double cpu_seconds =
      0;  // The time of all threads from the first step to the last, without reading and compiling.
};

TimedRun timed_run(const ModelRun& run);

// Returns the CPU seconds of a step for each run. All of them take turns: a first round warms up, and the
// least of several others counts, because what disturbs a measurement only makes it longer. A run that made
// no step costs 0.
std::vector<double> costs_of_steps(const std::vector<ModelRun>& runs, const std::vector<RunSummary>& made);

}  // namespace taut
