#pragma once

#include <cstdint>

namespace taut {

// Returns value i of n from a to b, in even steps or in a geometric sequence. Both ends are exact. Values
// between them are computed with 113 bits and rounded once, and depend on nothing but these four numbers.
double evenly(double a, double b, std::int64_t i, std::int64_t n);
double geometrically(double a, double b, std::int64_t i, std::int64_t n);

}  // namespace taut
