// The summary of an ensemble, for people and as JSON.
#pragma once

#include <taut/ensemble/ensemble.hpp>
#include <taut/ensemble/totals.hpp>

#include <string>

namespace taut {

struct EnsembleSummary {
  explicit EnsembleSummary(const Ensemble& e);

  std::string model, method;
  double step = 0;
  std::int64_t steps = 0;  // of each trajectory
  std::int64_t size = 0;
  std::uint64_t seed = 0;
  Backend backend = Backend::interpret;
  EnsembleTotals totals;
  double seconds = 0, busy = 1;
  int threads = 1;

  double steps_per_second() const {
    return seconds > 0 ? static_cast<double>(totals.steps()) / seconds : 0;
  }
};

std::string to_text(const EnsembleSummary& summary);
std::string to_json(const EnsembleSummary& summary);  // one object

}  // namespace taut
