#pragma once

#include <taut/mechanism/lane_machine.hpp>
#include <taut/mechanism/mechanism.hpp>

#include <memory>
#include <vector>

namespace taut {

struct FormulaSystem;

// A machine for trajectories side by side, and how it takes the constants of the formulas of each.
struct FormulaLanes {
  std::unique_ptr<LaneMachine> machine;
  bool sized = false;  // the problem has one of the sizes of model/known_size.hpp
  std::vector<double> constants_of(const FormulaSystem& system) const;
};

// Makes one that does what the machine of this choice does. Gives none if the method is not compiled for
// lanes: RATTLE and its compositions are, for natural systems with a diagonal mass.
FormulaLanes formula_lanes(const std::shared_ptr<const FormulaSystem>& system, const MethodChoice& choice,
                           const PlainState& start, const SolveOptions& options, bool plain_updates);

}  // namespace taut
