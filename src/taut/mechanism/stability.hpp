#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/measure/manifold_character.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taut {

struct FormulaSystem;

// Says how residuals near M behave under a formulation, at the start of the model. Gives nothing if the
// formulation does not fit the model, or if it works in coordinates of its own, which have no residuals.
std::optional<ManifoldStability> stability_at_start(const std::shared_ptr<const FormulaSystem>& system,
                                                    const std::string& formulation);

// Does the same along states on M that are h apart on a trajectory. Also gives nothing if K cannot be formed.
std::optional<PathStability> stability_along(const std::shared_ptr<const FormulaSystem>& system,
                                             const std::string& formulation,
                                             const std::vector<PlainState>& states, double h);

}  // namespace taut
