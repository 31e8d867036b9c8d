// A system of particles as a model file gives it: groups of terms whose formulas are programs. particles.hpp
// makes a problem of it.
#pragma once

#include <taut/model/code/program.hpp>
#include <taut/problem/particles/particle_system.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taut {

// [thermostat]: steps of g-BAOAB at a temperature, in place of those that keep the energy.
struct Thermostat {
  double temperature = 1;  // kT
  double friction = 1;     // momenta forget at this rate
  int parts = 1;           // geodesic steps in each half of a drift
  std::uint64_t seed = 1;
};

// One table of [[forces]]: a force on each of some particles. Block 0 of its program has the place, the
// velocity and the time, block 1 the numbers of the term; its outputs are the components.
struct ParticleForce {
  std::vector<int> particle;
  std::vector<std::vector<double>> number;
  std::shared_ptr<const Program> force;
};

// [[forces]] and [damping]: what acts on particles and is the gradient of no potential of theirs.
struct Driving {
  std::vector<double> rate;  // p' = … - rate p, one for each particle
  std::vector<ParticleForce> forces;
  bool timed = false;  // some force has t in it
};

struct ParticleModel : ParticleSystem<Program> {
  std::optional<Thermostat> thermostat;
  std::optional<Driving> driving;
  std::array<double, 3> box{};       // its edges; 0: open in that direction
  std::vector<std::string> species;  // one for each particle, if they come from a file

  bool has_timed_forces() const { return driving && driving->timed; }

  // Gives the volume of the box, or 0 if it is open.
  double volume() const {
    double volume = 1;
    for (int a = 0; a < dimension; ++a) volume *= box[a];
    return volume;
  }
};

}  // namespace taut
