// The catalogue as data, for those who list it: no method is compiled here.
#pragma once

#include <taut/method/facts.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taut {

std::vector<MethodFacts> method_facts();

// Every name that is understood, aliases included.
std::vector<std::string_view> method_names();

// "H = p'Wp/2 + V(q)" and the like: what a tier asks of a problem.
std::string_view tier_name(Tier tier);

}  // namespace taut
