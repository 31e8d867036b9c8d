// Says on which coordinates each output of a program depends. What depends on few of them has a sparse
// derivative.
#pragma once

#include <taut/model/code/program.hpp>

#include <vector>

namespace taut {

// Returns, for each output, the coordinates q_j that occur in it, sorted. What occurs and cancels counts.
std::vector<std::vector<int>> coordinates_in(const Program& program);

}  // namespace taut
