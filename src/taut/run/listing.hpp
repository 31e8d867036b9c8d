// The methods and the models that come with the program, as lists and as JSON.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/method/facts.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taut {

// Says in words what a method keeps: "position and momentum".
std::string_view keeps_name(Keeps keeps);
// Returns the path of a page of theory in the documentation.
std::string theory_page(std::string_view theory);
// Makes the row of one method, under the name that people write.
Json method_as_json(const std::string& name, const MethodFacts& m);
// Lists all methods.
Json methods_as_json();

struct ListedProblem {
  std::string name, description, tier, method;
  int coordinates = 0, constraints = 0;
  double step = 0;
  std::vector<std::pair<std::string, double>> parameters;
};
std::vector<ListedProblem> bundled_problems();
Json as_json(const std::vector<ListedProblem>& problems);

}  // namespace taut
