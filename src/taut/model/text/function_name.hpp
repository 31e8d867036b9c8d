#pragma once

#include <taut/model/text/formula.hpp>

namespace taut {

// Returns what formulas (and C) call a function of one or two arguments; nothing for operations that are
// not functions.
std::string_view function_name(Op op);

}  // namespace taut
