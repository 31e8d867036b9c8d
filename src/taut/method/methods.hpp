// The catalogues as data, for those who list it: no method is compiled here.
#pragma once

#include <taut/formulation/facts.hpp>
#include <taut/method/facts.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Those for the constrained equations, then those for a formulation of them: ordinary_method_facts().
std::vector<MethodFacts> method_facts();

// The methods that integrate a formulation; what they claim is claimed of the method by itself.
std::vector<MethodFacts> ordinary_method_facts();
std::vector<FormulationFacts> formulation_facts();
std::vector<std::string> projection_names();

// The rows as people write them, and the aliases.
std::vector<std::string> method_names();

// With the number of stages or steps that a method has where none is said: lobatto(3) for lobatto. Others as they are.
std::string numbered_name(const std::string& method);

// `why` says what is wrong with the method's name; adds the nearest name and all of them if the name is unknown.
std::string unknown_method_sentence(std::string_view method, const std::string& why);

// One word; `taut methods` explains it.
std::string_view tier_name(Tier tier);

}  // namespace taut
