#include <taut/contract/reading_time.hpp>
#include <taut/model/text/formula.hpp>
#include <taut/model/text/function_name.hpp>
#include <taut/model/text/functions.hpp>
#include <taut/model/text/letters.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <array>

namespace taut {

namespace {

constexpr std::size_t most_nodes = 4'000'000;  // products of matrices have more than their texts have letters
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
bool is_pi(std::string_view name) { return name == "pi" || name == "π"; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

enum class Kind { number, name, symbol, end };

struct Token {
  Kind kind = Kind::end;
  Span span;
  char symbol = 0;
};

class Parser {
 public:
  Parser(std::string text, const std::string& what, const KnownVectors& known) : what_(what), known_(known) {
    out_.formula.text = std::move(text);
  }

  ParsedFormula parse(bool may_be_vector) {
    advance();
    if (token_.kind == Kind::end && ok()) fail({0, text().size()}, what_ + " is empty");
    const int root = sum();
    if (ok() && token_.kind != Kind::end) unexpected();
    if (ok() && is_block(root)) {
      const Block whole = block(root);
      if (known_.names_only)
        push(Op::negate, whole.entries.front(), -1, {0, text().size()});
      else if (!may_be_vector)
        fail({0, text().size()}, what_ + " is " + shape(root),
             "here a number is wanted: dot(a, b), norm(a), or a component such as r[1]");
      out_.size = whole.size;
      out_.entries = whole.entries;
      return std::move(out_);
    }
    if (ok() && !blocks_.empty())
      out_.formula = part_of(out_.formula, root);
    else if (ok() && root != static_cast<int>(nodes().size()) - 1)
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

  // Vectors and matrices are numbered from -2 downwards; -1 is nothing.
  struct Block {
    BlockSize size;
    std::vector<int> entries;  // row by row
  };
  static bool is_block(int id) { return id <= -2; }
  const Block& block(int id) const { return blocks_[static_cast<std::size_t>(-2 - id)]; }
  int keep(Block made) {
    blocks_.push_back(std::move(made));
    return -1 - static_cast<int>(blocks_.size());
  }
  bool is_vector(int id) const { return is_block(id) && block(id).size.columns == 1; }
  std::string shape(int id) const {
    if (!is_block(id)) return "a number";
    const BlockSize size = block(id).size;
    return size.columns == 1
               ? "a vector of " + std::to_string(size.rows)
               : "a matrix of " + std::to_string(size.rows) + " by " + std::to_string(size.columns);
  }
  // Any number of what is looked through for its names.
  int any_of(int id) const { return is_block(id) ? block(id).entries.front() : id; }

  // An operation on numbers, vectors or matrices.
  int combine(Op op, int a, int b, Span span) {
    if (!ok()) return -1;
    if (op == Op::power && b >= 0 && nodes()[static_cast<std::size_t>(b)].op == Op::constant &&
        nodes()[static_cast<std::size_t>(b)].value == 2)
      if (const auto norm = square_of_.find(a); norm != square_of_.end()) return norm->second;
    if (!is_block(a) && !is_block(b)) return push(op, a, b, span);
    if (op == Op::negate) return each(a, span, [&](int x) { return push(op, x, -1, span); });
    const bool same = is_block(a) && is_block(b) && block(a).size.rows == block(b).size.rows &&
                      block(a).size.columns == block(b).size.columns;
    if ((op == Op::add || op == Op::subtract) && same) {
      Block made{block(a).size, {}};
      for (std::size_t k = 0; k < block(a).entries.size(); ++k)
        made.entries.push_back(push(op, block(a).entries[k], block(b).entries[k], span));
      return keep(std::move(made));
    }
    if ((op == Op::multiply || op == Op::divide) && !is_block(b))
      return each(a, span, [&](int x) { return push(op, x, b, span); });
    if (op == Op::multiply && !is_block(a)) return each(b, span, [&](int x) { return push(op, a, x, span); });
    if (op == Op::multiply && is_block(a) && is_block(b) && !is_vector(a) &&
        block(a).size.columns == block(b).size.rows)
      return matrix_product(a, b, span);
    if (known_.names_only) {
      // Every entry stays below the whole, so that no name is lost.
      return push(op, any_of(a), any_of(b), span);
    }
    const bool products = op == Op::multiply && is_vector(a) && is_vector(b);
    return fail(span,
                shape(a) + " and " + shape(b) + " cannot be " +
                    (op == Op::multiply ? "multiplied"
                     : op == Op::divide ? "divided"
                     : op == Op::power  ? "a power"
                     : op == Op::add    ? "added"
                                        : "subtracted") +
                    " in " + what_,
                products || op == Op::power ? "there are dot(a, b) and cross(a, b)" : "");
  }
  template <class F>
  int each(int a, Span, const F& f) {
    Block made{block(a).size, {}};
    const std::vector<int> entries = block(a).entries;
    for (const int x : entries) made.entries.push_back(f(x));
    return keep(std::move(made));
  }
  int matrix_product(int a, int b, Span span) {
    const Block left = block(a), right = block(b);
    Block made{{left.size.rows, right.size.columns}, {}};
    for (int i = 0; i < left.size.rows && ok(); ++i)
      for (int j = 0; j < right.size.columns; ++j) {
        int sum = -1;
        for (int k = 0; k < left.size.columns; ++k) {
          const auto l = static_cast<std::size_t>(i * left.size.columns + k),
                     r = static_cast<std::size_t>(k * right.size.columns + j);
          const int one = push(Op::multiply, left.entries[l], right.entries[r], span);
          sum = k == 0 ? one : push(Op::add, sum, one, span);
        }
        made.entries.push_back(sum);
      }
    return keep(std::move(made));
  }

  // "[a, b, c]": numbers make a vector, vectors of one size the rows of a matrix.
  int list(const Token& open) {
    std::vector<int> parts;
    while (ok()) {
      parts.push_back(sum());
      if (!at(',')) break;
      advance();
    }
    if (!ok()) return -1;
    if (!at(']')) return fail(open.span, "this `[` in " + what_ + " is never closed");
    const Span span{open.span.begin, token_.span.end};
    advance();
    Block made{{static_cast<int>(parts.size()), 1}, {}};
    for (const int part : parts) {
      const bool fits =
          is_block(part) == is_block(parts.front()) &&
          (!is_block(part) || (is_vector(part) && block(part).size.rows == block(parts.front()).size.rows));
      if (!fits && !known_.names_only)
        return fail(span, "the parts of this list in " + what_ + " differ: " + shape(parts.front()) +
                              " and " + shape(part));
      if (is_block(part)) {
        made.size.columns = block(part).size.rows;
        made.entries.insert(made.entries.end(), block(part).entries.begin(), block(part).entries.end());
      } else {
        made.entries.push_back(part);
      }
    }
    if (known_.names_only) {
      int sum = made.entries.front();
      for (std::size_t k = 1; k < made.entries.size(); ++k) sum = push(Op::add, sum, made.entries[k], span);
      return sum;
    }
    if (made.size.rows == 1 || (is_block(parts.front()) && made.size.columns == 1))
      return fail(span, "a vector in " + what_ + " has at least two components");
    return keep(std::move(made));
  }

  // The components r[1], …, and the rows of a matrix.
  int component(int of, std::size_t begin) {
    advance();
    const Token first = token_;
    const int index = sum();
    if (!ok()) return -1;
    if (!at(']')) return fail(first.span, "this `[` in " + what_ + " is never closed");
    const Span span{begin, token_.span.end};
    advance();
    if (known_.names_only) return of;
    if (!is_block(of))
      return fail(span, ticked(out_.formula.part(span)) + " in " + what_ + " is a component of a number");
    const Block whole = block(of);
    const FormulaNode* node = is_block(index) ? nullptr : &nodes()[static_cast<std::size_t>(index)];
    const auto n = node && node->op == Op::constant ? whole_exponent(node->value) : std::nullopt;
    if (!n || *n < 1 || *n > whole.size.rows)
      return fail(first.span, "a component of " + shape(of) + " is a whole number from 1 to " +
                                  std::to_string(whole.size.rows) + ", in " + what_);
    const auto row = whole.entries.begin() + (*n - 1) * whole.size.columns;
    if (whole.size.columns == 1) return *row;
    return keep({{whole.size.columns, 1}, {row, row + whole.size.columns}});
  }

  // A name that stands for a vector: its components are names of their own, behind the text.
  int vector_by_name(const std::string& name, BlockSize size, Span span) {
    const auto before = named_.find(name);
    if (before != named_.end()) return before->second;
    Block made{size, {}};
    for (const std::string& one : component_names(name, size)) {
      const std::size_t begin = text().size() + out_.formula.defined.size();
      out_.formula.defined += one;
      made.entries.push_back(push(Op::input, -1, -1, {begin, begin + one.size()}));
    }
    (void)span;
    return named_[name] = keep(std::move(made));
  }

  static bool is_vector_function(std::string_view name) {
    return name == "dot" || name == "cross" || name == "norm" || name == "transpose";
  }
  int vector_function(std::string_view name, const std::vector<int>& of, Span span) {
    if (!ok()) return -1;
    const std::size_t wanted = name == "dot" || name == "cross" ? 2 : 1;
    if (of.size() != wanted)
      return fail(span, ticked(name) + " takes " + (wanted == 1 ? "one argument" : "two arguments") +
                            ", not " + std::to_string(of.size()) + ", in " + what_);
    if (known_.names_only)
      return wanted == 1 ? any_of(of[0]) : push(Op::multiply, any_of(of[0]), any_of(of[1]), span);
    if (name == "transpose") {
      if (!is_block(of[0]) || is_vector(of[0]))
        return fail(span, "`transpose` is of a matrix, not of " + shape(of[0]) + ", in " + what_);
      const Block whole = block(of[0]);
      Block made{{whole.size.columns, whole.size.rows}, {}};
      for (int j = 0; j < whole.size.columns; ++j)
        for (int i = 0; i < whole.size.rows; ++i)
          made.entries.push_back(whole.entries[static_cast<std::size_t>(i * whole.size.columns + j)]);
      return keep(std::move(made));
    }
    const bool fit = std::all_of(of.begin(), of.end(), [&](int one) {
      return is_vector(one) && block(one).size.rows == (is_vector(of[0]) ? block(of[0]).size.rows : 0);
    });
    const int n = fit ? block(of[0]).size.rows : 0;
    if (!fit || (name == "cross" && n > 3))
      return fail(span,
                  ticked(name) + " in " + what_ + " is of " +
                      (wanted == 1 ? "a vector, not of " + shape(of[0])
                       : name == "cross"
                           ? "two vectors of 3, or of 2, not of " + shape(of[0]) + " and " + shape(of[1])
                           : "two vectors of one size, not of " + shape(of[0]) + " and " + shape(of[1])));
    const std::vector<int> a = block(of[0]).entries, b = block(of.back()).entries;
    if (name == "cross") {
      const auto part = [&](std::size_t i, std::size_t j) {
        const int left = push(Op::multiply, a[i], b[j], span), right = push(Op::multiply, a[j], b[i], span);
        return push(Op::subtract, left, right, span);
      };
      if (n == 2) return part(0, 1);
      Block made{{3, 1}, {}};
      for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{1, 2}, {2, 0}, {0, 1}})
        made.entries.push_back(part(i, j));
      return keep(std::move(made));
    }
    int sum = -1;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const int one = push(Op::multiply, a[k], b[k], span);
      sum = k == 0 ? one : push(Op::add, sum, one, span);
    }
    if (name == "dot") return sum;
    const int norm = push(Op::sqrt, sum, -1, span);
    square_of_[norm] = sum;
    return norm;
  }

