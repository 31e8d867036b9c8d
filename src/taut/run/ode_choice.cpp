#include <taut/method/ode_catalogue.hpp>
#include <taut/model/nearest_name.hpp>
#include <taut/run/methods.hpp>
#include <taut/run/ode_choice.hpp>
#include <taut/run/sentences.hpp>

#include <fmt/format.h>

#include <cmath>

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

}  // namespace

bool needs_formulation(const std::string& method) { return is_ode_method(method); }

std::optional<OdeChoice> ode_choice(const std::string& method, const RunRequest& request) {
  if (!needs_formulation(method)) {
    // A name that does not exist at all is told about that first.
    if (const auto error = with_method(method, [](const auto&) {}))
      throw ChoiceError("method", unknown_method_sentence(method, error->message));
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
  if (const auto error = ode_names::with_scheme(method, [](const auto&) {}))
    throw ChoiceError("method", error->message + ".");

  std::vector<std::string> formulations;
  for (const FormulationFacts& row : formulation_facts()) formulations.emplace_back(row.name);
  OdeChoice choice{.formulation = request.formulation.empty() ? formulations.front() : request.formulation,
                   .kind = request.projection.empty() ? "none" : request.projection,
                   .projection = {}};
  if (std::find(formulations.begin(), formulations.end(), choice.formulation) == formulations.end())
    refuse("formulation", choice.formulation, formulations);
  const auto kind = projection_kind(choice.kind);
  if (!kind) refuse("projection", choice.kind, projection_names());
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
