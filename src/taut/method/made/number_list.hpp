// Numbers in the text of a method, and numbers for its messages.
#pragma once

#include <taut/scalar/quad_text.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

inline std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

inline std::string few_digits(Float128 x) {
  char digits[32];
  quadmath_snprintf(digits, sizeof digits, "%.15Qg", x);
  return digits;
}

// Reads numbers between commas. Returns why not if that fails; `what` names one of them.
inline std::optional<std::string> read_numbers(std::string_view text, const std::string& what,
                                               std::vector<Float128>& numbers) {
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string one(trimmed(text.substr(0, comma)));
    const auto value = quad_of_text(one);
    if (!value)
      return what + " is a number, not '" + one + "'; a model file takes formulas, in [methods.NAME]";
    numbers.push_back(*value);
    if (comma == std::string_view::npos) return std::nullopt;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace taut
