// Asks whether a start is so far from the origin that its own rounding decides the motion. Labels:
// docs/theory/manifold.md.
#pragma once

#include <taut/mechanism/mechanism.hpp>

#include <optional>

namespace taut {

// What one unit of rounding of q and p changes, as a part of itself.
struct Grain {
  enum class Of { gradient, force, velocity };
  double part = 0;
  Of of = Of::gradient;
  int which = 0;       // the constraint with that gradient, or the coordinate with that force or velocity
  int coordinate = 0;  // the one whose rounding is the reason
  bool of_momentum = false;
  double value = 0, unit = 0;  // what that coordinate or momentum is, and its unit
};

// From here on results are named as uncertain, or refused.
inline constexpr double grain_to_name = 1e-8, grain_to_refuse = 1e-3;

// Returns the worst there is, if it is above grain_to_name.                                              (A4)
std::optional<Grain> grain_of(const Mechanism& mechanism, const PlainState& x);

// What one unit of rounding of a coordinate changes of H, as a part of the largest kinetic energy of the run.
struct EnergyGrain {
  double part = 0;
  int coordinate = 0;
  double value = 0, unit = 0;  // what that coordinate is, and its unit
};
inline constexpr double energy_grain_to_name = 1e-4;

// Returns it if it is above energy_grain_to_name.                                                        (A5)
std::optional<EnergyGrain> energy_grain_of(const Mechanism& mechanism, const PlainState& x, double kinetic);

}  // namespace taut
