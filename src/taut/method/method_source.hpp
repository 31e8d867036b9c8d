// The C++ spelling of a method, by its name. A unit that is compiled for one method is made from it.
#pragma once

#include <taut/method/spelling.hpp>

#include <optional>

namespace taut {

struct MethodSource : Spelling {
  bool short_steps = false;  // compiled into the loop over steps, see machine_of.hpp
};

// Finds it by the name that people write; gives nothing if there is no such method.
std::optional<MethodSource> method_source(const std::string& name);

}  // namespace taut
