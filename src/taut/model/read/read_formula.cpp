// Reads a number or a formula of the file: parses it, looks up its names, and evaluates it if it may use
// parameters alone.
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

std::vector<std::string> ModelReader::known_for(Use use) const {
  std::vector<std::string> known;
  if (use != Use::parameters) known = model_.coordinates;
  if (use == Use::state)
    for (const std::string& x : model_.coordinates) known.push_back("p_" + x);
  for (const NamedFormula& a : model_.parameters) known.push_back(a.name);
  return known;
}

// The search for a near name goes through all names, so it is made only for errors that may be shown.
std::string ModelReader::known_here(const std::string& name, Use use) const {
  return errors_.size() < most_errors_shown ? known_names("known here:", name, known_for(use)) : "";
}

bool ModelReader::formula(const Value& v, const std::string& what, Use use, Formula& out) {
  if (v.kind == Value::Kind::number) {
    out.text =
        std::string(std::string_view(v.source->text()).substr(v.span.begin, v.span.end - v.span.begin));
    out.nodes = {{Op::constant, -1, -1, v.number, {0, out.text.size()}}};
    return true;
  }
  if (v.kind != Value::Kind::text) {
    fail(v, what + " must be a number or a formula in quotes, not " + kind_name(v));
    return false;
  }
  ParsedFormula parsed = parse_formula(v.text, what);
  bool fine = !parsed.error;
  if (parsed.error)
    fail(*v.source, v.text.empty() ? v.span : v.place(parsed.error->span), parsed.error->sentence,
         parsed.error->note);
  // After an error this is the part before it, whose names are looked up all the same.
  out = std::move(parsed.formula);
  std::set<std::string> told;
  for (const FormulaNode& node : out.nodes) {
    if (node.op != Op::input) continue;
    const std::string name(out.part(node.span));
    if (bad_parameters_.contains(name)) {
      fine = false;
      continue;
    }
    const auto found = names_.find(name);
    const bool known = found != names_.end() && (found->second == What::parameter || use == Use::state ||
                                                 (use == Use::position && found->second == What::coordinate));
    if (known || !told.insert(name).second) continue;
    fine = false;
    if (!all_coordinates_ && use != Use::parameters) continue;  // may be one of the refused coordinates
    const Span at = v.place(node.span);
    if (found != names_.end() && use == Use::position)
      fail(*v.source, at, what + " uses the momentum " + ticked(name),
           "here coordinates and parameters are allowed");
    else if (found != names_.end())
      fail(*v.source, at,
           what + " uses the " + (found->second == What::coordinate ? "coordinate " : "momentum ") +
               ticked(name),
           "here only parameters are allowed");
    else if (later_parameters_.contains(name))
      fail(*v.source, at, what + " uses " + ticked(name) + ", which comes later",
           "parameters are evaluated in the order of the file");
    else
      fail(*v.source, at, "unknown name " + ticked(name) + " in " + what,
           known_here(name, use) + (name == "t" || name == "time" ? " Nothing may depend on time" : ""));
  }
  return fine;
}

bool ModelReader::number(const Value& v, const std::string& what, Formula& out, Float128& value) {
  if (!formula(v, what, Use::parameters, out)) return false;
  const auto values = evaluate(out, [&](std::string_view name) { return values_.at(std::string(name)); });
  value = values.back();
  return !report_not_finite(v, out, values, what, "");
}

bool ModelReader::report_not_finite(const Value& v, const Formula& f, const std::vector<Float128>& values,
                                    const std::string& what, const std::string& where) {
  // A part without a value makes the whole one without a value, even if the numbers forget it: 1/(1/0) is
  // no 0. A part may be too large for a double if the whole is not.
  const auto none = [](Float128 x) { return !finite(x); };
  const auto overflows = [](Float128 x) { return !finite(static_cast<double>(x)); };
  auto at = std::find_if(values.begin(), values.end(), none);
  if (at == values.end() && overflows(values.back()))
    at = std::find_if(values.begin(), values.end(), overflows);
  if (at == values.end()) return false;
  const Span part = f.nodes[static_cast<std::size_t>(at - values.begin())].span;
  const bool whole = at + 1 == values.end() || v.kind != Value::Kind::text;
  std::string sentence = whole ? what : ticked(f.part(part)) + " in " + what;
  sentence.append(" is ").append(number_text(*at)).append(where);
  fail(*v.source, v.kind == Value::Kind::text ? v.place(part) : v.span, std::move(sentence));
  return true;
}

}  // namespace taut
