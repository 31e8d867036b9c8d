#include <taut/method/methods.hpp>
#include <taut/method/ode_catalogue.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taut {

std::vector<MethodFacts> method_facts() {
  std::vector<MethodFacts> rows;
  for_each_method([&](const auto& method) { rows.push_back(facts_of(method)); });
  for (const MethodFacts& row : ordinary_method_facts()) rows.push_back(row);
  return rows;
}

std::vector<MethodFacts> ordinary_method_facts() {
  std::vector<MethodFacts> rows;
  for_each_ode_scheme([&](const auto& scheme) {
    const SchemeFacts f = scheme.facts();
    rows.push_back({.name = f.name,
                    .argument = f.argument,
                    .what = f.what,
                    .source = f.source,
                    .theory = f.theory,
                    .order = f.order,
                    .symmetric = f.symmetric,
                    .symplectic = f.symplectic,
                    .keeps = Keeps::nothing,
                    .tier = Tier::dirac});
  });
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

std::string numbered_name(const std::string& method) {
  std::string name = method;
  const auto note = [&name](std::string_view row, int argument) {
    MethodFacts facts;
    facts.name = row;
    facts.argument = argument;
    if (argument != 0) name = label(facts);
  };
  if (is_ode_method(method))
    ode_names::with_scheme(method,
                           [&](const auto& scheme) { note(scheme.facts().name, scheme.facts().argument); });
  else
    with_method(method, [&](const auto& known) { note(facts_of(known).name, facts_of(known).argument); });
  return name;
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

std::optional<int> work_of(const std::string& method) {
  std::optional<int> work;
  with_method(method, [&](const auto& known) { work = facts_of(known).work; });
  return work;
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
