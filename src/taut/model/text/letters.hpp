// The letters of names: those of ASCII, the underscore, and the Greek letters that do not look like Latin
// ones.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace taut {

// Returns how many bytes the letter has that stands at this place of a text in UTF-8; 0 if there is none.
std::size_t letter_at(std::string_view text, std::size_t at);

// Returns the end of the letters and digits that begin at this place.
std::size_t end_of_name(std::string_view text, std::size_t begin);

// Returns the command of LaTeX for a Greek letter, as \theta for "θ"; nothing for other texts.
std::string_view latex_of_letter(std::string_view letter);

// Says which letter to write if the text has one that only looks like a letter of names, as the Greek `ο`
// looks like the Latin `o`; nothing for other texts.
std::string look_alike(std::string_view text);

// Asks whether a character is one of the Greek letters. ς is left out, because no formula has it.
constexpr bool is_greek(char32_t c) {
  constexpr std::u32string_view capitals = U"ΓΔΘΛΞΠΣΦΨΩ", variants = U"ϑϕϵ";
  return (c >= U'α' && c <= U'ω' && c != U'ο' && c != U'ς') ||
         capitals.find(c) != std::u32string_view::npos || variants.find(c) != std::u32string_view::npos;
}

}  // namespace taut
