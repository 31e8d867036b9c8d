// The functions that a compiled object calls and cannot hold, because its text includes nothing. It has a
// pointer for each, which whoever loads the object sets to ours.
#pragma once

#include <taut/model/text/formula.hpp>

#include <span>
#include <string_view>

namespace taut {

struct OwnFunction {
  std::string_view symbol;  // the pointer in the object
  std::string_view type;    // the type of the pointer, as C++ with * in the place of its name
  void* address;            // ours
};

// sin and cos of one angle are found together, as the two lanes of one vector.
inline constexpr std::string_view pair_type = "double taut_pair __attribute__((vector_size(16)))";

std::span<const OwnFunction> own_functions();
const OwnFunction* own_function(Op op);  // nullptr for operations that the compiler knows, such as + and sqrt

}  // namespace taut
