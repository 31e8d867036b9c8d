// Writes numbers with more digits than a double has.
#pragma once

#include <taut/contract/choices.hpp>
#include <taut/contract/wide.hpp>

#include <string>

namespace taut {

// Returns the shortest decimal that reads back as the same number of this precision: at most 17 digits for a
// double, 21 for a long double, 36 for a 128-bit float. A number that is not finite is inf, -inf or nan.
std::string text_of(const Wide& x, Precision precision);

}  // namespace taut
