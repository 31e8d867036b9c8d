// A system of particles as a model file gives it: groups of terms whose formulas are programs. particles.hpp
// makes a problem of it.
#pragma once

#include <taut/model/code/program.hpp>
#include <taut/problem/particles/particle_system.hpp>

#include <array>
#include <string>
#include <vector>

namespace taut {

struct ParticleModel : ParticleSystem<Program> {
  std::array<double, 3> box{};       // its edges; 0: open in that direction
  std::vector<std::string> species;  // one for each particle, if they come from a file

  // Gives the volume of the box, or 0 if it is open.
  double volume() const {
    double volume = 1;
    for (int a = 0; a < dimension; ++a) volume *= box[a];
    return volume;
  }
};

}  // namespace taut
