// "Did you mean": the known name nearest to a mistyped one.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Letters to insert, delete, replace or swap with a neighbour to get from one word to the other.
inline int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

// Empty when none is near: more than a third of the letters wrong is another word, not a slip.
template <class Names>
std::string nearest_name(std::string_view asked, const Names& names) {
  std::string best;
  int least = static_cast<int>(std::max<std::size_t>(1, asked.size() / 3)) + 1;
  for (const auto& name : names) {
    const int distance = edit_distance(asked, std::string_view(name));
    if (distance >= least) continue;
    least = distance;
    best = std::string_view(name);
  }
  return best;
}

template <class Names>
std::string joined(const Names& names, std::string_view between = ", ") {
  std::string text;
  for (const auto& name : names) text += std::string(text.empty() ? "" : between) + std::string(name);
  return text;
}

// " Did you mean `rattle`?", or nothing.
template <class Names>
std::string did_you_mean(std::string_view asked, const Names& names) {
  const std::string best = nearest_name(asked, names);
  return best.empty() ? "" : " Did you mean `" + best + "`?";
}

}  // namespace taut
