// The half-explicit method of order one that Jay names after (3.16): three stages, of which the constraint
// determines the last. It keeps g = 0 and not G H_p = 0. Labels: docs/theory/half-explicit.md.
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/problem/kick_and_drift.hpp>

namespace taut {

struct HalfExplicit {
  SolveOptions solve{};

  static constexpr MethodFacts facts{
      .name = "hem",
      .what = "half-explicit Euler: p by forces at q0, then q; symplectic if H is separable",
      .source = "Jay (3.16)",
      .theory = "half-explicit",
      .order = 1,
      .keeps = Keeps::position,
      .tier = Tier::hamiltonian,
      .solve_limit = most_linear_corrections};
  static Spelling spelling() { return spelled("half_explicit.hpp", "HalfExplicit"); }

  template <class P>
  static constexpr bool fits = Hamiltonian<P>;

  template <Hamiltonian P, class X>
  struct Memory {
    Memory(const P& s, const X& x)
        : G(s.make_jacobian()),
          force(zero_vector(s)),
          velocity(force),
          impulse(force),
          next(x),
          mu(zero_multiplier(s)),
          solver(s) {
      s.G(x.q, G);
    }
    // Λ₁ of the last step, which acts at q₀.
    typename P::Multiplier last_multiplier(const typename P::Scalar& h) const { return mu / h; }
    typename P::Jacobian G;  // at the present q
    typename P::Vec force, velocity, impulse;
    X next;
    typename P::Multiplier mu;  // h Λ₁
    SolverOf<P> solver;
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    H_q(s, x.q, x.p, at.force);
    const auto end = [&](const auto& mu) -> const auto& {
      at.next = x;
      kick(at.next, -h * at.force);
      kick_along(at.next, at.G, mu, at.impulse);  // (HE1): p₁ = p₀ - h H_q(q₀, p₀) - G(q₀)ᵀμ
      H_p(s, x.q, at.next.p, at.velocity);
      drift(at.next, h * at.velocity);  // (HE2): q₁ = q₀ + h H_p(q₀, p₁)
      return at.next.q;
    };
    at.next = x;
    const auto respond = [&](auto& matrix) { matrix.right(s, x.q, at.next.p, at.G, h); };
    NewtonMoveBy move{end, respond, {.changes = !is_natural(s)}};
    const auto solved = at.solver.land(s, solve, x.q, at.G, move, at.mu, {});  // (HE3): g(q₁) = 0
    if (!solved) return solved;
    if (const auto missed = at.solver.missed_landing(s, x.q, at.next.q, h, at.mu)) return *missed;
    x = at.next;
    s.G(x.q, at.G);
    return solved;
  }
};

}  // namespace taut
