#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace taut::cli {

// Returns the width that a reader sees: bytes that continue a character take no room.
inline std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
}

}  // namespace taut::cli
