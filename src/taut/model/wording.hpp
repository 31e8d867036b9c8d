// Words that sentences about a model are made of.
#pragma once

#include <taut/model/source.hpp>
#include <taut/scalar/number.hpp>

namespace taut {

std::string ticked(std::string_view word);                       // `word`, harmless
std::string counted(std::size_t count, std::string_view thing);  // "1 row", "2 rows"
std::string number_text(Float128 x);

bool contains(const std::vector<std::string>& names, std::string_view name);

}  // namespace taut
