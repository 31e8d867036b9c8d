// Numbers with more digits than a double, as plain values that cross the border of a compiled unit.
#pragma once

#include <vector>

namespace taut {

// The sum of three doubles, each the nearest to what the ones before it leave. It holds a long double or a
// 128-bit float exactly, as far as the range of doubles goes.
struct Wide {
  double high = 0, middle = 0, low = 0;
};

// A mesh point with all its digits.
struct WideState {
  Wide time = {}, energy = {};
  std::vector<Wide> q = {}, p = {};
  std::vector<Wide> lambda = {};      // empty if the constraints are dependent
  std::vector<Wide> quantities = {};  // the formulas of the model
};

}  // namespace taut
