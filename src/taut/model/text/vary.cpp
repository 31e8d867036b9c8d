#include <taut/model/text/number_text.hpp>
#include <taut/model/text/vary.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <cmath>

namespace taut {

namespace {

constexpr const char* advice = "as in linspace(1, 2, 100), normal(0.6, 1e-3) or [1, 2, 3]";
constexpr double most_values = 1e15;  // in a linspace or logspace

struct VaryFacts {
  VaryKind kind;
  std::string name;
  std::string form;         // as it is written
  std::size_t least, most;  // how many numbers it takes; most = 0: any number
};
const std::vector<VaryFacts>& vary_kinds() {
  static const std::vector<VaryFacts> kinds{{VaryKind::linspace, "linspace", "linspace(a, b, n)", 2, 3},
                                            {VaryKind::logspace, "logspace", "logspace(a, b, n)", 2, 3},
                                            {VaryKind::uniform, "uniform", "uniform(a, b)", 2, 2},
                                            {VaryKind::normal, "normal", "normal(mean, deviation)", 2, 2},
                                            {VaryKind::choice, "choice", "choice(a, b, …)", 1, 0}};
  return kinds;
}

std::string word_of(VaryKind kind) {
  for (const VaryFacts& facts : vary_kinds())
    if (facts.kind == kind) return facts.name;
  return "list";
}

Span trimmed(std::string_view text, Span s) {
  constexpr std::string_view blank = " \t\r\n";
  while (s.begin < s.end && blank.find(text[s.begin]) != blank.npos) ++s.begin;
  while (s.begin < s.end && blank.find(text[s.end - 1]) != blank.npos) --s.end;
  return s;
}

// Cuts at the commas that no bracket encloses.
std::vector<Span> between_commas(std::string_view text, Span whole) {
  std::vector<Span> parts;
  int depth = 0;
  std::size_t begin = whole.begin;
  for (std::size_t i = whole.begin; i < whole.end; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth != 0) continue;
    parts.push_back(trimmed(text, {begin, i}));
    begin = i + 1;
  }
  parts.push_back(trimmed(text, {begin, whole.end}));
  return parts;
}

class VaryParser {
 public:
  VaryParser(const std::string& text, const std::vector<std::string>& known,
             const std::function<std::optional<Float128>(std::string_view)>& value)
      : text_(text), known_(known), value_(value) {}

  ParsedVary parse() {
    const Span whole = trimmed(text_, {0, text_.size()});
    const std::string_view inner = part(whole);
    if (inner.empty()) return wrong(whole, "there is nothing that varies", advice);
    if (inner.front() == '[') return list(whole);
    const std::size_t open = text_.find('(', whole.begin);
    const Span name = trimmed(text_, {whole.begin, std::min(open, whole.end)});
    if (open == std::string::npos || !is_name(part(name)))
      return wrong(whole, ticked(inner) + " does not vary", std::string(advice) + "; --set sets one value");
    if (inner.back() != ')') return wrong(whole, ticked(inner) + " does not end with a bracket", advice);
    return call(name, {open + 1, whole.end - 1});
  }

 private:
  std::string_view part(Span s) const { return std::string_view(text_).substr(s.begin, s.end - s.begin); }

  ParsedVary wrong(Span at, std::string sentence, std::string note = {}) {
    return {{}, FormulaError{at, std::move(sentence), std::move(note)}};
  }

  ParsedVary list(Span whole) {
    if (text_[whole.end - 1] != ']') return wrong(whole, "the list does not end with `]`", advice);
    const Span inside = trimmed(text_, {whole.begin + 1, whole.end - 1});
    if (inside.begin == inside.end) return wrong(whole, "the list is empty", advice);
    return filled(VaryKind::list, "the list", between_commas(text_, inside));
  }

  ParsedVary call(Span name, Span inside) {
    std::vector<std::string> names;
    for (const VaryFacts& facts : vary_kinds()) {
      names.push_back(facts.name);
      if (facts.name != part(name)) continue;
      const auto parts = between_commas(text_, inside);
      const bool empty = parts.size() == 1 && parts[0].begin == parts[0].end;
      const std::size_t given = empty ? 0 : parts.size();
      if (given < facts.least || (facts.most != 0 && given > facts.most))
        return wrong({name.begin, inside.end + 1}, ticked(facts.name) + " has " + counted(given, "number"),
                     "it is written " + facts.form);
      return filled(facts.kind, ticked(facts.name), parts);
    }
    return wrong(name, "nothing varies as " + ticked(part(name)),
                 known_names("known here:", part(name), names) + " A list is written [1, 2, 3]");
  }

