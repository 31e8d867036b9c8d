// What order.hpp measures, as plain data.
#pragma once

#include <vector>

namespace taut {

struct OrderFit {
  double order = 0;           // slope over all step sizes
  double last = 0;            // slope between the two smallest
  double error = 0;           // one standard error of `order`
  std::vector<double> sizes;  // the size of the error for each number of steps
};

}  // namespace taut
