// Works on an ensemble as the command line does it: shown while it goes, kept in its folder if it has one,
// ended by a signal, its summary printed.
#pragma once

#include <taut/ensemble/ensemble_folder.hpp>
#include <taut/ensemble/run_ensemble.hpp>
#include <taut/ensemble/summary.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"

namespace taut::cli {

// What is wanted beside the trajectories.
struct EnsembleWanted {
  bool json = false;
  bool covariance = false;
  std::vector<double> quantiles = {};
  int bins = 0;  // a histogram has so many; 0: no histograms
};

// Adds the options of the summary: --json, --covariance, --quantile, --histogram.
void add_reductions(Command& command, EnsembleWanted& wanted);

// The part K of M equal parts of an ensemble.
struct Part {
  std::int64_t number = 1, of = 1;
};
Part part_of(const std::string& text);  // "2/8"; throws InputError

// Works on all units of the part that the folder lacks, and prints the summary. Returns the exit status.
int work_on(const Ensemble& ensemble, const EnsembleFolder* folder, const Part& part, int threads,
            const EnsembleWanted& wanted);

// Prints the summary of what a folder holds.
int describe_ensemble(const std::string& path, const EnsembleWanted& wanted);

}  // namespace taut::cli
