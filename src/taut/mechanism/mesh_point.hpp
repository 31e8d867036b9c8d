#pragma once

#include <taut/mechanism/mechanism.hpp>

namespace taut {

// Where a machine stands, as a state to start another from.
inline PlainState mesh_point(const Machine& machine) {
  const auto vector = [](std::span<const double> x) {
    return Eigen::Map<const Vector<double, dynamic>>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  return {vector(machine.q()), vector(machine.p())};
}

}  // namespace taut
