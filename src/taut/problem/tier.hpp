// The tiers of problem/tiers.hpp as data: what a method asks for, and what a problem of formulas says of
// itself.
#pragma once

namespace taut {

// dirac: Hamiltonian and Castable, for the derivatives of λ(q, p).
enum class Tier { natural, split, hamiltonian, dirac };

// True if a problem of the tier `offered` has all that a method of the tier `asked` calls. Every problem
// whose tier is data can be cast to other scalars.
constexpr bool covers(Tier offered, Tier asked) {
  switch (asked) {
    case Tier::natural:
      return offered == Tier::natural || offered == Tier::split;
    case Tier::split:
      return offered == Tier::split;
    case Tier::hamiltonian:
    case Tier::dirac:
      return true;
  }
  return false;
}

}  // namespace taut
