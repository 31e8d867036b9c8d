// Models that differ in their parameters alone often have formulas of one shape with other numbers in them.
// Such models can run side by side in the lanes of one problem: the numbers are then data of each lane.
#pragma once

#include <taut/model/formula_system.hpp>

#include <vector>

namespace taut {

// Says whether two systems have the same formulas up to their constants, and diagonal masses.
bool same_shape(const FormulaSystem& a, const FormulaSystem& b);

// Returns the constants of all formulas and the diagonal of W, in the order in which
// FormulaProblem::take_constants takes them, or, if `sized`, SizedFormulaProblem.
std::vector<double> lane_constants(const FormulaSystem& s, bool sized);

}  // namespace taut
