// The order of a composition, from its coefficients and the order of its base. Labels:
// docs/theory/composition.md.
//
// A symmetric base of order 2l is exp(h X₁ + h^{2l+1} X_{2l+1} + h^{2l+3} X_{2l+3} + …) with vector fields
// that satisfy no relation valid for every problem. A composition is a product of such exponentials, a series
// in words of these letters, and has order p if and only if the series agrees with exp(X₁) in all words of
// degree at most p: (Y5).
#pragma once

#include <taut/scalar/number.hpp>

#include <span>
#include <string>

namespace taut {

struct CompositionOrder {
  int order = 0;
  std::string word = {};  // the first condition of the next order that does not hold, as letters "1 1 3"
  double defect = 0;      // and by how much
};

inline constexpr int most_order = 14;  // conditions of higher orders are not looked at

// Returns the order over a symmetric base of even order. Coefficients count as satisfying a condition within
// `tolerance` of the sum of its terms' magnitudes; the usual one suits coefficients of at least 15 digits.
CompositionOrder composition_order(std::span<const Float128> gamma, int base_order, double tolerance = 1e-13);

}  // namespace taut
