// A method as C++ text: the headers that have it, its type and its value. What a unit that is compiled for one method is made of; the names
// are ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace taut {

struct MethodSource {
  std::vector<std::string> headers;  // below taut/method
  std::string type, value;   // may ask for the size of the problem, which is called P where they stand
  int stages = 1;            // about how many times the work of one step of RATTLE
  bool short_steps = false;  // compiled into the loop over steps, see machine_of.hpp
};

// By the name that people write; none where there is no such method.
std::optional<MethodSource> method_source(const std::string& name);

}  // namespace taut
