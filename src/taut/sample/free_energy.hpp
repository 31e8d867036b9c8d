// The free energy along a coordinate ξ: ξ is held at one value after the other, and the mean force is
// averaged.
#pragma once

#include <taut/sample/sampling.hpp>

#include <functional>
#include <string>
#include <vector>

namespace taut {

struct FreeEnergyOptions {
  std::string coordinate;  // the name of a quantity of the model
  std::vector<double> values;
  TargetOptions target = {};
  SamplingOptions sampling = {};
};

struct FreeEnergy {
  std::vector<double> values, mean_force, error;  // dA/dξ and its standard error
  std::vector<double> profile, profile_error;     // A by the trapezoidal rule, 0 at the first value
  // What the multiplier alone would say: ∇V·b in the ensemble of the constrained motion, without corrections.
  std::vector<double> uncorrected;
  std::vector<double> rhat, ess;
  // A from a histogram of draws in which ξ is free, 0 at the first value; NaN where no draw came. The lists
  // are empty if this was not asked for or is not possible, and `direct_note` says why.
  std::vector<double> direct, direct_error;
  std::string direct_note;
  std::vector<std::string> warnings;
  double seconds = 0, kT = 1;
  bool stopped = false;
};

// Throws InputError if ξ does not fit the model, or a value cannot be reached.
FreeEnergy free_energy(const ModelRun& run, const FreeEnergyOptions& options, int threads,
                       const SamplingObserver& observer);

// Samples the model itself, without holding ξ, and fills result.direct: as many draws as all values had
// together. The bins lie about the values, a quarter of the shortest distance wide. Errors are those of
// batches of draws.
void add_direct(const ModelRun& run, const FreeEnergyOptions& options, int threads,
                const SamplingObserver& observer, FreeEnergy& result);

std::string to_json(const FreeEnergy& result);
std::string to_text(const FreeEnergy& result, const std::string& coordinate);

}  // namespace taut
