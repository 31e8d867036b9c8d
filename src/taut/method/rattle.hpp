// RATTLE, the velocity form of Verlet's method with both constraints (Andersen 1983; VR of Leimkuhler & Skeel 1994).
// Labels: docs/theory/rattle.md.
#pragma once

#include <taut/formulation/momentum_solve.hpp>
#include <taut/formulation/position_solve.hpp>
#include <taut/method/facts.hpp>

namespace taut {

struct Rattle {
  static constexpr MethodFacts facts{.name = "rattle",
                                     .what = "velocity Verlet with position and momentum constraints (VR)",
                                     .source = "Leimkuhler-Skeel (24)-(28)",
                                     .theory = "rattle",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true};
  SolveOptions solve{};

  template <class P>
  static constexpr bool fits = Natural<P>;

  // ∇V and G at the present q, evaluated once and handed from step to step, and room to work in.
  template <Natural P, class X>
  struct Memory {
    Memory(const P& s, const X& x)
        : G(s.make_jacobian()),
          grad_V(zero_vector(s)),
          work(grad_V),
          kicked(x),
          trial(x),
          position(s),
          momentum(s) {
      refresh(s, x.q);
    }
    void refresh(const P& s, const typename P::Vec& q) {
      s.grad_V(q, grad_V);
      s.G(q, G);
    }
    typename P::Jacobian G;
    typename P::Vec grad_V, work;
    X kicked, trial;
    PositionSolve<P> position;  // μ = (h/2) λ⁽ʳ⁾
    MomentumSolve<P> momentum;  // ν = (h/2) λ⁽ᵛ⁾
  };

  // The step up to its momentum projection, which compositions leave out between their substeps. After a failure x is lost.
  template <Natural P, class X>
  [[gnu::flatten]] Expected<int> advance(const P& s, X& x, Memory<P, X>& at,
                                         const typename P::Scalar& h) const {
    auto&& position = room(s, at.position);
    auto&& work = room(s, at.work);
    auto&& kicked = room(s, at.kicked);
    position.matrix.right(s, x.q, x.p, at.G, h);
    kicked = x;
    kick(kicked, -h / 2 * at.grad_V);
    const auto solved = position.solve(s, solve, kicked.q, at.G, [&](const auto& mu) -> const auto& {
      x = kicked;
      kick_along(x, at.G, mu, work);  // (R1)
      s.W().times(h, x.p, work);
      drift(x, work);  // (R2)
      return x.q;      // (R3): g(q₁) = 0
    });
    if (!solved) return solved;
    at.position.mu = position.mu;
    at.refresh(s, x.q);
    kick(x, -h / 2 * at.grad_V);  // (R4)
    return solved;
  }

  template <Natural P, class X>
  Expected<int> project(const P& s, X& x, Memory<P, X>& at) const {
    auto&& momentum = room(s, at.momentum);
    const auto solved = momentum.solve(s, solve, x, at.G);  // (R5)
    at.momentum.nu = momentum.nu;
    return solved;
  }

  template <Natural P, class X>
  [[gnu::flatten]] Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    auto&& trial = room(s, at.trial);
    trial = x;
    const auto solved = advance(s, trial, at, h);
    if (!solved) return solved;
    if (const auto projected = project(s, trial, at); !projected) {
      at.refresh(s, x.q);
      return projected;
    }
    x = trial;
    return solved;
  }
};

}  // namespace taut
