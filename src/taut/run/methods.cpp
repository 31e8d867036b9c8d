#include <taut/method/catalogue.hpp>
#include <taut/run/methods.hpp>

namespace taut {

std::vector<MethodFacts> method_facts() {
  std::vector<MethodFacts> rows;
  for_each_method([&](const auto& method) { rows.push_back(facts_of(method)); });
  return rows;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodFacts& row : method_facts()) names.push_back(label(row));
  for (const CompositionAlias& a : composition_aliases) names.emplace_back(a.alias);
  return names;
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
