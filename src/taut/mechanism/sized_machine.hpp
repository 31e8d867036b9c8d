#pragma once

#include <taut/mechanism/mechanism.hpp>

namespace taut {

struct FormulaSystem;

// RATTLE for a problem whose size this program was compiled for (model/known_size.hpp), in the one way that runs take
// unless they are told otherwise: compensated sums, Newton's iteration to rounding. Null in every other case, which then
// takes the way of any size.
std::unique_ptr<Machine> sized_machine(const std::shared_ptr<const FormulaSystem>& system,
                                       const MethodChoice& choice, const PlainState& start,
                                       const SolveOptions& options, bool plain_updates);

}  // namespace taut
