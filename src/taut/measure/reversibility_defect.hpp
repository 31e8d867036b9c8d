// Asks whether a method retraces its steps when the momenta are reversed.
#pragma once

#include <taut/measure/distance.hpp>
#include <taut/measure/flow.hpp>

namespace taut {

// Makes N steps, p ↦ -p, N steps of a fresh run, p ↦ -p, and returns the distance from the start. The second
// half starts from the mesh point alone, so that nothing a method remembers can help it.
template <class Method, Hamiltonian P>
Expected<double> reversibility_defect(const Method& method, const P& s, const StateOf<P>& start,
                                      const typename P::Scalar& h, int steps,
                                      const SolveOptions& options = {}) {
  StateOf<P> x = start;
  for (int leg = 0; leg < 2; ++leg) {
    if (const auto moved = flow(method, s, x, h, steps, options); !moved) return moved.error();
    x.p = -x.p;
  }
  return phase_distance(x, start);
}

}  // namespace taut
