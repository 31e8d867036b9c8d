// Bytes of any kind as a text that JSON can hold.
#pragma once

#include <string>

namespace taut {

// Turns bytes into a text in which each is one character; ASCII stays as it is.
std::string text_of_bytes(const std::string& bytes);
// The way back. Throws InputError if a character is no byte.
std::string bytes_of_text(const std::string& text);

}  // namespace taut
