// The catalogues as data, for those who list them: no method is compiled here.
#pragma once

#include <taut/formulation/facts.hpp>
#include <taut/method/facts.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Returns the methods for the constrained equations, then those for a formulation of them
// (ordinary_method_facts()).
std::vector<MethodFacts> method_facts();

// Returns the methods that integrate a formulation. Their claims are about the method by itself.
std::vector<MethodFacts> ordinary_method_facts();
std::vector<FormulationFacts> formulation_facts();
std::vector<std::string> formulation_names();

// Returns the rows as people write them, and the aliases.
std::vector<std::string> method_names();

// Adds the default number of stages or steps if a method has one and none is given: lobatto(3) for lobatto.
// Returns other names as they are.
std::string numbered_name(const std::string& method);

// "shake, rattle, … and compositions of rattle": those that can also sum without compensation.
std::string methods_with_plain_updates();

// About how many steps of RATTLE cost as much as one step of the method; none if there is no such method for the
// constrained equations themselves.
std::optional<int> work_of(const std::string& method);

// Returns `why`, which says what is wrong with the method's name; if the name is unknown, adds the nearest
// name and all names.
std::string unknown_method_sentence(std::string_view method, const std::string& why);

// Returns one word, which `taut methods` explains.
std::string_view tier_name(Tier tier);

}  // namespace taut
