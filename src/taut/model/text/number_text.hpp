#pragma once

#include <taut/model/text/number_text.hpp>
#include <taut/scalar/number.hpp>

#include <string>

namespace taut {

// Writes a number inside a message, with six digits at most.
std::string number_text(Float128 x);

}  // namespace taut
