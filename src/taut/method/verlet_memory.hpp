// What the forms of Verlet's method keep between steps: ∇V and G at the present q, evaluated once and handed
// from step to step, and room to work in.
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/problem/check_bend.hpp>
#include <taut/problem/kick_and_drift.hpp>

namespace taut {

template <Natural P, class X>
struct VerletMemory {
  using Mass = std::remove_reference_t<decltype(std::declval<const P&>().W())>;
  using Drift = KickAndDrift<X, typename P::Jacobian, Mass>;
  static_assert(ConstraintSolver<SolverOf<P>, P, X, Drift>);

  VerletMemory(const P& s, const X& x)
      : G(s.make_jacobian()),
        grad_V(zero_vector(s)),
        mu(zero_multiplier(s)),
        nu(mu),
        next(x),
        kicked(x),
        moved(x.q),
        solver(s) {
    if constexpr (Quadratic<P>) check_bend(s, x.q);
    refresh(s, x.q);
  }
  void refresh(const P& s, const typename P::Vec& q) {
    s.grad_V(q, grad_V);
    s.G(q, G);
  }

  typename P::Jacobian G;
  typename P::Vec grad_V;
  typename P::Multiplier mu, nu;  // the impulses of the last landing and of the last projection
  X next, kicked;
  Displacement<X> moved;
  SolverOf<P> solver;
};

}  // namespace taut
