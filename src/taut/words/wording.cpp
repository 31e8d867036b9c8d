#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr std::size_t longest_shown = 40;  // bytes of a user's word in a message

}  // namespace

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string harmless(std::string_view text, char instead) {
  std::string out(text);
  for (char& c : out)
    if (is_control(c)) c = instead;
  return out;
}

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

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace taut
