// A method as C++ text. A unit that is compiled for one method is made of it, and a method spells itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct Spelling {
  std::vector<std::string> headers;  // below taut/method
  std::string type, value;  // may ask for the size of the problem, which is called P where they stand
};

// A method without parameters.
inline Spelling spelled(std::string_view header, std::string_view type) {
  return {{std::string(header)}, std::string(type), std::string(type).append("{}")};
}

// A method with one number, which is the member of that name.
inline Spelling spelled(std::string_view header, std::string_view type, std::string_view member, int number) {
  return {{std::string(header)},
          std::string(type),
          std::string(type).append("{.").append(member).append(" = ").append(std::to_string(number)) + "}"};
}

}  // namespace taut
