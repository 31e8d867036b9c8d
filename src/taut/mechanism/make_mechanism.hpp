// From a problem to its mechanism. The catalogue of methods is compiled behind these functions, once.
#pragma once

#include <taut/mechanism/mechanism.hpp>

namespace taut {

struct FormulaSystem;

// The mechanism of a model of formulas, whatever its kind: formula_mechanism.cpp.
std::unique_ptr<Mechanism> make_mechanism(const std::shared_ptr<const FormulaSystem>& system);

// The mechanism of a system of particles: kinds/particles.cpp specialises it.
template <class P>
std::unique_ptr<Mechanism> make_mechanism(const P& problem);

}  // namespace taut
