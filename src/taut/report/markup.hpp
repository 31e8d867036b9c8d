// Text that goes into a page or a drawing.
#pragma once

#include <string>
#include <string_view>

namespace taut {

// As HTML and SVG write it: < > & would begin a tag or a name.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace taut
