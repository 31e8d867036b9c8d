#pragma once

#include <taut/model/text/formula.hpp>

namespace taut {

// What formulas (and C) call a function of one or two arguments; empty for operations that are no function.
std::string_view function_name(Op op);

}  // namespace taut
