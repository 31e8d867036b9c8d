// An elastic impact: the momentum is mirrored in the tangent space of M. Labels: docs/theory/events.md.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/mechanism/mechanism.hpp>

#include <optional>
#include <vector>

namespace taut {

// Mirrors p at a wall whose gradient is `wall`; H and G H_p = 0 are kept. Returns nothing if the wall has no
// direction in the tangent space, or if H does not stay what it was: it is not quadratic in p.
std::optional<PlainState> reflected(const Mechanism& mechanism, const PlainState& x,
                                    const std::vector<double>& wall);

}  // namespace taut
