#include <taut/bytes/byte_text.hpp>
#include <taut/contract/request.hpp>

namespace taut {

std::string text_of_bytes(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    if (b >= 0x80) text.push_back(static_cast<char>(0xC0 | b >> 6));
    text.push_back(b >= 0x80 ? static_cast<char>(0x80 | (b & 0x3F)) : c);
  }
  return text;
}

std::string bytes_of_text(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto b = static_cast<unsigned char>(text[i]);
    const bool pair = (b & 0xFC) == 0xC0 && i + 1 < text.size();  // U+0080 to U+00FF
    if (b >= 0x80 && !pair) throw InputError("a file of its model holds a character that is no byte");
    bytes.push_back(pair ? static_cast<char>(b << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F))
                         : text[i]);
  }
  return bytes;
}

}  // namespace taut
