// A point (q, p) of phase space as plain numbers: what crosses the border of a compiled library.
#pragma once

#include <vector>

namespace taut {

struct PlainState {
  std::vector<double> q, p;
};

}  // namespace taut
