#include <taut/model/text/letters.hpp>

#include <algorithm>
#include <array>

namespace taut {

namespace {

struct GreekLetter {
  std::string_view letter, latex;
};
// Letters that look like Latin ones, such as ο or Α, are left out: two names must not look the same.
constexpr std::array greek_letters{
    GreekLetter{"Γ", "\\Gamma"},    GreekLetter{"Δ", "\\Delta"},   GreekLetter{"Θ", "\\Theta"},
    GreekLetter{"Λ", "\\Lambda"},   GreekLetter{"Ξ", "\\Xi"},      GreekLetter{"Π", "\\Pi"},
    GreekLetter{"Σ", "\\Sigma"},    GreekLetter{"Φ", "\\Phi"},     GreekLetter{"Ψ", "\\Psi"},
    GreekLetter{"Ω", "\\Omega"},    GreekLetter{"α", "\\alpha"},   GreekLetter{"β", "\\beta"},
    GreekLetter{"γ", "\\gamma"},    GreekLetter{"δ", "\\delta"},   GreekLetter{"ε", "\\varepsilon"},
    GreekLetter{"ζ", "\\zeta"},     GreekLetter{"η", "\\eta"},     GreekLetter{"θ", "\\theta"},
    GreekLetter{"ι", "\\iota"},     GreekLetter{"κ", "\\kappa"},   GreekLetter{"λ", "\\lambda"},
    GreekLetter{"μ", "\\mu"},       GreekLetter{"ν", "\\nu"},      GreekLetter{"ξ", "\\xi"},
    GreekLetter{"π", "\\pi"},       GreekLetter{"ρ", "\\rho"},     GreekLetter{"σ", "\\sigma"},
    GreekLetter{"τ", "\\tau"},      GreekLetter{"υ", "\\upsilon"}, GreekLetter{"φ", "\\varphi"},
    GreekLetter{"χ", "\\chi"},      GreekLetter{"ψ", "\\psi"},     GreekLetter{"ω", "\\omega"},
    GreekLetter{"ϑ", "\\vartheta"}, GreekLetter{"ϕ", "\\phi"},     GreekLetter{"ϵ", "\\epsilon"}};

struct Twin {
  std::string_view letter, is, like;
};
constexpr std::array twins{Twin{"\u0391", "Greek", "A"},
                           Twin{"\u0392", "Greek", "B"},
                           Twin{"\u0395", "Greek", "E"},
                           Twin{"\u0396", "Greek", "Z"},
                           Twin{"\u0397", "Greek", "H"},
                           Twin{"\u0399", "Greek", "I"},
                           Twin{"\u039A", "Greek", "K"},
                           Twin{"\u039C", "Greek", "M"},
                           Twin{"\u039D", "Greek", "N"},
                           Twin{"\u039F", "Greek", "O"},
                           Twin{"\u03A1", "Greek", "P"},
                           Twin{"\u03A4", "Greek", "T"},
                           Twin{"\u03A5", "Greek", "Y"},
                           Twin{"\u03A7", "Greek", "X"},
                           Twin{"\u03BF", "Greek", "o"},
                           Twin{"\u03C2", "the final sigma", "σ"},
                           Twin{"\u00B5", "the sign of micro", "μ"},
                           Twin{"\u2126", "the sign of ohm", "Ω"},
                           Twin{"\u2206", "an operator", "Δ"},
                           Twin{"\u2211", "an operator", "Σ"},
                           Twin{"\u220F", "an operator", "Π"}};

constexpr std::size_t bytes_of_letter = 2;  // all of them lie between U+0080 and U+07FF

bool begins_latin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

std::string_view latex_of_letter(std::string_view letter) {
  const auto row = std::find_if(greek_letters.begin(), greek_letters.end(),
                                [&](const GreekLetter& one) { return one.letter == letter; });
  return row == greek_letters.end() ? std::string_view{} : row->latex;
}

std::string look_alike(std::string_view text) {
  for (const Twin& twin : twins)
    if (text.find(twin.letter) != std::string_view::npos)
      return "`" + std::string(twin.letter) + "` is " + std::string(twin.is) + " and looks like `" +
             std::string(twin.like) + "`, which is the letter of names: write that one";
  return {};
}

std::size_t letter_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  if (begins_latin(text[at])) return 1;
  if (static_cast<unsigned char>(text[at]) < 0x80) return 0;
  return latex_of_letter(text.substr(at, bytes_of_letter)).empty() ? 0 : bytes_of_letter;
}

std::size_t end_of_name(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size()) {
    const std::size_t letter = text[end] >= '0' && text[end] <= '9' ? 1 : letter_at(text, end);
    if (letter == 0) break;
    end += letter;
  }
  return end;
}

}  // namespace taut
