// What the forms of Verlet's method keep between steps: ∇V and G at the present q, evaluated once and handed from step to step, and room to
// work in.
#pragma once

#include <taut/formulation/momentum_solve.hpp>
#include <taut/formulation/position_solve.hpp>
#include <taut/problem/check_bend.hpp>
#include <taut/problem/kick_and_drift.hpp>

namespace taut {

template <Natural P, class X>
struct VerletMemory {
  VerletMemory(const P& s, const X& x)
      : G(s.make_jacobian()),
        grad_V(zero_vector(s)),
        work(grad_V),
        moved(grad_V),
        kicked(x),
        next(x),
        position(s),
        momentum(s) {
    if constexpr (Quadratic<P>) check_bend(s, x.q);
    refresh(s, x.q);
  }
  void refresh(const P& s, const typename P::Vec& q) {
    s.grad_V(q, grad_V);
    s.G(q, G);
  }
  typename P::Jacobian G;
  typename P::Vec grad_V, work;
  Displacement<X> moved;
  X kicked, next;
  PositionSolve<P> position;
  MomentumSolve<P> momentum;
};

}  // namespace taut
