// Makes the mechanism of a problem. The catalogue of methods is compiled behind these functions, once.
#pragma once

#include <taut/mechanism/mechanism.hpp>

namespace taut {

struct FormulaSystem;
struct ParticleModel;

// Makes the mechanism of a model of formulas, whatever its kind (formula_mechanism.cpp).
std::unique_ptr<Mechanism> make_mechanism(const std::shared_ptr<const FormulaSystem>& system);

// Makes the mechanism of a system of particles (kinds/particles.cpp). With `least_squares`, redundant
// constraints are solved in the sense of least squares.
std::unique_ptr<Mechanism> make_mechanism(const std::shared_ptr<const ParticleModel>& particles,
                                          bool least_squares = false);

}  // namespace taut
