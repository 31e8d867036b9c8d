#include <taut/bytes/json.hpp>
#include <taut/method/methods.hpp>

#include <fmt/core.h>

#include "commands.hpp"

namespace taut::cli {

namespace {

std::string_view keeps_name(Keeps keeps) {
  switch (keeps) {
    case Keeps::position_and_momentum:
      return "position and momentum";
    case Keeps::position:
      return "position";
    case Keeps::nothing:
      return "nothing";
  }
  return "";
}

std::string page_of(std::string_view theory) { return fmt::format("docs/theory/{}.md", theory); }

int print_json() {
  const std::vector<std::string> formulations = formulation_names();
  Json list = Json::list();
  for (const MethodFacts& m : method_facts()) {
    list.push_back(Json::object({{"name", label(m)},
                                 {"order", m.order},
                                 {"symmetric", m.symmetric},
                                 {"symplectic", m.symplectic},
                                 {"keeps", keeps_name(m.keeps)},
                                 {"tier", tier_name(m.tier)},
                                 {"what", m.what},
                                 {"source", m.source},
                                 {"theory", page_of(m.theory)}}));
    if (m.tier == Tier::dirac && m.keeps == Keeps::nothing) list.back()["formulations"] = formulations;
  }
  fmt::print("{}\n", list.to_text(2));
  return finish_output();
}

int print_methods() {
  const auto rows = method_facts();
  const auto yes = [](bool b) { return b ? "yes" : "no"; };
  std::size_t name = 0, theory = 0;
  for (const MethodFacts& m : rows) {
    name = std::max(name, label(m).size());
    theory = std::max(theory, m.theory.size());
  }
  fmt::print("{:{}}  order  symmetric  symplectic  needs        {:{}}  source\n", "name", name, "theory",
             theory + 15);
  for (const MethodFacts& m : rows)
    fmt::print("{:{}}  {:5}  {:9}  {:10}  {:11}  {:{}}  {}\n", label(m), name, m.order, yes(m.symmetric),
               yes(m.symplectic), tier_name(m.tier), page_of(m.theory), theory + 15, m.source);
  fmt::print(
      "\nneeds: natural, H = p'Wp/2 + V(q); split, the same with V = V_slow + V_fast; hamiltonian, any H(q, "
      "p); dirac, the\nsame with derivatives of G H_p, which every problem here has.\n"
      "A composition takes another base in brackets: yoshida4(midpoint). impulse(k) makes k substeps.\n\n"
      "Methods from {} on integrate an ordinary differential equation with the same solutions, chosen by "
      "--formulation;\ntheir order, symmetry and symplecticity are those of the method on it, and "
      "--projection brings them back to the manifold:\n\n",
      ordinary_method_facts().front().name);
  std::size_t width = 0;
  for (const FormulationFacts& f : formulation_facts()) width = std::max(width, f.name.size());
  for (const FormulationFacts& f : formulation_facts())
    fmt::print("{:{}}  {}\n{:{}}  {}; docs/theory/{}.md\n", f.name, width, f.what, "", width, f.source,
               f.theory);
  return finish_output();
}

}  // namespace

void add_methods(Program& program) {
  const auto json = std::make_shared<bool>(false);
  program.add({.name = "methods",
               .what = "List the methods: order, symmetry, what they need, where they come from",
               .examples = "  taut methods                                     how it can be integrated\n",
               .options = {flag("--json", *json, "print a JSON list")},
               .action = [json] { return *json ? print_json() : print_methods(); }});
}

}  // namespace taut::cli
