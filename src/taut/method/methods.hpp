// The catalogues as data, compiled once: who lists methods or looks one up by its name includes no template
// of them.
#pragma once

#include <taut/formulation/facts.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/projection_kind.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// The methods for the constrained equations, then ordinary_method_facts().
std::vector<MethodFacts> method_facts();

// The methods that integrate a formulation. Their rows claim what holds for an ordinary differential
// equation.
std::vector<MethodFacts> ordinary_method_facts();
std::vector<FormulationFacts> formulation_facts();
std::vector<std::string> formulation_names();

// Returns the rows as people write them, and the aliases.
std::vector<std::string> method_names();

// What a name means.
struct NamedMethod {
  MethodFacts facts = {};
  bool needs_formulation = false;  // it is one of ordinary_method_facts()
  bool is_composition = false;
  bool is_composition_of_rattle = false;
  bool takes_forms = false;  // it is offered on formulations that keep multipliers as unknowns
  bool solves = true;        // false: it is explicit, and a step has no equations to solve
  std::string why_not = {};  // why no method has this name; empty if one has
};
NamedMethod named_method(std::string_view name);

// Returns M for adaptive(M), a method whose steps differ in size; nothing for all others.
std::optional<std::string> base_of_adaptive(std::string_view name);

// What a method claims when it integrates this formulation with this projection. All names exist.
MethodFacts facts_on_formulation(std::string_view method, std::string_view formulation,
                                 const Projection& projection);

// Says in a line what a method of one's own is and claims: "composition(0.5, 0.5): order 2, symmetric,
// symplectic".
std::string described(std::string_view method);

// Lists the conditions on the coefficients of a method of one's own, each with how far it is met; empty for
// others.
std::vector<std::string> conditions_of_own(std::string_view method);

// Adds the number of stages or steps if the method has one and none is said: lobatto becomes lobatto(3).
std::string numbered_name(const std::string& method);

// Names the methods that can also sum without compensation: "shake, rattle, … and compositions of rattle".
std::string methods_with_plain_updates();

// Returns `why`, which says what is wrong with the method's name; if the name is unknown, adds the nearest
// name and all names.
std::string unknown_method_sentence(std::string_view method, const std::string& why);

// Returns one word, which `taut methods` explains.
std::string_view tier_name(Tier tier);

}  // namespace taut
