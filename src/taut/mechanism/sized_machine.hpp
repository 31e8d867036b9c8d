#pragma once

#include <taut/mechanism/mechanism.hpp>
#include <taut/model/formula_problem.hpp>

namespace taut {

// RATTLE for a problem whose size this program was compiled for: model/sized_formula_problem.hpp. Null where it was not, and for other methods: their time goes into
// more than the vectors.
std::unique_ptr<Machine> sized_machine(const NaturalFormulaProblem<>& problem, const MethodChoice& choice,
                                       const PlainState& start, const SolveOptions& options,
                                       bool plain_updates);

}  // namespace taut
