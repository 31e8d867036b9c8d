// The summary of an ensemble, for people and as JSON.
#pragma once

#include <taut/ensemble/ensemble.hpp>
#include <taut/ensemble/reductions.hpp>
#include <taut/ensemble/totals.hpp>

#include <optional>
#include <string>
#include <vector>

namespace taut {

// Quantiles and a histogram of one column.
struct ColumnSpread {
  std::string name;
  std::vector<double> quantiles = {};
  std::optional<Histogram> histogram = {};
};

struct EnsembleSummary {
  // What an ensemble is, from the ensemble or from the manifest of its folder.
  struct About {
    std::string model, method;
    double step = 0;
    std::int64_t steps = 0;  // those of each trajectory
    std::int64_t size = 0, unit = unit_size;
    std::uint64_t seed = 0;
    int coordinates = 0;
    std::string backend;
    std::vector<std::string> columns;
    std::string device = {};  // in words; empty: the processor alone
  };
  EnsembleSummary(About what, bool covariance);

  void add(const Unit& unit);
  void leave_out(std::int64_t unit) { moments.leave_out(unit); }  // it will not come
  // Fills in quantiles and histograms of all columns, for which the units are gone through again.
  void spread(const EachUnit& units, const std::vector<double>& probabilities, int bins);

  About about;
  EnsembleTotals totals;
  MomentTree moments;
  std::vector<double> probabilities = {};
  std::vector<ColumnSpread> spreads = {};
  double seconds = 0, busy = 0;
  int threads = 0;                                 // 0: nothing was computed
  int processes = 1;                               // with so many threads each
  std::int64_t steps_made = 0;                     // in these seconds
  std::int64_t device_steps = 0, handed_back = 0;  // made by the device; left by it to the processor
  double device_seconds = 0;                       // in which it made them
  std::int64_t messages = 0, message_bytes = 0;    // between the processes
};

EnsembleSummary::About about(const Ensemble& ensemble);

std::string to_text(const EnsembleSummary& summary);
std::string to_json(const EnsembleSummary& summary);  // one object

}  // namespace taut
