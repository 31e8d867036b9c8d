#include <taut/mechanism/ode_choice.hpp>
#include <taut/method/methods.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace taut {

namespace {

std::string ordinary_methods() {
  std::vector<std::string> names;
  for (const MethodFacts& row : ordinary_method_facts())
    if (const std::string name = row.argument == 0 ? std::string(row.name) : std::string(row.name) + "(s)";
        names.empty() || names.back() != name)
      names.push_back(name);
  return joined(names);
}

[[noreturn]] void refuse(const std::string& key, std::string_view asked,
                         const std::vector<std::string>& names) {
  throw ChoiceError(key, fmt::format("there is no {} `{}`.{}\n  The {}s are: {}.", key, asked,
                                     did_you_mean(asked, names), key, joined(names)));
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_constrained(std::string_view formulation) {
  for (const FormulationFacts& facts : formulation_facts())
    if (facts.name == formulation) return facts.constrained;
  return false;
}

bool is_number(std::string_view word, double& value) {
  const char* const end = word.data() + word.size();
  const auto [read, error] = std::from_chars(word.data(), end, value);
  return error == std::errc{} && read == end && std::isfinite(value);
}

// Reads the rule of state-space(KIND, WHEN, THRESHOLD). What is left out at the end has its default.
ChartRule chart_rule(const std::vector<std::string_view>& words) {
  ChartRule rule;
  const auto one_of = [](std::string_view word, std::string_view first, std::string_view second) {
    if (word != first && word != second)
      throw ChoiceError("formulation", fmt::format("`{}` says nothing about charts: give {} or {}, as in "
                                                   "state-space(coordinates, after, 0.7).",
                                                   word, first, second));
    return word == second;
  };
  if (one_of(words[0], "tangent", "coordinates")) rule.kind = ChartKind::coordinates;
  if (words.size() > 1 && one_of(words[1], "before", "after")) rule.change = ChartSwitch::after;
  if (words.size() > 2) {
    if (!is_number(words[2], rule.threshold) || words.size() > 3 ||
        !(rule.threshold > 0 && rule.threshold < 1))
      throw ChoiceError("formulation",
                        "the threshold of a chart is one number between 0 and 1, as in "
                        "state-space(coordinates, after, 0.7).");
  }
  return rule;
}

bool is_in(NumberRange range, double number) {
  switch (range) {
    case NumberRange::any:
      return true;
    case NumberRange::not_negative:
      return number >= 0;
    case NumberRange::positive:
      return number > 0 && std::isfinite(1 / number);
  }
  return false;
}

// Reads the numbers of a formulation that has some: baumgarte(ALPHA, BETA).
void read_numbers(const FormulationFacts& facts, const std::vector<std::string_view>& words,
                  OdeChoice& choice) {
  std::string form(facts.name);
  std::size_t most = 0;
  for (const FormulationNumber& number : facts.numbers) {
    choice.numbers[most] = number.usual;
    if (number.name.empty()) break;
    form.append(most == 0 ? "(" : ", ").append(number.name);
    if (++most == facts.numbers.size()) break;
  }
  if (words.empty()) return;
  if (most == 0)
    throw ChoiceError("formulation",
                      fmt::format("the formulation {} takes nothing in brackets, so `{}` has no "
                                  "meaning. Write {}.",
                                  facts.name, choice.arguments, facts.name));
  if (words.size() > most)
    throw ChoiceError("formulation", fmt::format("`{}` has {} numbers, and the formulation is {}).",
                                                 choice.written(), words.size(), form));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const FormulationNumber& number = facts.numbers[i];
    const bool is_read = is_number(words[i], choice.numbers[i]);
    if (is_read && is_in(number.range, choice.numbers[i])) continue;
    if (is_read && number.range == NumberRange::not_negative)
      throw ChoiceError(
          "formulation",
          fmt::format("`{}` is negative: with {} below 0 the formulation {}) would push off the "
                      "constraints what it is to hold on them. Give a number from 0 on, as in "
                      "{}({:g}).",
                      words[i], number.name, form, facts.name, number.usual));
    throw ChoiceError("formulation",
                      fmt::format("`{}` is no {} number: the formulation is {}), as in {}({:g}).", words[i],
                                  number.range == NumberRange::positive ? "positive" : "finite", form,
                                  facts.name, number.usual));
  }
}

// Returns the words between brackets; none if there are no brackets.
std::vector<std::string_view> words_of(std::string_view arguments) {
  std::vector<std::string_view> words;
  if (arguments.empty()) return words;
  const std::string_view inside = arguments.substr(1, arguments.size() - 2);
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', begin), inside.size());
    words.push_back(trimmed(inside.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return words;
}

// Reads both(euclidean, new): the scalar product of a projection and where its direction is taken.
void read_direction(std::string_view arguments, Projection& projection) {
  if (projection.kind == ProjectionKind::none)
    throw ChoiceError("projection",
                      "without a projection its direction has no meaning: choose position, "
                      "momentum or both.");
  for (const std::string_view word : words_of(arguments)) {
    if (const auto metric = choice_named<ProjectionMetric>(word))
      projection.metric = *metric;
    else if (const auto along = choice_named<ProjectionAlong>(word))
      projection.along = *along;
    else
      throw ChoiceError("projection",
                        fmt::format("`{}` is no direction of a projection: its metric is {}, and "
                                    "it goes along the {} normals, as in both(euclidean, new).",
                                    word, in_words(choice_names<ProjectionMetric>, "or"),
                                    in_words(choice_names<ProjectionAlong>, "or")));
  }
}

void read_arguments(OdeChoice& choice) {
  const std::vector<std::string_view> words = words_of(choice.arguments);
  if (choice.formulation == "state-space") {
    if (!words.empty()) choice.charts = chart_rule(words);
    return;
  }
  for (const FormulationFacts& facts : formulation_facts())
    if (facts.name == choice.formulation) read_numbers(facts, words, choice);
}

}  // namespace

bool needs_formulation(const std::string& method) { return named_method(method).needs_formulation; }

bool takes_formulation(const std::string& method, std::string_view formulation) {
  const NamedMethod named = named_method(method);
  return is_constrained(formulation) ? named.takes_forms : named.needs_formulation;
}

std::optional<OdeChoice> ode_choice(const std::string& method, const RunRequest& request) {
  const NamedMethod named = named_method(method);
  if (!named.needs_formulation) {
    // If the name does not exist at all, that is said first.
    if (!named.why_not.empty()) throw ChoiceError("method", unknown_method_sentence(method, named.why_not));
    const bool has_form = is_constrained(request.formulation);
    const bool is_its_own = named.facts.name == "half-explicit" && request.formulation == "index-2";
    if (has_form && !named.takes_forms && !is_its_own)
      throw ChoiceError("formulation", fmt::format("{} is not offered on the formulation {}, which keeps the "
                                                   "multipliers as unknowns. Leave it out, or use bdf(k) or "
                                                   "radau(s).",
                                                   method, request.formulation));
    if (!request.formulation.empty() && !has_form)
      throw ChoiceError("formulation",
                        fmt::format("{} takes no formulation: it solves the constrained equations "
                                    "themselves. Leave it out, or use one of {}.",
                                    method, ordinary_methods()));
    if ((!request.projection.empty() && request.projection != "none") ||
        request.projection_tolerance.value_or(0) != 0)
      throw ChoiceError("projection",
                        fmt::format("{} takes no projection: what it keeps, it keeps by itself. Leave it "
                                    "out, or use one of {}.",
                                    method, ordinary_methods()));
    if (has_form && !is_its_own)
      return OdeChoice{.formulation = request.formulation, .kind = "none", .projection = {}};
    return std::nullopt;
  }
  if (!named.why_not.empty()) throw ChoiceError("method", named.why_not + ".");

  const std::vector<std::string> formulations = formulation_names();
  OdeChoice choice{.formulation = request.formulation.empty() ? formulations.front() : request.formulation,
                   .kind = request.projection.empty() ? "none" : request.projection,
                   .projection = {}};
  if (const std::size_t open = choice.formulation.find('('); choice.formulation.ends_with(')')) {
    choice.arguments = choice.formulation.substr(open);
    choice.formulation.erase(open);
  }
  if (std::find(formulations.begin(), formulations.end(), choice.formulation) == formulations.end())
    refuse("formulation", choice.written(), formulations);
  if (is_constrained(choice.formulation))
    throw ChoiceError("formulation",
                      fmt::format("the formulation {} keeps the multipliers as unknowns, and {} "
                                  "integrates ordinary differential equations. Use bdf(k) or "
                                  "radau(s), or a formulation such as {}.",
                                  choice.formulation, method, formulations.front()));
  read_arguments(choice);
  const std::size_t bracket = choice.kind.find('(');
  const auto kind = choice_named<ProjectionKind>(std::string_view(choice.kind).substr(0, bracket));
  if (!kind || (bracket != std::string::npos && !choice.kind.ends_with(')')))
    refuse("projection", choice.kind, listed(choice_names<ProjectionKind>));
  const double tolerance = request.projection_tolerance.value_or(0);
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    throw ChoiceError(
        "projection",
        fmt::format("the tolerance of a projection must be 0 (every step) or a positive number, not {}.",
                    tolerance));
  if (*kind == ProjectionKind::none && tolerance > 0)
    throw ChoiceError(
        "projection",
        "without a projection its tolerance has no meaning: choose position, momentum or both.");
  choice.projection = {*kind, tolerance};
  if (bracket != std::string::npos)
    read_direction(std::string_view(choice.kind).substr(bracket), choice.projection);
  return choice;
}

}  // namespace taut
