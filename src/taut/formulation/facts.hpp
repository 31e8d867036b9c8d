// What is claimed of a formulation, in one row, as plain data. formulation.hpp says what a formulation is.
#pragma once

#include <array>
#include <string_view>

namespace taut {

// The numbers that make sense; others are refused.
enum class NumberRange { any, not_negative, positive };

// A number that people write in brackets behind the name of a formulation: baumgarte(5, 5).
struct FormulationNumber {
  std::string_view name = {};  // empty: there is none
  double usual = 0;            // if it is not written
  NumberRange range = NumberRange::any;
};

struct FormulationFacts {
  std::string_view name;
  std::string_view what;
  std::string_view hypothesis;
  std::string_view source;
  std::string_view theory;       // page under docs/theory/
  bool hamiltonian = false;      // also off M: a symplectic method is then symplectic on all of phase space
  bool keeps_residuals = false;  // g and G H_p are first integrals off M too
  bool exact = true;             // on M it has the solutions of the constrained equations
  bool constrained = false;      // it keeps λ as an unknown: for methods that solve such equations
  bool parametrised = false;     // it needs a parametrisation q = φ(δ), which the problem gives
  std::array<FormulationNumber, 2> numbers = {};
};

}  // namespace taut
