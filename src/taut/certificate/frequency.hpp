// The largest frequency of small oscillations around a state, for methods whose steps it limits.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/mechanism/mechanism.hpp>

#include <optional>

namespace taut {

// Returns the largest frequency of the forces, those of the constraints among them, at a state on M: by a
// power iteration with differences. Gives nothing if it does not settle, or if the forces do not draw back.
std::optional<double> largest_frequency(const Mechanism& mechanism, const PlainState& x);

}  // namespace taut
