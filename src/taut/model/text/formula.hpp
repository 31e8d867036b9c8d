// Parses the text of a formula into a tree with the place of every part. Nothing is executed here: a formula
// is + - * / ^, functions, names and numbers.
//
//   sum      product (("+" | "-") product)*
//   product  signed (("*" | "/") signed)*
//   signed   ("-" | "+") signed | power          so that -a^2 is -(a^2)
//   power    primary ("^" signed)?               right-associative: a^b^c is a^(b^c), and a^-b is allowed
//   primary  number | name | function "(" sum ("," sum)* ")" | "(" sum ")"
#pragma once

#include <taut/model/text/source.hpp>
#include <taut/scalar/number.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

enum class Op : std::uint8_t {
  constant,
  input,
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  erf,
  erfc,
  cbrt,
  absolute,
  sign,
  atan2,
};

struct FormulaNode {  // children stand before their parent; an `input` is the name at `span`
  Op op = Op::constant;
  int a = -1, b = -1;
  Float128 value = 0;
  Span span = {};
};

struct FormulaError {
  Span span;
  std::string sentence, note;
};

struct Formula {
  std::string text;
  std::vector<FormulaNode> nodes;  // the last one is the whole
  // The texts of the definitions that it uses. Nodes that come from them have spans beyond the end of `text`.
  std::string defined = {};

  bool is_defined(Span s) const { return s.begin >= text.size() && !defined.empty(); }
  std::string_view part(Span s) const {
    const std::size_t size = s.end - s.begin;
    return is_defined(s) ? std::string_view(defined).substr(s.begin - text.size(), size)
                         : std::string_view(text).substr(s.begin, size);
  }
};

struct ParsedFormula {
  Formula formula;
  std::optional<FormulaError> error;
};

// Parses a formula. `what` names it inside sentences: "constraint 1", "the parameter `a`".
ParsedFormula parse_formula(std::string text, const std::string& what);

// Returns the value of every part; `value(name)` returns the value of a name.
std::vector<Float128> evaluate(const Formula& formula,
                               const std::function<Float128(std::string_view)>& value);

// Applies one operation to numbers.
Float128 apply(Op op, Float128 a, Float128 b);

// Returns x^n by repeated multiplication.
Float128 whole_power(Float128 x, long n);

// Returns y as a whole number, if powers of it are still taken by multiplication.
std::optional<long> whole_exponent(Float128 y);

// Reads a decimal number to 113 bits, whatever the locale; returns nothing if `text` is not one. Underscores
// between digits are as in TOML.
std::optional<Float128> decimal(std::string_view text);

// Returns the functions of a formula and the constant pi, as people write them.
const std::vector<std::string>& function_names();
bool is_reserved(std::string_view name);  // a function or pi
bool is_name(std::string_view text);      // letters, digits and _, not starting with a digit

}  // namespace taut
