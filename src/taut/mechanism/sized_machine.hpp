#pragma once

#include <taut/mechanism/mechanism.hpp>

namespace taut {

struct FormulaSystem;

// RATTLE by Newton's iteration for a problem whose size this program was compiled for
// (model/known_size.hpp), in two ways: with compensated sums to rounding, as runs are by default, and with
// plain sums to a tolerance, as people write it by hand. Null in every other case, which then takes the way
// of any size.
std::unique_ptr<Machine> sized_machine(const std::shared_ptr<const FormulaSystem>& system,
                                       const MethodChoice& choice, const PlainState& start,
                                       const SolveOptions& options, bool plain_updates);

// The second of the two: sized_plain_machine.cpp.
std::unique_ptr<Machine> sized_plain_machine(const std::shared_ptr<const FormulaSystem>& system,
                                             const PlainState& start, const SolveOptions& options);

}  // namespace taut
