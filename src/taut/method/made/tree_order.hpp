// The order of a Runge-Kutta method (A, b) by the conditions of all rooted trees: b·u(τ) = 1/γ(τ), where
// u(τ) = Π A u(child) over the root's children, and γ(τ) = |τ| Π γ(child). Labels: docs/theory/tableau.md.
#pragma once

#include <taut/method/tableau.hpp>

namespace taut {

// Returns the order, as far as `most`.                                                               (T8)
int tree_order(const Tableau<Float128>& t, int most = 10, double tolerance = 1e-13);

}  // namespace taut
