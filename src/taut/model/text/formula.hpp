// Parses the text of a formula into a tree with the place of every part. Nothing is executed here: a formula
// is + - * / ^, functions, names and numbers.
//
//   sum      product (("+" | "-") product)*
//   product  signed (("*" | "/") signed)*
//   signed   ("-" | "+") signed | power          so that -a^2 is -(a^2)
//   power    primary ("^" signed)?               right-associative: a^b^c is a^(b^c), and a^-b is allowed
//   primary  operand ("[" sum "]")*              a component of a vector, from 1
//   operand  number | name | function "(" sum ("," sum)* ")" | "(" sum ")" | "[" sum ("," sum)* "]"
//
// A vector is a list of numbers, a matrix one of rows. They have + - * / and dot, cross, norm and transpose,
// and are written out here: the nodes of a formula are numbers.
#pragma once

#include <taut/model/text/source.hpp>
#include <taut/scalar/number.hpp>

#include <cstdint>
#include <functional>
#include <map>
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

// The size of a vector (one column) or of a matrix; 0 rows: a number.
struct BlockSize {
  int rows = 0, columns = 0;
};

// What names stand for vectors. The components of r are called r[1], r[2], …, those of a matrix M[1][1], ….
struct KnownVectors {
  std::map<std::string, BlockSize, std::less<>> sizes = {};
  // If names are looked for alone, nothing is known of them, and every operation is allowed. A vector is the
  // sum of its components then, and every product of vectors that of such sums.
  bool names_only = false;
};

struct ParsedFormula {
  Formula formula;
  std::optional<FormulaError> error;
  // If the whole is a vector or a matrix: its nodes, row by row.
  BlockSize size = {};
  std::vector<int> entries = {};
};

// Parses a formula. `what` names it inside sentences: "constraint 1", "the parameter `a`". A vector is an
// error, unless it is asked for.
ParsedFormula parse_formula(std::string text, const std::string& what, const KnownVectors& known = {},
                            bool may_be_vector = false);

// Returns the part of a formula whose node is `root`, without what it does not need.
Formula part_of(const Formula& formula, int root);

// Returns the names of the components of a vector, row by row.
std::vector<std::string> component_names(const std::string& name, BlockSize size);

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
bool is_reserved(std::string_view name);  // a function, pi or π
// Asks for letters, Greek ones among them (letters.hpp), digits and _, not starting with a digit.
bool is_name(std::string_view text);
inline constexpr std::string_view what_names_are =
    "names are letters, Greek ones too, digits and _, not starting with a digit";

}  // namespace taut
