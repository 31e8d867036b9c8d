#pragma once

#include <taut/measure/manifold_character.hpp>

#include <memory>
#include <optional>
#include <string>

namespace taut {

struct FormulaSystem;

// Says how residuals near M behave under a formulation, at the start of the model. Gives nothing if the
// formulation does not fit the model, or if it works in coordinates of its own, which have no residuals.
std::optional<ManifoldStability> stability_at_start(const std::shared_ptr<const FormulaSystem>& system,
                                                    const std::string& formulation);

}  // namespace taut
