// What a sampling came to, for people and for programs: moments, diagnostics, rejections by kind, warnings.
#pragma once

#include <taut/sample/components.hpp>
#include <taut/sample/diagnostics.hpp>
#include <taut/sample/sampling.hpp>

#include <string>
#include <vector>

namespace taut {

struct SamplingSummary {
  std::string model = {}, kernel = {}, measure = {};
  int chains = 0;
  std::int64_t draws = 0, warmup = 0, thin = 1;
  std::uint64_t seed = 0;
  std::vector<double> steps = {};  // the step size of each chain
  std::vector<std::vector<double>> metrics = {};
  double step = 0, accept = 0;  // means over chains and draws
  OutcomeCounts counts{};
  std::vector<std::string> names = {};  // coordinates and quantities
  std::vector<ColumnDiagnostics> of = {};
  std::int64_t every = 1;       // R-hat and effective sizes are those of one draw of so many
  ChainGroups components = {};  // chains that met; one group of all if nothing keeps them apart
  std::vector<double> bias = {}, bias_error = {};  // the means of g-baoab have it, if it was estimated
  std::vector<double> ebfmi = {};                  // one for each chain
  std::int64_t gradients = 0;                      // after warm-up
  double seconds = 0, draw_seconds = 0;            // wall-clock time; CPU time of all chains after warm-up
  std::string sha256 = {};
  std::vector<std::string> warnings = {};
  bool stopped = false;
};

// Limits of the diagnostics; beyond them a summary warns.
inline constexpr double most_rhat = 1.01, least_ess = 400, least_ebfmi = 0.3;

// Memory is bounded, however many draws there are: moments and the hash take all of them, and what needs a
// whole column at once looks at no more than so many of its draws.
SamplingSummary summarise(const Sampling& sampling, const SamplingResult& result,
                          std::int64_t most_diagnosed = 1 << 20);
std::string to_json(const SamplingSummary& summary);
std::string to_text(const SamplingSummary& summary);

}  // namespace taut
