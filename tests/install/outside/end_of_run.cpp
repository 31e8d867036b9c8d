#include "end_of_run.hpp"

#include <taut/run/model_run.hpp>

End end_of_run(const std::string& text) {
  const taut::ModelRun run = taut::model_run(text, "outside.toml");
  taut::SilentObserver nobody;
  const taut::RunSummary summary = run.run(nobody, "");
  // The state goes through vectors of Eigen, across the border between this program and the library.
  const taut::PlainState start = run.mechanism->start();
  if (start.q.size() != 2) return {};
  return {summary.q.at(0), summary.q.at(1), summary.energy_error, summary.position_max};
}
