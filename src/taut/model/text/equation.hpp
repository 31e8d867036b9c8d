// Parses a constraint, which may be written as an equation.
#pragma once

#include <taut/model/text/formula.hpp>

#include <string>

namespace taut {

// Parses a formula or `left = right`, which is the formula left - (right). All places are those of the text.
ParsedFormula parse_equation(std::string text, const std::string& what, const KnownVectors& known = {});

// Shows a constraint as an equation, whichever way it was written.
std::string equation_text(const Formula& constraint);

}  // namespace taut
