// Formulas as LaTeX, for people who read them in a notebook.
#pragma once

#include <taut/model/text/formula.hpp>

#include <string>

namespace taut {

// Writes a formula as it was parsed: quotients become fractions, `theta` a Greek letter, and `p_x` has a
// subscript.
std::string to_latex(const Formula& formula);

// Writes a name.
std::string name_to_latex(std::string_view name);

}  // namespace taut