  int push(Op op, int a, int b, Span span, Float128 value = 0) {
    if (!ok()) return -1;
    if (is_block(a) || is_block(b)) {
      if (known_.names_only) return push(op, any_of(a), is_block(b) ? any_of(b) : b, span, value);
      const int one = is_block(a) ? a : b;
      return fail(span, ticked(out_.formula.part(span)) + " in " + what_ + " is of " + shape(one) +
                            ", and of numbers only");
    }
    ReadingTime::spend();
    if (nodes().size() >= most_nodes)
      return fail(span, what_ + " has more than " + std::to_string(most_nodes) + " parts, written out");
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
    } else if (letter_at(text(), begin) > 0) {
      next_ = end_of_name(text(), begin);
      token_ = {Kind::name, {begin, next_}, 0};
    } else if (std::string_view("+-*/^(),[]").find(c) != std::string_view::npos) {
      ++next_;
      token_ = {Kind::symbol, {begin, next_}, c};
      if (c == '*' && next_ < text().size() && text()[next_] == '*')
        fail({begin, next_ + 1}, "`**` is not an operator in " + what_, "powers are written with `^`");
    } else {
      std::size_t end = begin + 1;
      while (end < text().size() && (static_cast<unsigned char>(text()[end]) & 0xC0) == 0x80) ++end;
      const bool printable = static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
      const std::string twin = look_alike(text().substr(begin, end - begin));
      fail({begin, end},
           (printable ? "unexpected character " + ticked(text().substr(begin, end - begin))
                      : std::string("unexpected control character")) +
               " in " + what_,
           c == '='               ? "only a constraint may be an equation, with one `=`"
           : c == '<' || c == '>' ? "inequalities, such as those of contact, are out of scope"
           : !twin.empty()        ? twin
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
    if (letter_at(text(), next_) > 0) {
      const std::size_t end = end_of_name(text(), next_);
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
      left = combine(op, left, right, {begin, previous_.span.end});
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
      left = combine(op, left, right, {begin, previous_.span.end});
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
    return minus ? combine(Op::negate, a, -1, {begin, previous_.span.end}) : a;
  }

  int power() {
    const std::size_t begin = token_.span.begin;
    const int base = primary();
    if (!ok() || !at('^')) return base;
    advance();
    const int exponent = signed_power();
    return combine(Op::power, base, exponent, {begin, previous_.span.end});
  }

  int primary() {
    const std::size_t begin = token_.span.begin;
    int of = operand();
    while (ok() && at('[')) of = component(of, begin);
    return of;
  }

  int operand() {
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
      if (is_pi(word(first))) return push(Op::constant, -1, -1, first.span, 4 * atan(Float128(1)));
      if (const auto known = known_.sizes.find(word(first)); known != known_.sizes.end())
        return vector_by_name(known->first, known->second, first.span);
      return push(Op::input, -1, -1, first.span);
    }
    if (at('[')) {
      const Level level(*this);
      if (too_deep()) return -1;
      advance();
      return list(first);
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
    const bool of_vectors = is_vector_function(word(name));
    if (!f && !of_vectors) {
      const bool letter_case = is_pi(word(name));
      return fail(name.span,
                  letter_case ? ticked(word(name)) + " in " + what_ + " is a number, not a function"
                              : "unknown function " + ticked(word(name)) + " in " + what_,
                  letter_case ? "a product is written with `*`"
                              : known_names("functions:", word(name), function_names()));
    }
    std::array<int, 2> argument{-1, -1};
    std::vector<int> arguments;
    int count = 0;
    advance();
    if (!at(')')) {
      while (ok()) {
        const int a = sum();
        if (of_vectors) arguments.push_back(a);
        if (count < 2) argument[static_cast<std::size_t>(count)] = a;
        ++count;
        if (!at(',')) break;
        advance();
      }
    }
    const std::size_t end = token_.span.end;
    close(open);
    if (of_vectors) return vector_function(word(name), arguments, {name.span.begin, end});
    if (ok() && count != f->arguments)
      return fail({name.span.begin, end},
                  ticked(f->name) + " takes " + (f->arguments == 1 ? "one argument" : "two arguments") +
                      ", not " + std::to_string(count) + ", in " + what_,
                  f->op == Op::atan2 ? "`atan2(y, x)` is the angle of the point (x, y)" : "");
    return push(f->op, argument[0], argument[1], {name.span.begin, end});
  }

  const std::string& what_;
  const KnownVectors& known_;
  std::vector<Block> blocks_;
  // The squares of norms, so that norm(v)^2 is a polynomial: it has a derivative at 0 too.
  std::map<int, int> square_of_;
  std::map<std::string, int, std::less<>> named_;  // vectors by their names, as they were first met
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

ParsedFormula parse_formula(std::string text, const std::string& what, const KnownVectors& known,
                            bool may_be_vector) {
  return Parser(std::move(text), what, known).parse(may_be_vector);
}

Formula part_of(const Formula& formula, int root) {
  const auto place = [](int k) { return static_cast<std::size_t>(k); };
  std::vector<bool> needed(place(root) + 1, false);
  needed[place(root)] = true;
  for (int k = root; k >= 0; --k) {
    if (!needed[place(k)]) continue;
    const FormulaNode& node = formula.nodes[place(k)];
    if (node.a >= 0) needed[place(node.a)] = true;
    if (node.b >= 0) needed[place(node.b)] = true;
  }
  Formula part{formula.text, {}, formula.defined};
  std::vector<int> now(needed.size(), -1);
  for (int k = 0; k <= root; ++k) {
    if (!needed[place(k)]) continue;
    FormulaNode node = formula.nodes[place(k)];
    if (node.a >= 0) node.a = now[place(node.a)];
    if (node.b >= 0) node.b = now[place(node.b)];
    now[place(k)] = static_cast<int>(part.nodes.size());
    part.nodes.push_back(node);
  }
  return part;
}

std::vector<std::string> component_names(const std::string& name, BlockSize size) {
  std::vector<std::string> names;
  for (int i = 1; i <= size.rows; ++i)
    for (int j = 1; j <= size.columns; ++j)
      names.push_back(name + "[" + std::to_string(i) + "]" +
                      (size.columns == 1 ? "" : "[" + std::to_string(j) + "]"));
  return names;
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

bool is_reserved(std::string_view name) { return is_pi(name) || find_function(name) != nullptr; }

bool is_name(std::string_view text) { return letter_at(text, 0) > 0 && end_of_name(text, 0) == text.size(); }

}  // namespace taut
