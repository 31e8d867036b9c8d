// A generated unit for an ensemble includes this beside its problem and its method: the way from them to
// machines of one trajectory and of several side by side. The numbers of the formulas are data.
#pragma once

#include <taut/backend/trajectory_start.hpp>
#include <taut/mechanism/lane_machine_of.hpp>
#include <taut/mechanism/machine_of.hpp>

#include <algorithm>

namespace taut {

template <class P, template <class, int> class Point, class Method>
Machine* make_trajectory(const Method& method, const TrajectoryStart& start) {
  using X = Point<double, P::n>;
  using Bound = BoundStepper<Method, P, X>;
  P problem{};
  problem.take_constants(0, start.numbers());
  StateOf<P> state;
  std::copy_n(start.q, problem.coordinates(), state.q.data());
  std::copy_n(start.p, problem.coordinates(), state.p.data());
  const X x(state);
  return new MachineOf<P, X, Bound>(
      problem, x, std::make_unique<Bound>(with_options(method, *start.options), problem, x));
}

// Gives null if a lane cannot do what a machine does: the method keeps something between steps, or puts out
// another state than that between its steps.
template <class P, template <class, int> class Point, class Method>
LaneMachine* make_lanes(const Method& method, const TrajectoryStart& start) {
  using X = Point<typename P::Scalar, P::n>;
  using Bound = BoundStepper<Method, P, X>;
  P problem{};
  for (int l = 0; l < ScalarTraits<typename P::Scalar>::lanes; ++l)
    problem.take_constants(l, start.numbers());
  const auto bind = [solved = with_options(method, *start.options)](const P& s, const X& x) {
    return std::make_unique<Bound>(solved, s, x);
  };
  const auto n = static_cast<std::size_t>(problem.coordinates());
  const PlainState x{{start.q, start.q + n}, {start.p, start.p + n}};
  auto made = std::make_unique<LaneMachineOf<P, Point, Bound, decltype(bind), true>>(problem, x, bind);
  return made->follows_from_state() ? made.release() : nullptr;
}

}  // namespace taut
