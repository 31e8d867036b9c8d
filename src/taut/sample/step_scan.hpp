// How single steps end against their size, from draws of a sampling: for the page.
#pragma once

#include <taut/sample/sampling.hpp>

#include <array>
#include <vector>

namespace taut {

struct StepScan {
  std::vector<double> steps;
  std::vector<double> accept;                 // the mean acceptance of one step
  std::array<std::vector<double>, 6> shares;  // by Outcome
};

// Makes single steps of sizes from an eighth of the adapted one to eight times it. Nothing of the sampling
// changes.
StepScan scan_steps(const Sampling& sampling, const SamplingResult& result);

}  // namespace taut
