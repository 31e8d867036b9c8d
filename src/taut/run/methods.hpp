// The catalogue as data, for those who list it: no method is compiled here.
#pragma once

#include <taut/method/facts.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taut {

std::vector<MethodFacts> method_facts();

// The rows as people write them, and the aliases.
std::vector<std::string> method_names();

// One word; `taut methods` explains it.
std::string_view tier_name(Tier tier);

}  // namespace taut
