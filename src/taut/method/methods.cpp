#include <taut/method/methods.hpp>
#include <taut/method/ode_catalogue.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taut {

namespace {

template <class Method>
inline constexpr bool is_composition = false;
template <class Base>
inline constexpr bool is_composition<Composition<Base>> = true;

template <class Scheme>
MethodFacts row_of(const Scheme& scheme) {
  const SchemeFacts f = scheme.facts();
  return {.name = f.name,
          .argument = f.argument,
          .what = f.what,
          .source = f.source,
          .theory = f.theory,
          .order = f.order,
          .symmetric = f.symmetric,
          .symplectic = f.symplectic,
          .keeps = Keeps::nothing,
          .tier = Tier::dirac};
}

}  // namespace

std::vector<MethodFacts> method_facts() {
  std::vector<MethodFacts> rows;
  for_each_method([&](const auto& method) { rows.push_back(facts_of(method)); });
  for (const MethodFacts& row : ordinary_method_facts()) rows.push_back(row);
  return rows;
}

std::vector<MethodFacts> ordinary_method_facts() {
  std::vector<MethodFacts> rows;
  for_each_ode_scheme([&](const auto& scheme) { rows.push_back(row_of(scheme)); });
  return rows;
}

std::vector<FormulationFacts> formulation_facts() {
  std::vector<FormulationFacts> rows;
  for_each_formulation([&](const auto& row) { rows.push_back(row.facts); });
  return rows;
}

std::vector<std::string> formulation_names() {
  std::vector<std::string> names;
  for (const FormulationFacts& row : formulation_facts()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodFacts& row : method_facts()) names.push_back(label(row));
  for (const CompositionAlias& a : composition_aliases) names.emplace_back(a.alias);
  return names;
}

NamedMethod named_method(std::string_view name) {
  NamedMethod found{.needs_formulation = is_ode_method(name)};
  std::optional<NameError> error;
  if (found.needs_formulation)
    error = ode_names::with_scheme(name, [&](const auto& scheme) { found.facts = row_of(scheme); });
  else
    error = with_method(name, [&](const auto& method) {
      found.facts = facts_of(method);
      found.is_composition = is_composition<std::remove_cvref_t<decltype(method)>>;
    });
  if (error) found.why_not = error->message;
  return found;
}

MethodFacts facts_on_formulation(std::string_view method, std::string_view formulation,
                                 const Projection& projection) {
  MethodFacts facts;
  with_ode_method(method, formulation, projection, [&](const auto& m) { facts = facts_of(m); });
  return facts;
}

std::string numbered_name(const std::string& method) {
  const MethodFacts facts = named_method(method).facts;
  return facts.argument == 0 ? method : label(facts);
}

std::string methods_with_plain_updates() {
  std::vector<std::string> names;
  bool compositions = false;
  for_each_method([&](const auto& method) {
    if constexpr (OffersPlainUpdates<std::remove_cvref_t<decltype(method)>>) {
      if constexpr (requires { method.scheme; })
        compositions = true;
      else
        names.emplace_back(facts_of(method).name);
    }
  });
  return joined(names) + (compositions ? " and compositions of rattle" : "");
}

std::string unknown_method_sentence(std::string_view method, const std::string& why) {
  const auto names = method_names();
  std::vector<std::string> bases;  // without arguments: lobatto(7) errs in the number, not in the name
  for (const std::string& name : names) bases.push_back(name.substr(0, name.find('(')));
  const std::string base(method.substr(0, method.find('(')));
  const bool known = std::find(bases.begin(), bases.end(), base) != bases.end();
  if (known) return why + ".";
  const std::string nearest = nearest_name(base, bases);
  const std::string_view argument = method.substr(base.size());  // as it was typed, with its parentheses
  return fmt::format("{}.{}\n  The methods are: {}.", why,
                     nearest.empty() ? "" : fmt::format(" Did you mean `{}{}`?", nearest, argument),
                     joined(names));
}

std::string_view tier_name(Tier tier) {
  switch (tier) {
    case Tier::natural:
      return "natural";
    case Tier::split:
      return "split";
    case Tier::hamiltonian:
      return "hamiltonian";
    case Tier::dirac:
      return "dirac";
  }
  return "";
}

}  // namespace taut
