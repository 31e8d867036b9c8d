// What the program gives to a unit of trajectories: plain numbers.
#pragma once

#include <taut/mechanism/lane_machine.hpp>
#include <taut/mechanism/machine.hpp>

#include <cstddef>
#include <span>

namespace taut {

struct SolveOptions;  // solve/options.hpp

struct TrajectoryStart {
  const double *constants, *q, *p;
  std::size_t count;  // the number of constants
  const SolveOptions* options;
  std::span<const double> numbers() const { return {constants, count}; }
};
using MakeTrajectory = Machine* (*)(const TrajectoryStart* start);
using MakeLanes = LaneMachine* (*)(const TrajectoryStart* start);

}  // namespace taut
