// The C++ spelling of a method by its name: what a unit that is compiled for one method is made of.
#pragma once

#include <taut/method/spelling.hpp>

#include <optional>

namespace taut {

struct MethodSource : Spelling {
  bool short_steps = false;  // compiled into the loop over steps, see machine_of.hpp
};

// By the name that people write; none if there is no such method.
std::optional<MethodSource> method_source(const std::string& name);

}  // namespace taut
