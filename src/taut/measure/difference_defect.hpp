// What symplectic_defect_by_differences.hpp measures, as plain data.
#pragma once

#include <limits>

namespace taut {

struct DifferenceDefect {
  double defect = 0;  // max |ω(Φ'ξ, Φ'η) - ω(ξ, η)| / max(|ξ||η|, |Φ'ξ||Φ'η|), as form_change gives it
  double noise = std::numeric_limits<double>::infinity();  // what the differences may contribute to it
};

}  // namespace taut
