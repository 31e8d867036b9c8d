// 128-bit floats as text that reads back as the same number: coefficients that cross a border as text.
#pragma once

#include <taut/scalar/number.hpp>

#include <cstddef>
#include <optional>
#include <string>

// clang has no quadmath.h.
extern "C" {
__extension__ __float128 strtoflt128(const char*, char**) noexcept;
int quadmath_snprintf(char*, std::size_t, const char*, ...) noexcept;
}

namespace taut {

inline std::string quad_text(Float128 x) {
  char digits[64];
  for (const char* format : {"%.17Qg", "%.36Qg"}) {  // short if that says it all
    quadmath_snprintf(digits, sizeof digits, format, x);
    if (strtoflt128(digits, nullptr) == x) break;
  }
  return digits;
}

// Reads a finite number that fills the whole text; nothing if it is not one.
inline std::optional<Float128> quad_of_text(const std::string& text) {
  char* end = nullptr;
  const Float128 value = strtoflt128(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !finite(value)) return std::nullopt;
  return value;
}

}  // namespace taut
