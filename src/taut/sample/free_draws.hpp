// Draws of the model itself, in which the coordinate of a free energy is free: how often each of its values
// comes, and which points lie near a value.
#pragma once

#include <taut/sample/sampling.hpp>

#include <string>
#include <vector>

namespace taut {

struct FreeDraw {
  double distance = 0;  // Its value of the coordinate is so far from the one that is looked at.
  std::vector<double> q;
};

struct FreeDraws {
  bool stopped = false;
  std::string missing = {};  // a sentence that says why there are none
  // A from a histogram, 0 at the first value that was reached; NaN where no draw came. Empty if the draws are
  // too few.
  std::vector<double> profile = {}, error = {};
  std::size_t first_reached = 0;  // the first value near which there was a draw: A counts from there
  std::vector<std::vector<std::vector<FreeDraw>>> near = {};  // for each value and chain the nearest draws
};

// Draws as `options` say; `coordinate` is a quantity of the model. The bins of the histogram lie about the
// values, a quarter of the shortest distance wide. Errors are those of batches of draws.
FreeDraws draw_freely(const ModelRun& run, const std::string& coordinate, const std::vector<double>& values,
                      const TargetOptions& target, const SamplingOptions& options, int threads,
                      const SamplingObserver& observer);

}  // namespace taut
