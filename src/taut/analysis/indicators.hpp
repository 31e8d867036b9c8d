// Indicators of chaos along a run: FLI, MEGNO, SALI and GALI(k), from deviation vectors that the derivative
// of the method's own map carries along. Labels: docs/theory/exponents.md.
#pragma once

#include <taut/analysis/discrete_map.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct IndicatorOptions {
  int vectors = 2;         // deviation vectors; GALI(k) needs k of them
  std::int64_t every = 5;  // steps between two renormalisations
  std::uint64_t seed = 1;  // belongs to the first directions
};

// The thresholds of the verdict: a mean MEGNO closer to 2 than the second is regular motion; otherwise a SALI
// below the first is chaos. SALI alone does not tell: on a periodic orbit it falls too, as a power of time.
inline constexpr double chaotic_sali = 1e-8;
inline constexpr double regular_megno = 0.1;

struct Indicators {
  std::string model, method;
  double time = 0;
  std::int64_t steps = 0;
  double fli = 0;                          // the largest log |w(t)| / |w(0)| so far
  double megno = 0;                        // its mean over time, 2 for regular motion
  double lyapunov = 0;                     // log |w(t)| / t
  double sali = 0;                         // the distance of two directions from being parallel
  std::vector<double> gali = {};           // GALI(2), GALI(3), … : volumes spanned by directions
  double feigned = 0;                      // growth in a block that errors of the differences may cause
  std::string verdict;                     // regular, chaotic, not yet or not resolved
  std::vector<std::string> warnings = {};  // why the motion may not be that of the model
  // The same along the run, at times that grow geometrically at the end of a long one.
  std::vector<double> t = {}, fli_at = {}, megno_at = {}, sali_at = {};
};

// Throws AnalysisError if a step fails, InputError if the options make no sense.
Indicators indicators_of(const ModelRun& run, const IndicatorOptions& options = {},
                         const Telling& telling = {}, const Keeping& keeping = {});

// The names by which a map asks for one: fli, megno, lyapunov, sali, gali2, gali3, …
double value_of(const Indicators& found, std::string_view name);
// Returns how many deviation vectors this one needs; 0 if there is none of that name.
int vectors_for(std::string_view name);

std::string to_json(const Indicators& indicators);

}  // namespace taut
