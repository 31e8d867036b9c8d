// What the program gives to a unit of trajectories: plain numbers.
#pragma once

#include <taut/mechanism/lane_machine.hpp>
#include <taut/mechanism/machine.hpp>
#include <taut/solve/options.hpp>

#include <cstddef>
#include <span>

namespace taut {

struct TrajectoryStart {
  const double *constants, *q, *p;
  std::size_t count;  // of constants
  const SolveOptions* options;
  std::span<const double> numbers() const { return {constants, count}; }
};
using MakeTrajectory = Machine* (*)(const TrajectoryStart* start);
using MakeLanes = LaneMachine* (*)(const TrajectoryStart* start);

}  // namespace taut
