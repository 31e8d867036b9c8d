// What is claimed of a formulation, in one row, as plain data. formulation.hpp says what a formulation is.
#pragma once

#include <string_view>

namespace taut {

struct FormulationFacts {
  std::string_view name;
  std::string_view what;
  std::string_view hypothesis;
  std::string_view source;
  std::string_view theory;       // page under docs/theory/
  bool hamiltonian = false;      // also off M: a symplectic method is then symplectic on all of phase space
  bool keeps_residuals = false;  // g and G H_p are first integrals off M too
};

}  // namespace taut
