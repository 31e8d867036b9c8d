#include <taut/model/text/latex.hpp>
#include <taut/model/text/letters.hpp>
#include <taut/model/text/number_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace taut {

namespace {

constexpr std::array<std::string_view, 33> greek = {
    "alpha", "beta",  "gamma", "delta", "epsilon", "zeta",  "eta",   "theta",   "iota", "kappa", "lambda",
    "mu",    "nu",    "xi",    "pi",    "rho",     "sigma", "tau",   "upsilon", "phi",  "chi",   "psi",
    "omega", "Gamma", "Delta", "Theta", "Lambda",  "Xi",    "Sigma", "Phi",     "Psi",  "Omega", "varphi"};

// How strongly the parts of a text hold together: a part that holds less than its place asks gets brackets.
enum Strength { sum, product, sign, factor, atom };

struct Piece {
  std::string text;
  Strength strength = atom;
};

std::string within(const Piece& piece, Strength least) {
  return piece.strength < least ? "\\left(" + piece.text + "\\right)" : piece.text;
}

std::string word_to_latex(std::string_view word) {
  if (std::find(greek.begin(), greek.end(), word) != greek.end()) return "\\" + std::string(word);
  if (word.size() == 1) return std::string(word);
  if (const std::string_view letter = latex_of_letter(word); !letter.empty()) return std::string(letter);
  std::string text = "\\mathrm{";
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t bytes = std::max<std::size_t>(1, letter_at(word, at));
    const std::string_view letter = word.substr(at, bytes), command = latex_of_letter(letter);
    text += letter == "_" ? "\\_" : command.empty() ? std::string(letter) : "{" + std::string(command) + "}";
    at += bytes;
  }
  return text + "}";
}

std::string_view function_to_latex(Op op) {
  switch (op) {
    case Op::exp:
      return "\\exp";
    case Op::log:
      return "\\log";
    case Op::sin:
      return "\\sin";
    case Op::cos:
      return "\\cos";
    case Op::tan:
      return "\\tan";
    case Op::asin:
      return "\\arcsin";
    case Op::acos:
      return "\\arccos";
    case Op::atan:
      return "\\arctan";
    case Op::sinh:
      return "\\sinh";
    case Op::cosh:
      return "\\cosh";
    case Op::tanh:
      return "\\tanh";
    case Op::erf:
      return "\\operatorname{erf}";
    case Op::erfc:
      return "\\operatorname{erfc}";
    case Op::sign:
      return "\\operatorname{sign}";
    case Op::atan2:
      return "\\operatorname{atan2}";
    default:
      return "";
  }
}

Piece piece_of(const Formula& formula, const FormulaNode& node, const std::vector<Piece>& before) {
  const auto child = [&](int k) -> const Piece& { return before[static_cast<std::size_t>(k)]; };
  switch (node.op) {
    case Op::constant: {
      const std::string written(formula.part(node.span));
      if (written == "pi" || written == "π") return {"\\pi"};
      std::string text = fmt::format("{}", static_cast<double>(node.value));
      if (const std::size_t e = text.find('e'); e != std::string::npos)
        return {text.substr(0, e) + " \\cdot 10^{" + std::to_string(std::stoi(text.substr(e + 1))) + "}",
                product};
      return {text, text.starts_with('-') ? sign : atom};
    }
    case Op::input:
      return {name_to_latex(formula.part(node.span))};
    case Op::negate:
      return {"-" + within(child(node.a), product), sign};
    case Op::add:
      return {child(node.a).text + " + " + within(child(node.b), product), sum};
    case Op::subtract:
      return {child(node.a).text + " - " + within(child(node.b), product), sum};
    case Op::multiply:
      return {within(child(node.a), product) + " \\, " + within(child(node.b), factor), product};
    case Op::divide:
      return {"\\frac{" + child(node.a).text + "}{" + child(node.b).text + "}", factor};
    case Op::power:
      return {"{" + within(child(node.a), atom) + "}^{" + child(node.b).text + "}", factor};
    case Op::sqrt:
      return {"\\sqrt{" + child(node.a).text + "}"};
    case Op::cbrt:
      return {"\\sqrt[3]{" + child(node.a).text + "}"};
    case Op::absolute:
      return {"\\left|" + child(node.a).text + "\\right|"};
    default: {
      std::string text(function_to_latex(node.op));
      text += "\\left(" + child(node.a).text;
      if (node.b >= 0) text += ", " + child(node.b).text;
      return {text + "\\right)", factor};
    }
  }
}

}  // namespace

std::string name_to_latex(std::string_view name) {
  if (const std::size_t open = name.find('['); open != std::string_view::npos)  // a component, r[1]
    return "{" + name_to_latex(name.substr(0, open)) + "}_{" + std::string(name.substr(open)) + "}";
  std::size_t cut = name.find('_');
  if (cut == 0 || cut + 1 == name.size()) return word_to_latex(name);
  if (cut == std::string_view::npos) {  // x12 has a subscript too
    std::size_t digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
    if (digits == name.size() || digits == 0) return word_to_latex(name);
    return word_to_latex(name.substr(0, digits)) + "_{" + std::string(name.substr(digits)) + "}";
  }
  const std::string_view below = name.substr(cut + 1);
  const bool number = std::all_of(below.begin(), below.end(),
                                  [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return word_to_latex(name.substr(0, cut)) + "_{" + (number ? std::string(below) : name_to_latex(below)) +
         "}";
}

std::string to_latex(const Formula& formula) {
  std::vector<Piece> pieces;
  pieces.reserve(formula.nodes.size());
  for (const FormulaNode& node : formula.nodes) pieces.push_back(piece_of(formula, node, pieces));
  return pieces.empty() ? std::string() : pieces.back().text;
}

}  // namespace taut
