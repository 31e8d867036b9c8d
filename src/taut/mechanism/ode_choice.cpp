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

// Reads the rule of state-space(KIND, WHEN, THRESHOLD). What is left out at the end has its default.
ChartRule chart_rule(std::string_view arguments) {
  ChartRule rule;
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= arguments.size();) {
    const std::size_t comma = std::min(arguments.find(',', begin), arguments.size());
    words.push_back(trimmed(arguments.substr(begin, comma - begin)));
    begin = comma + 1;
  }
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
    const auto [end, error] =
        std::from_chars(words[2].data(), words[2].data() + words[2].size(), rule.threshold);
    if (error != std::errc{} || end != words[2].data() + words[2].size() || words.size() > 3 ||
        !(rule.threshold > 0 && rule.threshold < 1))
      throw ChoiceError("formulation",
                        "the threshold of a chart is one number between 0 and 1, as in "
                        "state-space(coordinates, after, 0.7).");
  }
  return rule;
}

}  // namespace

bool needs_formulation(const std::string& method) { return named_method(method).needs_formulation; }

std::optional<OdeChoice> ode_choice(const std::string& method, const RunRequest& request) {
  const NamedMethod named = named_method(method);
  if (!named.needs_formulation) {
    // If the name does not exist at all, that is said first.
    if (!named.why_not.empty()) throw ChoiceError("method", unknown_method_sentence(method, named.why_not));
    if (!request.formulation.empty())
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
    return std::nullopt;
  }
  if (!named.why_not.empty()) throw ChoiceError("method", named.why_not + ".");

  const std::vector<std::string> formulations = formulation_names();
  OdeChoice choice{.formulation = request.formulation.empty() ? formulations.front() : request.formulation,
                   .kind = request.projection.empty() ? "none" : request.projection,
                   .projection = {}};
  if (const std::size_t open = choice.formulation.find('(');
      choice.formulation.ends_with(')') && choice.formulation.substr(0, open) == "state-space") {
    choice.charts = chart_rule(
        std::string_view(choice.formulation).substr(open + 1, choice.formulation.size() - open - 2));
    choice.formulation.erase(open);
  }
  if (std::find(formulations.begin(), formulations.end(), choice.formulation) == formulations.end())
    refuse("formulation", choice.formulation, formulations);
  const auto kind = choice_named<ProjectionKind>(choice.kind);
  if (!kind) refuse("projection", choice.kind, listed(choice_names<ProjectionKind>));
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
  return choice;
}

}  // namespace taut
