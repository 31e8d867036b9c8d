#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Returns "a, b, c"; for many the first twenty, "… and 11980 more".
template <class Text>
std::string few(const std::vector<Text>& all, std::string_view between) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < most; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : between, all[i]);
  if (all.size() > most) text += fmt::format("{}… and {} more", between, all.size() - most);
  return text;
}

}  // namespace taut
