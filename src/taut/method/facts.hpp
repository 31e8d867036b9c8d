// The claims of a method, in one row: the command line, the docs and the theorem tests all read it, and the
// tests measure every claim on nonlinear problems.
#pragma once

#include <taut/problem/tier.hpp>

#include <string>
#include <string_view>

namespace taut {

// The set on which the map lives: on M = {g = 0, G H_p = 0}, only on {g = 0}, only on {G H_p = 0}, or on
// neither.
enum class Keeps { position_and_momentum, position, momentum, nothing };
constexpr bool keeps_position(Keeps keeps) {
  return keeps == Keeps::position_and_momentum || keeps == Keeps::position;
}
constexpr bool keeps_momentum(Keeps keeps) {
  return keeps == Keeps::position_and_momentum || keeps == Keeps::momentum;
}

struct MethodFacts {
  std::string_view name;
  int argument = 0;            // written name(argument) unless it is 0
  std::string_view base = {};  // written name(base) for a composition over another base than its usual one
  std::string_view what;
  std::string_view source;  // short name of the paper and equation numbers
  std::string_view theory;  // page under docs/theory/
  int order = 0;
  bool symmetric = false;
  bool symplectic = false;
  Keeps keeps = Keeps::position_and_momentum;
  Tier tier = Tier::natural;  // what a problem must offer
  int work = 1;               // a step costs about so many steps of RATTLE; long runs are compiled
  int solve_limit = 0;        // the corrections that one solve may take; 0: the limit of Newton's iteration
  int solves = 1;             // the solves of a step that are counted together; 0: as many as it needs
  int past = 0;  // a multistep formula uses so many earlier points: then `symmetric` is said of its
                 // sequence of points, and not of a map from (q, p)
};

// Asks whether the map from (q, p) to the next (q, p) is symmetric, that is Φ_{-h} Φ_h = 1.
constexpr bool is_symmetric_map(const MethodFacts& facts) { return facts.symmetric && facts.past == 0; }

// The number in name(number): "s", "stages", and its least and greatest value. A method that has one offers
// `number()` and `numbered(n)`; without a number people get the one that a default-constructed method has.
struct MethodNumber {
  std::string_view letter, means;
  int least, most;
};
template <class Method>
concept Numbered = requires(const Method& method, int n) {
  Method::number().least;
  method.numbered(n);
};

// Plain sums are there to show what compensated sums buy. A method that shows it says so by a member
// `offers_plain_updates`; for the others they would only take the compiler's time.
template <class Method>
concept OffersPlainUpdates = requires { requires Method::offers_plain_updates; };

// Returns the name as people write it: "rattle", "lobatto(3)", "yoshida4(midpoint)".
inline std::string label(const MethodFacts& facts) {
  std::string text(facts.name);
  if (facts.argument != 0) text.append("(").append(std::to_string(facts.argument)).append(")");
  if (!facts.base.empty()) text.append("(").append(facts.base).append(")");
  return text;
}

// Returns the text of a method with its own definitions left out: "mine" for "mine=composition(0.5, 0.5)",
// "yoshida4(mine)" for "yoshida4(mine=composition(0.5, 0.5))".
inline std::string short_name(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') {
      shown += text[i];
      continue;
    }
    int depth = 0;
    for (; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) break;
    }
  }
  return shown;
}

// Reads the row of a method: a constant, or a function if it depends on the method's parameters.
template <class Method>
auto facts_of(const Method& method) {
  if constexpr (requires { method.facts(); })
    return method.facts();
  else
    return Method::facts;
}

}  // namespace taut
