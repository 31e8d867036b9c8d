// Reads a number or a formula of the file: parses it, looks up its names, and evaluates it if it may use
// parameters alone.
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/equation.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

bool ModelReader::is_allowed(What what, Use use) {
  switch (what) {
    case What::parameter:
      return true;
    case What::free:
      return use == Use::parametrisation;
    case What::coordinate:
    case What::definition:  // what it has in it is asked where it is used
      return use != Use::parameters && use != Use::parametrisation;
    case What::momentum:
      return use == Use::state || use == Use::motion || use == Use::definition || use == Use::sample;
    case What::velocity:
      return use == Use::lagrangian || use == Use::rolling || use == Use::motion || use == Use::definition ||
             use == Use::sample;
  }
  return false;
}

const char* ModelReader::allowed_here(Use use) {
  switch (use) {
    case Use::position:
    case Use::constraint:
      return "here coordinates and parameters are allowed";
    case Use::parametrisation:
      return "here the parametrisation's own coordinates and parameters are allowed";
    case Use::parameters:
      return "here only parameters are allowed";
    case Use::lagrangian:
    case Use::rolling:
      return "here coordinates, velocities and parameters are allowed";
    case Use::state:
      return "here coordinates, momenta and parameters are allowed";
    default:
      return "here coordinates, momenta, velocities and parameters are allowed";
  }
}

std::string ModelReader::forbidden_in(const std::string& definition, Use use) const {
  const auto number = definition_number_.find(definition);
  if (number == definition_number_.end()) return "";  // a vector: its components are asked
  const Definition& made = definitions_[static_cast<std::size_t>(number->second)];
  if (!made.momentum.empty() && !is_allowed(What::momentum, use))
    return "the momentum " + ticked(made.momentum);
  if (!made.velocity.empty() && !is_allowed(What::velocity, use))
    return "the velocity " + ticked(made.velocity);
  if (made.time && !model_.dynamics.timed && use != Use::sample && use != Use::definition)
    return "the time `t`";
  return "";
}

std::string ModelReader::word_of(What what) {
  switch (what) {
    case What::parameter:
      return "parameter";
    case What::free:
      return "coordinate of the parametrisation";
    case What::coordinate:
      return "coordinate";
    case What::momentum:
      return "momentum";
    case What::velocity:
      return "velocity";
    case What::definition:
      return "definition";
  }
  return "";
}

std::vector<std::string> ModelReader::known_for(Use use) const {
  std::vector<std::string> known;
  if (use == Use::parametrisation)
    known = model_.free_coordinates;
  else if (use != Use::parameters)
    known = model_.coordinates;
  for (const char* const prefix : {"p_", "v_"})
    for (const std::string& x : model_.coordinates)
      if (const auto at = names_.find(prefix + x); at != names_.end() && is_allowed(at->second, use))
        known.push_back(at->first);
  if (is_allowed(What::definition, use))
    for (const NamedFormula& a : model_.definitions)
      if (forbidden_in(a.name, use).empty()) known.push_back(a.name);
  for (const NamedFormula& a : model_.parameters) known.push_back(a.name);
  offer_time(known, use == Use::sample);
  if (use == Use::sample) {
    for (std::size_t k = 1; k <= model_.constraints.size() && !reads_events_; ++k)
      known.push_back("lambda_" + std::to_string(k));
  }
  return known;
}

// The time is written t, whatever the coordinate is called that stands for it.
void ModelReader::offer_time(std::vector<std::string>& known, bool in_samples) const {
  const bool timed = model_.dynamics.timed;
  const bool is_coordinate = timed && std::erase(known, time_name) > 0;
  for (const char* const prefix : {"p_", "v_"})
    if (timed) std::erase(known, std::string(prefix) + time_name);
  if ((is_coordinate || in_samples) && !names_.contains("t")) known.emplace_back("t");
}

// The search for a near name goes through all names, so it is made only for errors that may be shown.
std::string ModelReader::known_here(const std::string& name, Use use) const {
  return errors_.size() < most_errors_shown ? known_names("known here:", name, known_for(use)) : "";
}

bool ModelReader::formula(const Value& v, const std::string& what, Use use, Formula& out) {
  if (!formula_as_written(v, what, use, out)) return false;
  if (!write_out_definitions(out)) {
    name_time(out);
    return true;
  }
  name_time(out);
  written_out_ += out.nodes.size();
  if (written_out_ <= most_written_out) return true;
  if (written_out_ - out.nodes.size() <= most_written_out)
    fail(v, "with their definitions written out, the formulas up to " + what + " have more than " +
                std::to_string(most_written_out) + " parts");
  return false;
}

bool ModelReader::formula_as_written(const Value& v, const std::string& what, Use use, Formula& out) {
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
  const bool may_be_equation = use == Use::constraint || use == Use::rolling;
  ParsedFormula parsed =
      may_be_equation ? parse_equation(v.text, what, vectors_) : parse_formula(v.text, what, vectors_);
  return names_are_known(v, what, use, parsed, out);
}

