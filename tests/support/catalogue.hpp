// The rows of the catalogue that fit a problem, each with its name in the trace of a failure.
#pragma once

#include <gtest/gtest.h>

#include "support/steppers.hpp"

namespace taut::test {

template <class P, class F>
void for_each_fitting_method(F&& f) {
  for_each_method([&](const auto& method) {
    using Method = std::decay_t<decltype(method)>;
    if constexpr (Method::template fits<P>) {
      SCOPED_TRACE(label(facts_of(method)));
      f(method);
    }
  });
}

// These families claim to be symplectic on no problem. The tests of that claim ask them whether this is so,
// and need not compile their steps.
template <class Method>
inline constexpr bool never_symplectic =
    std::is_same_v<Method, Radau> || std::is_same_v<Method, RadauProjected> ||
    std::is_same_v<Method, GaussProjected> || std::is_same_v<Method, Bdf> ||
    std::is_same_v<Method, BdfVariable> || std::is_same_v<Method, SymmetricMultistep>;

// Calls f(method) for one method of each family that solves for all stages, or past values, at once.
template <class F>
void for_each_family(F&& f) {
  f(Lobatto<>{.s = 3});
  f(Projected<DiracGauss>{.psi = {.s = 2}});
  f(Radau{.s = 2});
  f(Bdf{.k = 2});
}

}  // namespace taut::test
