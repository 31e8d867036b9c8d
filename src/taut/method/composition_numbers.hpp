// The numbers of a composition of RATTLE, for units that have them in their text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace taut {

struct CompositionNumbers {
  std::vector<double> gamma;
  std::vector<std::vector<double>> weights;  // see impulse_guess.hpp
};

// Finds them by the name of a scheme of the table; gives nothing if it is no such name, or composes another
// base.
std::optional<CompositionNumbers> composition_numbers(const std::string& name);

}  // namespace taut
