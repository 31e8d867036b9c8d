// A generated unit of more precision than a double includes this beside its problem and its method: the way
// from them to a machine.
#pragma once

#include <taut/formulation/manifold.hpp>
#include <taut/mechanism/machine_of.hpp>
#include <taut/mechanism/wide_start.hpp>

#include <memory>

namespace taut {

template <class T>
T number_of(const Wide& x) {
  return T(T(T(x.high) + T(x.middle)) + T(x.low));
}

// Makes the machine. `X` is the state: plain or compensated. Gives null if the start is to be projected and
// cannot be; `from` then holds the failure.
template <class P, class X, class Method>
Machine* make_wide(const Method& method, WideStart& from) {
  using T = typename P::Scalar;
  using Bound = BoundStepper<Method, P, X>;
  const P problem{};
  StateOf<P> start;
  for (int i = 0; i < problem.coordinates(); ++i) {
    start.q[i] = number_of<T>(from.q[i]);
    start.p[i] = number_of<T>(from.p[i]);
  }
  if (from.project) {
    const auto move = project_start(problem, start);
    if (!move) {
      from.failure = move.error();
      return nullptr;
    }
    from.moved = *move;
  }
  const X x(start);
  auto machine = std::make_unique<MachineOf<P, X, Bound>>(
      problem, x, std::make_unique<Bound>(with_options(method, *from.options), problem, x));
  machine->set_step(number_of<T>(from.step));
  return machine.release();
}

}  // namespace taut
