#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/mechanism/machine.hpp>

namespace taut {

// Returns the mesh point at which a machine stands, as a state to start another from.
inline PlainState mesh_point(const Machine& machine) {
  return {{machine.q().begin(), machine.q().end()}, {machine.p().begin(), machine.p().end()}};
}

}  // namespace taut
