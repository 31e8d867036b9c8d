// What a unit is told that makes a machine of more precision than a double, and what it answers.
#pragma once

#include <taut/contract/wide.hpp>
#include <taut/formulation/start_check.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/options.hpp>

namespace taut {

struct WideStart {
  const Wide *q = nullptr, *p = nullptr;
  Wide step = {};
  bool project = false;  // bring the start onto the manifold, to the rounding of the scalar
  const SolveOptions* options = nullptr;
  Move moved = {};       // by the projection
  Failure failure = {};  // if there is no machine
};

class Machine;
using MakeWide = Machine* (*)(WideStart* start);

}  // namespace taut
