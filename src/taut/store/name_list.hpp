// Writes long lists of names as JSON. Those of 200 000 particles are not written one by one: names that
// differ in their number alone, x0, y0, z0, x1, …, are one object, {"each": ["x", "y", "z"], "from": 0,
// "count": 200000}, among the others, which are texts.
#pragma once

#include <taut/bytes/json.hpp>

#include <string>
#include <vector>

namespace taut {

// Folds the names. Throws WriteError if there are more than unfolded() takes.
Json folded(const std::vector<std::string>& names);

// Unfolds them. Throws InputError if this is not such a list, or a longer one.
std::vector<std::string> unfolded(const Json& list);

}  // namespace taut
