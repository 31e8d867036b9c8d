// The Lyapunov exponents of a run on T*M, from the derivative of the discrete map.
#pragma once

#include <taut/analysis/discrete_map.hpp>

#include <string>
#include <vector>

namespace taut {

struct Exponents {
  std::string model, method;
  std::vector<double> values = {};  // from the largest
  std::vector<double> errors = {};  // standard errors of the mean, from blocks of the run
  double pairing_defect =
      0;  // the largest |λ_i + λ_{2d+1-i}|; NaN if not all were asked for, or none need come in pairs
  double time = 0;
  std::int64_t steps = 0;
  bool forced = false;
  // Energy and time make two exponents zero in the limit; every further symmetry two more. What was found.
  std::string null_verdict = {};
  std::vector<std::string> warnings = {};  // why the motion may not be that of the model
  // The values up to some times on the way, at most a thousand: running[k] belongs to exponent k.
  std::vector<double> t = {};
  std::vector<std::vector<double>> running = {};

  // Asks whether an exponent is zero within three standard errors and what is left of 1/t.
  bool is_null(std::size_t k) const;
};

// `count` of them, or all if it is 0; a factorisation every `every` steps.
Exponents lyapunov_exponents(const ModelRun& run, int count, std::int64_t every, const Telling& telling = {},
                             const Keeping& keeping = {});

std::string to_json(const Exponents& exponents);

}  // namespace taut
