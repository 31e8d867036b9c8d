// Takes N steps of a method as one map x ↦ Φ_h^N(x) that ends at the mesh point. Claims of symplecticity,
// reversibility and order are about this map.
#pragma once

#include <taut/method/stepper.hpp>

namespace taut {

// Returns the corrections of all steps together, or the first failure.
template <Constrained P, class X>
Expected<int> take_steps(Stepper<P, X>& stepper, X& x, const typename P::Scalar& h, int steps) {
  int iterations = 0;
  for (int i = 0; i < steps; ++i) {
    const auto solved = stepper.step(x, h);
    if (!solved) return solved;
    iterations += *solved;
  }
  return iterations;
}

// Moves x from the start to the state after `steps` steps, which is on M if the method is.
template <class Method, Constrained P, class X>
Expected<int> flow(const Method& method, const P& problem, X& x, const typename P::Scalar& h, int steps,
                   const SolveOptions& options = {}) {
  const auto stepper = bind(method, problem, x, options);
  const auto taken = take_steps(*stepper, x, h, steps);
  if (!taken) return taken;
  return stepper->output(x, h);
}

}  // namespace taut