// Reports what is wrong with a formula that was parsed, and takes it.
bool ModelReader::names_are_known(const Value& v, const std::string& what, Use use, ParsedFormula& parsed,
                                  Formula& out) {
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
    const std::string forbidden =
        found != names_.end() && found->second == What::definition ? forbidden_in(name, use) : "";
    const bool is_time = found == names_.end() && name == "t" &&
                         (model_.dynamics.timed ? is_allowed(What::coordinate, use) : use == Use::definition);
    const bool known = (found != names_.end() && is_allowed(found->second, use) && forbidden.empty()) ||
                       is_time || (use == Use::sample && is_of_sample(name));
    if (known || !told.insert(name).second) continue;
    fine = false;
    if (!all_coordinates_ && use != Use::parameters && use != Use::parametrisation)
      continue;  // may be one of the refused coordinates
    const Span at = out.is_defined(node.span) ? v.span : v.place(node.span);
    if (found != names_.end() && is_allowed(found->second, use))
      fail(*v.source, at, what + " uses " + ticked(name) + ", which has " + forbidden, allowed_here(use));
    else if (found != names_.end())
      fail(*v.source, at, what + " uses the " + word_of(found->second) + " " + ticked(name),
           allowed_here(use));
    else if (later_parameters_.contains(name))
      fail(*v.source, at, what + " uses " + ticked(name) + ", which comes later",
           use == Use::parameters ? "parameters are evaluated in the order of the file"
                                  : "definitions may use those before them");
    else
      fail(*v.source, at, "unknown name " + ticked(name) + " in " + what,
           known_here(name, use) +
               (name == "t" || name == "time" ? " The time is t, in formulas of the mechanics" : ""));
  }
  return fine;
}

// The name stands behind the text of the formula, as those of definitions do.
void ModelReader::name_time(Formula& f) const {
  if (!model_.dynamics.timed || names_.contains("t")) return;
  const std::string name = time_name;
  for (FormulaNode& node : f.nodes) {
    if (node.op != Op::input || f.part(node.span) != "t") continue;
    const std::size_t begin = f.text.size() + f.defined.size();
    f.defined += name;
    node.span = {begin, begin + name.size()};
  }
}

bool ModelReader::write_out_definitions(Formula& f) const {
  if (definitions_.empty() || written_out_ > most_written_out) return !definitions_.empty();
  std::set<int> used;  // in the order of the file, so that each comes after those that it uses
  const auto number_of = [&](const Formula& g, const FormulaNode& node) {
    if (node.op != Op::input) return -1;
    const auto at = definition_number_.find(std::string(g.part(node.span)));
    return at == definition_number_.end() ? -1 : at->second;
  };
  const auto collect = [&](const Formula& g) {
    for (const FormulaNode& node : g.nodes)
      if (const int k = number_of(g, node); k >= 0) used.insert(k);
  };
  collect(f);
  if (used.empty()) return false;
  // A definition uses earlier ones, so that what is added here is still to come.
  for (auto k = used.rbegin(); k != used.rend(); ++k)
    collect(definitions_[static_cast<std::size_t>(*k)].formula);
  Formula whole{f.text, {}, {}};
  std::map<int, int> root;  // the node of each definition
  const auto add = [&](const Formula& g, std::size_t shift) {
    std::vector<int> at;
    for (const FormulaNode& node : g.nodes) {
      if (const int k = number_of(g, node); k >= 0) {
        at.push_back(root.at(k));
        continue;
      }
      FormulaNode copy = node;
      if (copy.a >= 0) copy.a = at[static_cast<std::size_t>(copy.a)];
      if (copy.b >= 0) copy.b = at[static_cast<std::size_t>(copy.b)];
      copy.span = {copy.span.begin + shift, copy.span.end + shift};
      at.push_back(static_cast<int>(whole.nodes.size()));
      whole.nodes.push_back(copy);
    }
    return at.back();
  };
  for (const int k : used) {
    const Formula& g = definitions_[static_cast<std::size_t>(k)].formula;
    const std::size_t shift = whole.text.size() + whole.defined.size();
    whole.defined += g.text;
    root[k] = add(g, shift);
  }
  const int last = add(f, 0);
  // A formula that is no more than a name ends with the node of a definition, which must come last.
  if (last + 1 != static_cast<int>(whole.nodes.size()))
    whole.nodes.resize(static_cast<std::size_t>(last) + 1);
  f = std::move(whole);
  return true;
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
  const auto is_not_finite = [](Float128 x) { return !finite(x); };
  const auto overflows = [](Float128 x) { return !finite(static_cast<double>(x)); };
  auto at = std::find_if(values.begin(), values.end(), is_not_finite);
  if (at == values.end() && overflows(values.back()))
    at = std::find_if(values.begin(), values.end(), overflows);
  if (at == values.end()) return false;
  const Span part = f.nodes[static_cast<std::size_t>(at - values.begin())].span;
  const bool whole = at + 1 == values.end() || v.kind != Value::Kind::text;
  std::string sentence = whole ? what : ticked(f.part(part)) + " in " + what;
  sentence.append(" is ").append(number_text(*at)).append(where);
  fail(*v.source, v.kind == Value::Kind::text && !f.is_defined(part) ? v.place(part) : v.span,
       std::move(sentence));
  return true;
}

}  // namespace taut
