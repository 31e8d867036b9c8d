// What is claimed of a method, in one row: the command line, the docs and the theorem tests all read it, and the tests
// measure every claim on nonlinear problems.
#pragma once

#include <string_view>

namespace taut {

enum class Tier { natural, split, hamiltonian };

// Where the map lives: on M = {g = 0, G H_p = 0}, or only on {g = 0}.
enum class Keeps { position_and_momentum, position };

struct MethodFacts {
  std::string_view name;
  std::string_view what;
  std::string_view source;  // short name of the paper and equation numbers
  std::string_view theory;  // page under docs/theory/
  int order = 0;
  bool symmetric = false;
  bool symplectic = false;
  Keeps keeps = Keeps::position_and_momentum;
  Tier tier = Tier::natural;
};

}  // namespace taut
