// A generated unit includes this beside its problem and its method: the way from them to a machine.
#pragma once

#include <taut/backend/make_specialised.hpp>
#include <taut/mechanism/machine_of.hpp>

#include <algorithm>

namespace taut {

// Makes the machine, with the step compiled into the loop. `X` is the state: plain or compensated.
template <class P, class X, class Method>
Machine* make_specialised(const Method& method, const double* q, const double* p,
                          const SolveOptions& options) {
  using Bound = BoundStepper<Method, P, X>;
  const P problem{};
  StateOf<P> start;
  std::copy_n(q, problem.coordinates(), start.q.data());
  std::copy_n(p, problem.coordinates(), start.p.data());
  const X x(start);
  return new MachineOf<P, X, Bound>(problem, x,
                                    std::make_unique<Bound>(with_options(method, options), problem, x));
}

}  // namespace taut
