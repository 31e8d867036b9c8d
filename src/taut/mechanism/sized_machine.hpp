#pragma once

#include <taut/mechanism/mechanism.hpp>

namespace taut {

struct FormulaSystem;

// Makes a machine of RATTLE with Newton's iteration, if this program was compiled for the size of the problem
// (model/known_size.hpp). There are two ways: with compensated sums to rounding, as runs are by default, and
// with plain sums to a tolerance, as people write it by hand. Gives null in every other case; the caller then
// makes a machine for any size.
std::unique_ptr<Machine> sized_machine(const std::shared_ptr<const FormulaSystem>& system,
                                       const MethodChoice& choice, const PlainState& start,
                                       const SolveOptions& options, bool plain_updates);

// Makes the second of the two. It is compiled in sized_plain_machine.cpp.
std::unique_ptr<Machine> sized_plain_machine(const std::shared_ptr<const FormulaSystem>& system,
                                             const PlainState& start, const SolveOptions& options);

}  // namespace taut
