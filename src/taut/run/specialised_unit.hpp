// What a generated unit includes besides its problem and its method: the way from them to a machine, and what the program checks before it takes one.
#pragma once

#include <taut/run/machine_of.hpp>

#include <algorithm>
#include <cstdint>

namespace taut {

// Sizes of what crosses the border between the program and the unit. They differ where the two were not compiled from the same headers.
inline constexpr std::uint64_t machine_layout =
    sizeof(Tally) + (sizeof(SolveOptions) << 16) + (sizeof(Failure) << 32) + (sizeof(Reading) << 48);

using MakeSpecialised = Machine* (*)(const double* q, const double* p, const SolveOptions* options);

// The step is compiled into the loop. `X` is the state: plain or compensated.
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
