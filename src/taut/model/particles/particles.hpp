// A system of particles as a model file gives it: groups of terms whose formulas are programs.
#pragma once

#include <taut/model/code/interpreter.hpp>
#include <taut/problem/particles/particles.hpp>

#include <array>

namespace taut {

// The coordinates of a term's particles are block 0 of its program, its numbers block 1.
struct ProgramKernel {
  using Code = Program;
  template <class S>
  using On = Evaluator<S>;
};

struct ParticleModel : ParticleSystem<Program> {
  std::array<double, 3> box{};       // edges; 0: open in that direction
  std::vector<std::string> species;  // for each particle, if they come from a file

  // Returns the volume of the box; 0 if it is open.
  double volume() const {
    double volume = 1;
    for (int a = 0; a < dimension; ++a) volume *= box[a];
    return volume;
  }
};

template <class T = double>
using ParticleProblem = Particles<T, ProgramKernel>;

}  // namespace taut
