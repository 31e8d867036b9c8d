// The problem that a model of particles becomes: its terms are evaluated by programs.
#pragma once

#include <taut/model/code/interpreter.hpp>
#include <taut/model/particles/particle_model.hpp>
#include <taut/problem/particles/particles.hpp>

namespace taut {

// The coordinates of a term's particles are block 0 of its program, its numbers block 1.
struct ProgramKernel {
  using Code = Program;
  template <class S>
  using On = Evaluator<S>;
};

template <class T = double>
using ParticleProblem = Particles<T, ProgramKernel>;

}  // namespace taut
