#include <taut/bytes/json.hpp>
#include <taut/method/methods.hpp>

#include <taut/contract/request.hpp>
#include <taut/run/bundled.hpp>
#include <taut/run/listing.hpp>
#include <taut/run/model_run.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <algorithm>

#include "commands.hpp"

namespace taut::cli {

namespace {

int print_json() {
  fmt::print("{}\n", methods_as_json().to_text(2));
  return finish_output();
}

// Returns the names that stand for a method of the list.
std::vector<std::string> aliases() {
  std::vector<std::string> labels, others;
  for (const MethodFacts& m : method_facts()) labels.push_back(label(m));
  for (std::string& name : method_names())
    if (std::find(labels.begin(), labels.end(), name) == labels.end()) others.push_back(std::move(name));
  return others;
}

void print_one(const std::string& name, const MethodFacts& m) {
  fmt::print("{}\n  {}\n  order {}, {}symmetric, {}symplectic; keeps {}; needs {}\n  {}; {}\n", name, m.what,
             m.order, m.symmetric ? "" : "not ", m.symplectic ? "" : "not ", keeps_name(m.keeps),
             tier_name(m.tier), m.source, theory_page(m.theory));
}

void print_conditions(const std::string& text) {
  for (const std::string& line : conditions_of_own(text)) fmt::print("  {}\n", line);
}

// Prints the methods that a model defines in [methods], with the conditions on their coefficients.
int print_own(const std::string& problem, bool json) {
  const ModelRun run = read_model_run(problem, {}, {});
  Json list = Json::list();
  for (const OwnMethod& method : run.model.methods) {
    const std::string text = run.method_text(method.name);
    const MethodFacts facts = named_method(text).facts;
    if (json) {
      list.push_back(method_as_json(method.name, facts));
      list.back()["definition"] = method.text;
      list.back()["conditions"] = conditions_of_own(text);
      continue;
    }
    print_one(method.name, facts);
    fmt::print("  {}\n", method.text);
    print_conditions(text);
  }
  if (json)
    fmt::print("{}\n", list.to_text(2));
  else if (run.model.methods.empty())
    fmt::print("{} has no methods of its own: no table [methods].\n", harmless(problem));
  return finish_output();
}

// Prints the method of this name, or all whose names begin with it.
int print_named(const std::string& name) {
  const NamedMethod named = named_method(name);
  const bool family = name.find('(') == std::string::npos;
  bool found = false;
  for (const MethodFacts& m : method_facts()) {
    if (label(m) != name && !(family && label(m).starts_with(name + "(")) &&
        !(!named.why_not.empty() && label(m).starts_with(name)))
      continue;
    print_one(label(m), m);
    found = true;
  }
  if (!found && !named.why_not.empty()) throw InputError(unknown_method_sentence(name, named.why_not));
  if (!found) {
    print_one(name, named.facts);
    print_conditions(name);
  }
  return finish_output();
}

int print_methods() {
  const auto rows = method_facts();
  const auto yes = [](bool b) { return b ? "yes" : "no"; };
  std::size_t name = 0;
  for (const MethodFacts& m : rows) name = std::max(name, label(m).size());
  fmt::print("{:{}}  order  symmetric  symplectic  needs        what\n", "name", name);
  for (const MethodFacts& m : rows)
    fmt::print("{:{}}  {:5}  {:9}  {:10}  {:11}  {}\n", label(m), name, m.order, yes(m.symmetric),
               yes(m.symplectic), tier_name(m.tier), m.what);
  if (const auto others = aliases(); !others.empty()) fmt::print("\nother names: {}\n", joined(others));
  fmt::print(
      "`taut methods NAME` adds where a method comes from, what it keeps and the page of its theory.\n"
      "\nneeds: natural, H = p'Wp/2 + V(q); split, the same with V = V_slow + V_fast; hamiltonian, any H(q, "
      "p); dirac, the\nsame with derivatives of G H_p, which every problem here has.\n"
      "A composition takes another base in brackets, also another composition: yoshida4(midpoint), "
      "yoshida4(lobatto(3)),\nyoshida4(yoshida4). impulse(k) makes k substeps. Coefficients of your own: "
      "composition(0.5, 0.5), or [methods] in a model. adaptive(M) takes steps of M whose sizes differ, "
      "reversibly, as "
      "--step-function\nsays: adaptive(rattle), adaptive(lobatto(3)).\n\n"
      "Methods from {} on integrate an ordinary differential equation with the same solutions, chosen by "
      "--formulation;\ntheir order, symmetry and symplecticity are those of the method on it, and "
      "--projection brings them back to the manifold:\n\n",
      ordinary_method_facts().front().name);
  std::size_t width = 0;
  for (const FormulationFacts& f : formulation_facts()) width = std::max(width, f.name.size());
  for (const FormulationFacts& f : formulation_facts())
    fmt::print("{:{}}  {}\n{:{}}  {}; docs/theory/{}.md\n", f.name, width, f.what, "", width, f.source,
               f.theory);
  fmt::print(
      "\nNumbers of a formulation stand in brackets: 'baumgarte(5, 5)', 'penalty(1e-4)', 'dirac(2)'. index-2 "
      "and "
      "ggl are for\nbdf(k) and radau(s).\n");
  return finish_output();
}

}  // namespace

void add_methods(Program& program) {
  const auto json = std::make_shared<bool>(false);
  const auto name = std::make_shared<std::string>();
  Option which = place("NAME", *name, "one method, or all whose names begin so");
  which.words = method_names;
  const auto model = std::make_shared<std::string>();
  Option own =
      option("--model", "MODEL", *model, "the methods that this model defines, with their conditions");
  own.words = bundled_names;
  own.files = Option::Files::models;
  program.add({.name = "methods",
               .what = "List the methods: order, symmetry, what they need and what they are",
               .examples = "  taut methods                                     how it can be integrated\n",
               .options = {which, own, flag("--json", *json, "print a JSON list")},
               .action = [json, name, model] {
                 if (!model->empty()) return print_own(*model, *json);
                 return *json ? print_json() : name->empty() ? print_methods() : print_named(*name);
               }});
}

}  // namespace taut::cli
