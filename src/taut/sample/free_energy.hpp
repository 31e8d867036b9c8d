// The free energy along a coordinate ξ: ξ is held at one value after the other, and the mean force is
// averaged. Before that ξ is free: chains begin where those draws come near a value, and if chains that
// hold it never meet, such draws say what share each of their components has.
#pragma once

#include <taut/sample/sampling.hpp>

#include <functional>
#include <string>
#include <vector>

namespace taut {

// A coordinate that is given as a formula becomes the quantity of this name.
inline constexpr const char* held_name = "reaction_coordinate";
// Says whether the text is the name of a quantity of the model: then it needs no new one.
bool is_quantity(const Model& model, const std::string& text);
// The setting that makes a formula that quantity, and what is wrong with it in words of the option.
std::string held_setting(const std::string& formula);
ModelFileError in_words_of_coordinate(const ModelFileError& error);

struct FreeEnergyOptions {
  std::string coordinate;  // the name of a quantity of the model
  std::vector<double> values;
  TargetOptions target = {};
  SamplingOptions sampling = {};
  // There are as many draws with ξ free as at all values together, and a histogram of them; otherwise as
  // many as at one value.
  bool direct = true;
};

struct FreeEnergy {
  // dA/dξ, its standard error, and what one draw says of them: R-hat and the effective size are NaN if the
  // force is the same at all draws.
  std::vector<double> values, mean_force, error, rhat, ess;
  std::vector<double> profile, profile_error;  // A by a rule of fourth order, 0 at the first value
  // What the multiplier alone would say: ∇V·b in the ensemble of the constrained motion, without corrections.
  std::vector<double> uncorrected;
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

// A at each value: for neighbours the integral of the cubic through four values of dA/dξ about them, and of
// the parabola or the line if there are no more. `error` is that of the force, and independent from value
// to value.
struct Profile {
  std::vector<double> A, error;
};
Profile integrated(const std::vector<double>& values, const std::vector<double>& force,
                   const std::vector<double>& error);

std::string to_json(const FreeEnergy& result);
std::string to_text(const FreeEnergy& result, const std::string& coordinate);

}  // namespace taut
