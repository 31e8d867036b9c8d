#pragma once

// Numbers of a JSON text with all their digits: parsers of JSON read doubles.

#include <taut/model/text/formula.hpp>

#include <string>
#include <vector>

namespace taut::test {

// Returns the numbers after "key":, one or a list of them, as they are written.
inline std::vector<std::string> digits_after(const std::string& json, const std::string& key) {
  const std::string quoted = "\"" + key + "\":";
  std::size_t at = json.find(quoted);
  if (at == std::string::npos) return {};
  at = json.find_first_not_of(" \n", at + quoted.size());
  const bool list = json[at] == '[';
  const std::string part = list ? json.substr(at + 1, json.find(']', at) - at - 1)
                                : json.substr(at, json.find_first_of(",}\n", at) - at);
  std::vector<std::string> numbers;
  for (std::size_t from = 0; from != std::string::npos;) {
    from = part.find_first_of("+-.0123456789", from);
    if (from == std::string::npos) break;
    const std::size_t end = part.find_first_not_of("+-.e0123456789", from);
    numbers.push_back(part.substr(from, end == std::string::npos ? end : end - from));
    from = end;
  }
  return numbers;
}

// Returns the difference of two decimals, taken with 113 bits.
inline double difference(const std::string& a, const std::string& b) {
  const auto x = decimal(a), y = decimal(b);
  return x && y ? static_cast<double>(*x - *y) : 1;
}

}  // namespace taut::test
