// "Did you mean": finds the known name nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Returns nothing if none is near.
std::string nearest_name(std::string_view asked, const std::vector<std::string>& names);

// Returns " Did you mean `rattle`?", or nothing.
std::string did_you_mean(std::string_view asked, const std::vector<std::string>& names);

// Returns "known here: a, b, c. Did you mean `b`?"
std::string known_names(std::string_view lead, std::string_view asked, const std::vector<std::string>& names);

std::string joined(const std::vector<std::string>& names, std::string_view between = ", ");

}  // namespace taut
