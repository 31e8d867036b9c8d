#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

// Returns a number for each character of a text in UTF-8. Small and capital letters of ASCII are the same.
std::u32string characters(std::string_view text) {
  std::u32string all;
  for (const char c : text) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (all.empty() || !continues_character(c))
      all += static_cast<unsigned char>(small);
    else
      all.back() = all.back() << 8 | static_cast<unsigned char>(small);
  }
  return all;
}

// Counts the letters to insert, delete, replace or swap with a neighbour. Small and capital letters are the
// same here.
int edits(const std::u32string& a, const std::u32string& b) {
  std::vector<int> before(b.size() + 1), here(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) here[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({here[j] + 1, next[j - 1] + 1, here[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = here;
    here = next;
  }
  return here[b.size()];
}

constexpr std::size_t longest_word = 40;  // longer words are not mistyped ones
constexpr std::size_t most_names = 24;    // listed after "known here"

}  // namespace

std::string nearest_name(std::string_view asked, const std::vector<std::string>& names) {
  std::string best;
  if (asked.size() > longest_word) return best;
  // If a third of the letters are wrong, it is a slip; if more are, it is another word. A single letter may
  // stand for a name that it begins.
  const std::u32string letters = characters(asked);
  int least = static_cast<int>(std::max<std::size_t>(1, letters.size() / 3)) + 1;
  for (const std::string& name : names) {
    if (name.size() > longest_word) continue;
    const std::u32string known = characters(name);
    const int distance = edits(letters, known);
    if (distance >= least || distance >= static_cast<int>(std::max(letters.size(), known.size()))) continue;
    least = distance;
    best = name;
  }
  return best;
}

std::string known_names(std::string_view lead, std::string_view asked,
                        const std::vector<std::string>& names) {
  std::string text(lead);
  for (std::size_t k = 0; k < names.size() && k < most_names; ++k)
    text += (k == 0 ? " " : ", ") + shown(names[k]);
  if (names.empty()) text += " nothing";
  if (names.size() > most_names) text += " and " + std::to_string(names.size() - most_names) + " more";
  return text + "." + did_you_mean(asked, names);
}

std::string joined(const std::vector<std::string>& names, std::string_view between) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : between).append(name);
  return text;
}

std::string did_you_mean(std::string_view asked, const std::vector<std::string>& names) {
  const std::string best = nearest_name(asked, names);
  return best.empty() ? "" : " Did you mean `" + best + "`?";
}

}  // namespace taut
