// Words from which sentences for people are made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Asks whether a byte of UTF-8 text continues a character that began before it.
bool continues_character(char c);

// Returns the text with every control character replaced.
std::string harmless(std::string_view text, char instead = '?');
// The same for a text of several lines, whose ends stay.
std::string harmless_lines(std::string_view text);

// Returns a word of the user's for use inside a message: control characters are replaced, long words are cut.
std::string shown(std::string_view word);

std::string ticked(std::string_view word);                       // `word`, as shown() returns it
std::string counted(std::size_t count, std::string_view thing);  // "1 row", "2 rows"

// Returns "a", "a and b", "a, b and c"; for many names the first six, "and 31 others".
std::string listed(std::vector<std::string> names);

bool contains(const std::vector<std::string>& names, std::string_view name);

}  // namespace taut
