// The energy of a state, and its error along a run.
#pragma once

#include <taut/method/stepper.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace taut {

template <Hamiltonian P>
typename P::Scalar energy(const P& s, const StateOf<P>& x) {
  return H(s, x.q, x.p);
}

// Returns H(x_n) - H(x_0) at every `stride`-th mesh point, the first being n = stride. Afterwards x is at the
// end of the run, between steps.
template <Hamiltonian P, class X>
Expected<std::vector<double>> energy_errors(const P& s, Stepper<P, X>& stepper, X& x,
                                            const typename P::Scalar& h, int steps, int stride = 1) {
  const typename P::Scalar before = energy(s, x);
  std::vector<double> errors;
  errors.reserve(static_cast<std::size_t>(steps / stride));
  for (int n = 1; n <= steps; ++n) {
    if (const auto solved = stepper.step(x, h); !solved) return solved.error();
    if (n % stride != 0) continue;
    X mesh = x;
    if (const auto synchronised = stepper.output(mesh, h); !synchronised) return synchronised.error();
    errors.push_back(lane(energy(s, mesh) - before, 0));
  }
  return errors;
}

inline double largest_error(const std::vector<double>& errors) {
  double largest = 0;
  for (const double e : errors) largest = std::max(largest, std::abs(e));
  return largest;
}

}  // namespace taut
