#include <taut/contract/reading_time.hpp>
#include <taut/model/text/formula.hpp>
#include <taut/model/text/function_name.hpp>
#include <taut/model/text/functions.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <array>

namespace taut {

namespace {

constexpr int deepest = 200;  // levels of parentheses, signs and powers; the parser recurses once for each

struct FunctionRow {
  std::string_view name;
  Op op;
  int arguments;
};
constexpr std::array functions{
    FunctionRow{"sqrt", Op::sqrt, 1},   FunctionRow{"exp", Op::exp, 1},      FunctionRow{"log", Op::log, 1},
    FunctionRow{"sin", Op::sin, 1},     FunctionRow{"cos", Op::cos, 1},      FunctionRow{"tan", Op::tan, 1},
    FunctionRow{"asin", Op::asin, 1},   FunctionRow{"acos", Op::acos, 1},    FunctionRow{"atan", Op::atan, 1},
    FunctionRow{"atan2", Op::atan2, 2}, FunctionRow{"sinh", Op::sinh, 1},    FunctionRow{"cosh", Op::cosh, 1},
    FunctionRow{"tanh", Op::tanh, 1},   FunctionRow{"abs", Op::absolute, 1}, FunctionRow{"erf", Op::erf, 1},
    FunctionRow{"erfc", Op::erfc, 1},   FunctionRow{"cbrt", Op::cbrt, 1}};

const FunctionRow* find_function(std::string_view name) {
  const auto row =
      std::find_if(functions.begin(), functions.end(), [&](const FunctionRow& f) { return f.name == name; });
  return row == functions.end() ? nullptr : &*row;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

enum class Kind { number, name, symbol, end };

struct Token {
  Kind kind = Kind::end;
  Span span;
  char symbol = 0;
};

class Parser {
 public:
  Parser(std::string text, const std::string& what) : what_(what) { out_.formula.text = std::move(text); }

  ParsedFormula parse() {
    advance();
    if (token_.kind == Kind::end && ok()) fail({0, text().size()}, what_ + " is empty");
    const int root = sum();
    if (ok() && token_.kind != Kind::end) unexpected();
    if (ok() && root != static_cast<int>(nodes().size()) - 1)
      nodes().push_back(nodes()[static_cast<std::size_t>(root)]);
    return std::move(out_);
  }

 private:
  const std::string& text() const { return out_.formula.text; }
  std::vector<FormulaNode>& nodes() { return out_.formula.nodes; }
  std::string_view word(const Token& t) const { return out_.formula.part(t.span); }
  bool ok() const { return !out_.error; }
  bool at(char symbol) const { return token_.kind == Kind::symbol && token_.symbol == symbol; }

  // Keeps the first error and skips the rest of the text.
  int fail(Span span, std::string sentence, std::string note = {}) {
    if (ok()) out_.error = FormulaError{span, std::move(sentence), std::move(note)};
    token_ = {Kind::end, {text().size(), text().size()}, 0};
    return -1;
  }

  int push(Op op, int a, int b, Span span, Float128 value = 0) {
    if (!ok()) return -1;
    ReadingTime::spend();
    nodes().push_back({op, a, b, value, span});
    return static_cast<int>(nodes().size()) - 1;
  }
  void advance() {
    if (!ok()) return;
    previous_ = token_;
    while (next_ < text().size() && is_space(text()[next_])) ++next_;
    const std::size_t begin = next_;
    if (begin == text().size()) {
      token_ = {Kind::end, {begin, begin}, 0};
      return;
    }
    const char c = text()[begin];
    if (is_digit(c) || c == '.') {
      read_number(begin);
    } else if (begins_name(c)) {
      while (next_ < text().size() && (begins_name(text()[next_]) || is_digit(text()[next_]))) ++next_;
      token_ = {Kind::name, {begin, next_}, 0};
    } else if (std::string_view("+-*/^(),").find(c) != std::string_view::npos) {
      ++next_;
      token_ = {Kind::symbol, {begin, next_}, c};
      if (c == '*' && next_ < text().size() && text()[next_] == '*')
        fail({begin, next_ + 1}, "`**` is not an operator in " + what_, "powers are written with `^`");
    } else {
      std::size_t end = begin + 1;
      while (end < text().size() && (static_cast<unsigned char>(text()[end]) & 0xC0) == 0x80) ++end;
      const bool printable = static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
      fail({begin, end},
           (printable ? "unexpected character " + ticked(text().substr(begin, end - begin))
                      : std::string("unexpected control character")) +
               " in " + what_,
           c == '='               ? "only a constraint may be an equation, with one `=`"
           : c == '<' || c == '>' ? "inequalities, such as those of contact, are out of scope"
                                  : "formulas are made of numbers, names, + - * / ^ and parentheses");
    }
  }

  void read_number(std::size_t begin) {
    const auto digits = [&] {
      while (next_ < text().size() && is_digit(text()[next_])) ++next_;
    };
    digits();
    while (next_ < text().size() && text()[next_] == '.') {
      ++next_;
      digits();
    }
    if (next_ < text().size() && (text()[next_] == 'e' || text()[next_] == 'E')) {
      std::size_t ahead = next_ + 1;
      if (ahead < text().size() && (text()[ahead] == '+' || text()[ahead] == '-')) ++ahead;
      if (ahead < text().size() && is_digit(text()[ahead])) {
        next_ = ahead;
        digits();
      }
    }
    token_ = {Kind::number, {begin, next_}, 0};
    const auto value = decimal(word(token_));
    if (!value) {
      fail(token_.span, ticked(word(token_)) + " in " + what_ + " is not a number");
      return;
    }
    number_ = *value;
    if (next_ < text().size() && begins_name(text()[next_])) {
      std::size_t end = next_;
      while (end < text().size() && (begins_name(text()[end]) || is_digit(text()[end]))) ++end;
      const std::string_view left = word(token_), right = std::string_view(text()).substr(next_, end - next_);
      fail(
          {begin, end},
          ticked(std::string(left) + std::string(right)) + " in " + what_ + " is neither a number nor a name",
          "a product is written `" + shown(left) + "*" + shown(right) + "`");
    }
  }

  int unexpected() {
    if (token_.kind == Kind::end) {
      const Span last = previous_.span;
      return fail(last, what_ + " ends after " + ticked(word(previous_)),
                  "a number, a name or `(` must follow");
    }
    if (at(')')) {
      if (previous_.kind == Kind::symbol && previous_.symbol != ')')
        return fail(token_.span, "`)` follows " + ticked(word(previous_)) + " in " + what_,
                    "a number, a name or `(` must stand between");
      return fail(token_.span, "`)` without a `(` in " + what_);
    }
    if (at(','))
      return fail(token_.span, "unexpected `,` in " + what_,
                  "only `atan2` takes two arguments; decimals are written with a point");
    if (token_.kind == Kind::symbol && token_.symbol != '(')
      return fail(token_.span,
                  ticked(word(token_)) + " follows " +
                      (previous_.kind == Kind::end ? "nothing" : ticked(word(previous_))) + " in " + what_,
                  "a number, a name or `(` must stand between");
    return fail(token_.span, "an operator is missing before " + ticked(word(token_)) + " in " + what_,
                "a product is written with `*`");
  }

  // Counts one level of recursion.
  struct Level {
    explicit Level(Parser& p) : parser(p) { ++parser.depth_; }
    ~Level() { --parser.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Parser& parser;
  };
  bool too_deep() {
    if (depth_ <= deepest) return false;
    fail(token_.span, what_ + " is nested too deeply",
         "at most " + std::to_string(deepest) + " levels of parentheses, signs and powers");
    return true;
  }

  // A part reaches from its first token to its last one, with all parentheses inside it.
  int sum() {
    const std::size_t begin = token_.span.begin;
    int left = product();
    while (ok() && (at('+') || at('-'))) {
      const Op op = at('+') ? Op::add : Op::subtract;
      advance();
      const int right = product();
      left = push(op, left, right, {begin, previous_.span.end});
    }
    return left;
  }

  int product() {
    const std::size_t begin = token_.span.begin;
    int left = signed_power();
    while (ok() && (at('*') || at('/'))) {
      const Op op = at('*') ? Op::multiply : Op::divide;
      advance();
      const int right = signed_power();
      left = push(op, left, right, {begin, previous_.span.end});
    }
    return left;
  }

  int signed_power() {
    const Level level(*this);
    if (too_deep()) return -1;
    if (!at('-') && !at('+')) return power();
    const bool minus = at('-');
    const std::size_t begin = token_.span.begin;
    advance();
    const int a = signed_power();
    return minus ? push(Op::negate, a, -1, {begin, previous_.span.end}) : a;
  }

  int power() {
    const std::size_t begin = token_.span.begin;
    const int base = primary();
    if (!ok() || !at('^')) return base;
    advance();
    const int exponent = signed_power();
    return push(Op::power, base, exponent, {begin, previous_.span.end});
  }

  int primary() {
    if (!ok()) return -1;
    const Token first = token_;
    if (first.kind == Kind::number) {
      const Float128 value = number_;
      advance();
      return push(Op::constant, -1, -1, first.span, value);
    }
    if (first.kind == Kind::name) {
      advance();
      if (at('(')) return call(first);
      if (find_function(word(first)))
        return fail(first.span, ticked(word(first)) + " in " + what_ + " is a function",
                    "write `" + std::string(word(first)) + "(...)`");
      if (word(first) == "pi") return push(Op::constant, -1, -1, first.span, 4 * atan(Float128(1)));
      return push(Op::input, -1, -1, first.span);
    }
    if (!at('(')) return unexpected();
    advance();
    const int inside = sum();
    close(first);
    return inside;
  }

  void close(const Token& open) {
    if (!ok()) return;
    if (at(')'))
      advance();
    else if (token_.kind == Kind::end)
      fail(open.span, "this `(` in " + what_ + " is never closed");
    else
      unexpected();
  }

  int call(const Token& name) {
    const FunctionRow* f = find_function(word(name));
    const Token open = token_;
    if (!f) {
      const bool letter_case = word(name) == "pi";
      return fail(name.span,
                  letter_case ? "`pi` in " + what_ + " is a number, not a function"
                              : "unknown function " + ticked(word(name)) + " in " + what_,
                  letter_case ? "a product is written with `*`"
                              : known_names("functions:", word(name), function_names()));
    }
    std::array<int, 2> argument{-1, -1};
    int count = 0;
    advance();
    if (!at(')')) {
      while (ok()) {
        const int a = sum();
        if (count < 2) argument[static_cast<std::size_t>(count)] = a;
        ++count;
        if (!at(',')) break;
        advance();
      }
    }
    const std::size_t end = token_.span.end;
    close(open);
    if (ok() && count != f->arguments)
      return fail({name.span.begin, end},
                  ticked(f->name) + " takes " + (f->arguments == 1 ? "one argument" : "two arguments") +
                      ", not " + std::to_string(count) + ", in " + what_,
                  f->op == Op::atan2 ? "`atan2(y, x)` is the angle of the point (x, y)" : "");
    return push(f->op, argument[0], argument[1], {name.span.begin, end});
  }

  const std::string& what_;
  ParsedFormula out_;
  std::size_t next_ = 0;
  Token token_, previous_;
  Float128 number_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string_view function_name(Op op) {
  const auto row =
      std::find_if(functions.begin(), functions.end(), [&](const FunctionRow& f) { return f.op == op; });
  return row == functions.end() ? std::string_view{} : row->name;
}

ParsedFormula parse_formula(std::string text, const std::string& what) {
  return Parser(std::move(text), what).parse();
}

std::optional<Float128> decimal(std::string_view text) {
  std::size_t k = 0;
  bool minus = false;
  if (k < text.size() && (text[k] == '+' || text[k] == '-')) minus = text[k++] == '-';
  // The first 34 digits are exact in 113 bits; further ones only move the exponent.
  Float128 digits = 0;
  int kept = 0, exponent = 0;
  bool any = false, point = false;
  for (; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '_' && any && k + 1 < text.size() && is_digit(text[k + 1])) continue;
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (kept < 34) {
      digits = 10 * digits + (c - '0');
      if (digits != 0) ++kept;
      if (point) --exponent;
    } else if (!point) {
      ++exponent;
    }
  }
  if (!any) return std::nullopt;
  if (k < text.size() && (text[k] == 'e' || text[k] == 'E')) {
    ++k;
    bool down = false;
    if (k < text.size() && (text[k] == '+' || text[k] == '-')) down = text[k++] == '-';
    if (k == text.size()) return std::nullopt;
    int power = 0;
    for (; k < text.size() && (is_digit(text[k]) || text[k] == '_'); ++k)
      if (text[k] != '_') power = std::min(100000, 10 * power + (text[k] - '0'));
    exponent += down ? -power : power;
  }
  if (k != text.size()) return std::nullopt;
  // 10^48 is exact; one multiplication or division then rounds once.
  for (; exponent > 48 && digits != 0 && finite(digits); exponent -= 48) digits *= whole_power(10, 48);
  for (; exponent < -48 && digits != 0; exponent += 48) digits /= whole_power(10, 48);
  if (digits != 0)
    digits =
        exponent < 0 ? digits / whole_power(10, -exponent) : digits * whole_power(10, std::min(exponent, 48));
  return minus ? -digits : digits;
}

Float128 whole_power(Float128 x, long n) {
  if (n < 0) return 1 / whole_power(x, -n);
  Float128 result = 1;
  for (; n > 0; n >>= 1, x *= x)
    if (n & 1) result *= x;
  return result;
}

std::optional<long> whole_exponent(Float128 y) {
  constexpr long most = 1024;
  if (!finite(y) || magnitude(y) > most) return std::nullopt;
  const long n = static_cast<long>(y);
  if (Float128(n) != y) return std::nullopt;
  return n;
}

Float128 apply(Op op, Float128 a, Float128 b) {
  switch (op) {
    case Op::negate:
      return -a;
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      // a^0 has a value only if a has one.
      if (const auto n = whole_exponent(b)) return *n == 0 ? 1 + 0 * a : whole_power(a, *n);
      return power(a, b);
    case Op::sqrt:
      return sqrt(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::erf:
      return erf(a);
    case Op::erfc:
      return erfc(a);
    case Op::cbrt:
      return cbrt(a);
    case Op::absolute:
      return absolute(a);
    case Op::sign:
      return sign(a);
    case Op::atan2:
      return atan2(a, b);
    case Op::constant:
    case Op::input:
      break;
  }
  return a;
}

std::vector<Float128> evaluate(const Formula& formula,
                               const std::function<Float128(std::string_view)>& value) {
  std::vector<Float128> values;
  values.reserve(formula.nodes.size());
  const auto of = [&](int k) { return k < 0 ? Float128(0) : values[static_cast<std::size_t>(k)]; };
  for (const FormulaNode& node : formula.nodes) {
    if (node.op == Op::constant)
      values.push_back(node.value);
    else if (node.op == Op::input)
      values.push_back(value(formula.part(node.span)));
    else
      values.push_back(apply(node.op, of(node.a), of(node.b)));
  }
  return values;
}

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    list.reserve(functions.size());
    for (const FunctionRow& f : functions) list.emplace_back(f.name);
    return list;
  }();
  return names;
}

bool is_reserved(std::string_view name) { return name == "pi" || find_function(name) != nullptr; }

bool is_name(std::string_view text) {
  return !text.empty() && begins_name(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return begins_name(c) || is_digit(c); });
}

}  // namespace taut
