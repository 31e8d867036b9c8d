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
  double seconds = 0, kT = 1;
  bool stopped = false;
};

// Throws InputError if ξ does not fit the model, or a value cannot be reached.
FreeEnergy free_energy(const ModelRun& run, const FreeEnergyOptions& options, int threads,
                       const SamplingObserver& observer);

std::string to_json(const FreeEnergy& result);
std::string to_text(const FreeEnergy& result, const std::string& coordinate);

}  // namespace taut
