// Tableaus of one's own, by their text:
//     tableau(c; b; A)             a pair for lobatto's equations; Â is the partner of A (Theorem 2.2)
//     tableau(c; b; A; A_hat)      the same with Â given
//     dirac-tableau(c; b; A)       a symplectic Runge-Kutta method in Reich's (34)
// with plain numbers between commas, the matrices row by row. `name=tableau(…)` says what people call it.
// Labels: docs/theory/tableau.md.
#pragma once

#include <taut/method/tableau.hpp>

#include <string>
#include <string_view>

namespace taut {

struct OwnTableau {
  Tableau<Float128> t = {};
  bool on_dirac = false;  // for Reich's (34)
  int order = 0;
  std::string name = {};     // what people call it
  std::string text = {};     // what it is, without a name that a user chose
  std::string why_not = {};  // why it is refused; empty if it is not
};

bool is_tableau_text(std::string_view text);

// Returns the tableau of that text; it lives as long as the program.
const OwnTableau& own_tableau(std::string_view text);

}  // namespace taut