  ParsedVary filled(VaryKind kind, const std::string& what, const std::vector<Span>& parts) {
    ParsedVary out;
    out.vary.kind = kind;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto x = number(parts[k], "number " + std::to_string(k + 1) + " of " + what);
      if (error_) return {{}, std::move(error_)};
      out.vary.numbers.push_back(x);
    }
    const bool spaced = kind == VaryKind::linspace || kind == VaryKind::logspace;
    if (spaced && parts.size() == 3) {
      const double n = out.vary.numbers[2];
      if (n != std::floor(n) || n < 2 || n > most_values)
        return wrong(parts[2], "the number of values of " + what + " is " + number_text(n),
                     "a whole number from 2 to 1e15; a list of one value is written [1]");
      out.vary.count = static_cast<std::int64_t>(n);
      out.vary.numbers.pop_back();
    }
    if (const std::string fault = fault_of(out.vary); !fault.empty())
      return wrong({parts.front().begin, parts.back().end}, fault);
    return out;
  }

  double number(Span at, const std::string& what) {
    const auto refuse = [&](Span inside, std::string sentence, std::string note = {}) {
      error_ = FormulaError{
          {at.begin + inside.begin, at.begin + inside.end}, std::move(sentence), std::move(note)};
      return 0.0;
    };
    const Span all{0, at.end - at.begin};
    const ParsedFormula parsed = parse_formula(std::string(part(at)), what);
    if (parsed.error) return refuse(parsed.error->span, parsed.error->sentence, parsed.error->note);
    for (const FormulaNode& node : parsed.formula.nodes)
      if (node.op == Op::input && !value_(parsed.formula.part(node.span))) {
        const std::string name(parsed.formula.part(node.span));
        return refuse(node.span, "unknown name " + ticked(name) + " in " + what,
                      known_.empty() ? "the model has no parameters"
                                     : known_names("here only parameters are allowed:", name, known_));
      }
    const auto values =
        evaluate(parsed.formula, [&](std::string_view name) { return value_(name).value_or(0); });
    for (const Float128 x : values)
      if (!finite(x)) return refuse(all, what + " has no finite value");
    const auto value = static_cast<double>(values.back());
    if (!std::isfinite(value)) return refuse(all, what + " is " + number_text(values.back()));
    return value;
  }

  const std::string& text_;
  const std::vector<std::string>& known_;
  const std::function<std::optional<Float128>(std::string_view)>& value_;
  std::optional<FormulaError> error_;
};

}  // namespace

ParsedVary parse_vary(const std::string& text, const std::vector<std::string>& known,
                      const std::function<std::optional<Float128>(std::string_view)>& value) {
  return VaryParser(text, known, value).parse();
}

std::string fault_of(const Vary& vary) {
  const std::vector<double>& x = vary.numbers;
  switch (vary.kind) {
    case VaryKind::uniform:
      if (!(x[0] < x[1]))
        return "`uniform` lies between two numbers, and " + number_text(x[0]) + " is not below " +
               number_text(x[1]);
      return "";
    case VaryKind::normal:
      if (x[1] < 0) return "the deviation of `normal` is " + number_text(x[1]) + ", and cannot be negative";
      if (constexpr double farthest = 9; !std::isfinite(std::abs(x[0]) + farthest * x[1]))
        return "`normal` would give numbers that are not finite";
      return "";
    case VaryKind::logspace:
      if (!(x[0] > 0 && x[1] > 0) && !(x[0] < 0 && x[1] < 0))
        return "`logspace` is a geometric sequence, and there is none from " + number_text(x[0]) + " to " +
               number_text(x[1]);
      return "";
    case VaryKind::list:
    case VaryKind::linspace:
    case VaryKind::choice:
      return "";
  }
  return "";
}

std::string text_of(const Vary& vary) {
  std::string inside;
  for (const double x : vary.numbers) inside += fmt::format("{}{}", inside.empty() ? "" : ", ", x);
  if (vary.kind == VaryKind::list) return "[" + inside + "]";
  if (vary.count > 0) inside += fmt::format(", {}", vary.count);
  return word_of(vary.kind) + "(" + inside + ")";
}

}  // namespace taut
