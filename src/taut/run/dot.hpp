// The scalar product of two lists of numbers, summed in the order of their places.
#pragma once

#include <numeric>
#include <vector>

namespace taut {

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace taut
