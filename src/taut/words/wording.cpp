#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Asks whether a character of UTF-8 that begins here is one of U+0080 to U+009F, which terminals obey too.
bool is_late_control(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

std::string without_controls(std::string_view text, char instead, bool keep_lines) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (keep_lines && out[i] == '\n') continue;
    if (is_late_control(out, i))
      out.replace(i, 2, 1, instead);
    else if (is_control(out[i]))
      out[i] = instead;
  }
  return out;
}

constexpr std::size_t longest_shown = 40;  // bytes of a user's word in a message

}  // namespace

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string harmless(std::string_view text, char instead) { return without_controls(text, instead, false); }

std::string harmless_lines(std::string_view text) { return without_controls(text, '?', true); }

std::string shown(std::string_view word) {
  if (word.size() <= longest_shown) return harmless(word, '?');
  std::size_t cut = longest_shown;
  while (cut > 0 && continues_character(word[cut])) --cut;
  return harmless(word.substr(0, cut), '?') + "…";
}

std::string ticked(std::string_view word) { return std::string("`").append(shown(word)).append("`"); }

std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t most = 8, first = 6;
  if (names.size() > most) {
    const std::size_t others = names.size() - first;
    names.resize(first);
    names.push_back(std::to_string(others) + " others");
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace taut
