// Asks whether a drive tears its mechanism apart: from some time on no position meets g(q, t) = 0.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/mechanism/mechanism.hpp>

#include <optional>

namespace taut {

struct Torn {
  double time = 0;   // up to here the constraints can be met
  double later = 0;  // a time at which they cannot
  double gap = 0;    // the least max |g| that was found there
};

// Looks at times up to ten steps of length h after x, a state of a model that has the time as a coordinate.
// Gives nothing if positions near x meet the constraints at all of them.
std::optional<Torn> torn_apart(const Mechanism& mechanism, const PlainState& x, double h);

}  // namespace taut
