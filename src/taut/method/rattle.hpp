// RATTLE, the velocity form of Verlet's method with both constraints (Andersen 1983; VR of Leimkuhler & Skeel 1994).
// Labels: docs/theory/rattle.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/method/verlet_memory.hpp>
#include <taut/scalar/flatten.hpp>

#include <span>

namespace taut {

inline namespace TAUT_STEPS {  // flatten.hpp

struct Rattle {
  static constexpr MethodFacts facts{.name = "rattle",
                                     .what = "velocity Verlet with position and momentum constraints (VR)",
                                     .source = "Leimkuhler-Skeel (24)-(28)",
                                     .theory = "rattle",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true};
  static constexpr bool steps_are_short = true;  // see BoundStepper
  static constexpr bool offers_plain_updates = true;
  static Spelling spelling() { return spelled("rattle.hpp", "Rattle"); }
  SolveOptions solve{};

  template <class P>
  static constexpr bool fits = Natural<P>;

  // position.mu = (h/2) λ⁽ʳ⁾, momentum.nu = (h/2) λ⁽ᵛ⁾
  template <Natural P, class X>
  using Memory = VerletMemory<P, X>;

  // The step up to its momentum projection, which compositions leave out between their substeps. After a failure x is lost.
  template <Natural P, class X>
  Expected<int> advance(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return with_stop_rule(solve, [&](const auto& rule) { return advance_by(rule, s, x, at, h); });
  }

  // The same for steps γ₁h, γ₂h, …, one after the other. `guess` offers the impulse to start each solve from, and is told the one found.
  template <Natural P, class X, class Guess>
  Expected<int> advance_through(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h,
                                std::span<const typename P::Scalar> gamma, Guess& guess) const {
    return with_stop_rule(
        solve, [&](const auto& rule) { return advance_through_by(rule, s, x, at, h, gamma, guess); });
  }

  template <Natural P, class X>
  TAUT_FLATTEN Expected<int> project(const P& s, X& x, Memory<P, X>& at) const {
    return with_stop_rule(solve, [&](const auto& rule) { return project_by(rule, s, x, at); });
  }

  template <Natural P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return steps(s, x, at, h, 1);
  }

  // `count` steps in one call, which keeps in registers what a call per step passes through memory. The value is the number of Newton
  // corrections of all of them; after a failure x is as before the step that failed.
  template <Natural P, class X>
  Expected<int> steps(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h, int count) const {
    return with_stop_rule(solve, [&](const auto& rule) { return steps_by(rule, s, x, at, h, count); });
  }

 private:
  template <class Rule, Natural P, class X>
  TAUT_FLATTEN static Expected<int> advance_by(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                               const typename P::Scalar& h) {
    auto&& position = room(s, at.position);
    set_zero(position.mu);
    const auto solved = advanced(rule, s, x, x, at, h, h / 2, position, false);
    if (solved) kick(x, -h / 2 * at.grad_V);  // (R4)
    return solved;
  }

  template <class Rule, Natural P, class X, class Guess>
  TAUT_FLATTEN static Expected<int> advance_through_by(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                                       const typename P::Scalar& h,
                                                       std::span<const typename P::Scalar> gamma,
                                                       Guess& guess) {
    using T = typename P::Scalar;
    auto&& position = room(s, at.position);
    int corrections = 0;
    T before(0);  // the last substep, whose second kick is made with the first of the next
    for (std::size_t i = 0; i < gamma.size(); ++i) {
      const T now = gamma[i] * h;
      guess.offer(i, position.mu);
      const auto solved = advanced(rule, s, x, x, at, now, T((before + now) / 2), position, i > 0);
      if (!solved) return solved;
      guess.keep(i, position.mu);
      corrections += *solved;
      before = now;
    }
    kick(x, -before / 2 * at.grad_V);  // (R4)
    return corrections;
  }

  template <class Rule, Natural P, class X>
  TAUT_FLATTEN static Expected<int> steps_by(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                             const typename P::Scalar& h, int count) {
    auto&& trial = room(s, at.next);
    auto&& position = room(s, at.position);
    int corrections = 0;
    for (int i = 0; i < count; ++i) {
      set_zero(position.mu);
      const auto solved = advanced(rule, s, x, trial, at, h, h / 2, position, false);
      if (!solved) return solved;
      kick(trial, -h / 2 * at.grad_V);  // (R4)
      if (const auto projected = project_by(rule, s, trial, at); !projected) {
        at.refresh(s, x.q);
        return projected;
      }
      give(x, trial);
      corrections += *solved;
    }
    return corrections;
  }

  // Up to (R3), from `from` to x, which may be the same, with a kick of so much time, and from the impulse in `position`, which may be a local in place of
  // at.position.
  template <class Rule, Natural P, class X>
  static Expected<int> advanced(const Rule& rule, const P& s, const X& from, X& x, Memory<P, X>& at,
                                const typename P::Scalar& h, const typename P::Scalar& kick_time,
                                PositionSolve<P>& position, bool units_known) {
    auto&& moved = room(s, at.moved);
    auto&& kicked = room(s, at.kicked);
    position.matrix.right(s, from.q, from.p, at.G, h);
    const auto& W = s.W();
    // (R1), (R2); (R3): g(q₁) = 0
    auto land = kick_and_drift(x, from, -kick_time * at.grad_V, at.G, W, h, kicked, moved);
    const auto solved = position.solve_from_here(s, rule, land.from.q, at.G, land, units_known);
    if (!solved) return solved;
    at.position.mu = position.mu;
    at.refresh(s, x.q);
    return *solved;
  }

  template <class Rule, Natural P, class X>
  static Expected<int> project_by(const Rule& rule, const P& s, X& x, Memory<P, X>& at) {
    auto&& momentum = room(s, at.momentum);
    const auto solved = momentum.solve(s, rule, x, at.G);  // (R5)
    at.momentum.nu = momentum.nu;
    return solved;
  }
};

}  // namespace TAUT_STEPS

}  // namespace taut
