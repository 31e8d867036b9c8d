// SHAKE: Verlet's method with the position constraint only (Ryckaert, Ciccotti & Berendsen 1977), as
// Leimkuhler & Skeel write it: leap-frog and two-step form, and VS, its velocity form. Labels:
// docs/theory/shake.md.
//
// Inside, `shake` carries the momentum of the half step. output() brings a copy onto M by RATTLE's
// projection, so that a run pays for the momentum constraint only if output is wanted.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/past_impulses.hpp>
#include <taut/method/spelling.hpp>
#include <taut/method/verlet_memory.hpp>
#include <taut/scalar/flatten.hpp>

namespace taut {

template <Natural P, class X>
struct ShakeMemory : VerletMemory<P, X> {
  // A guess is made from so many steps.
  ShakeMemory(const P& s, const X& x, const SolveOptions& solve, int reach = 3)
      : VerletMemory<P, X>(s, x),
        work(this->grad_V),
        velocity(work),
        past(s, reach),
        remembers(solve.first_guess == FirstGuess::quadratic) {}
  typename P::Vec work, velocity;
  PastImpulses<P> past;  // by the last steps, if the run begins at a guess from them
  bool remembers;
  bool started = false;

  // Puts the guess into the impulse and says so.
  LandFrom begin(typename P::Multiplier& impulse) const {
    if (remembers) past.offer(impulse);
    return {.guess = remembers};
  }
  void keep(const typename P::Multiplier& impulse) {
    if (remembers) past.keep(impulse);
  }

  template <class Carry>
  void carry(Carry& c) {
    c(started);
    if (remembers) past.carry(c);
  }
};

// Computes p_n on M from the half-step momentum in x, which before the first step is p_0.
template <Natural P, class X>
Expected<int> synchronise(const P& s, X& x, ShakeMemory<P, X>& at, const SolveOptions& options,
                          const typename P::Scalar& h) {
  if (!at.started) return 0;
  kick(x, -h / 2 * at.grad_V);
  return at.solver.project(s, options, x, at.G, at.nu);  // (S5)
}

inline namespace TAUT_STEPS {  // flatten.hpp

struct Shake {
  static constexpr MethodFacts facts{.name = "shake",
                                     .what = "leap-frog SHAKE; momenta projected onto M at output only",
                                     .source = "Leimkuhler-Skeel (12)-(14), section 8",
                                     .theory = "shake",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true};
  static constexpr bool offers_plain_updates = true;
  static Spelling spelling() { return spelled("shake.hpp", "Shake"); }
  SolveOptions solve{};

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  struct Memory : ShakeMemory<P, X> {
    Memory(const P& s, const X& x, const Shake& method) : ShakeMemory<P, X>(s, x, method.solve) {}
  };

  // Makes a step. x holds (q_n, p_{n-1/2}), except before the first step, when it holds (q_0, p_0).
  template <Natural P, class X>
  TAUT_FLATTEN Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    auto&& next = room(s, at.next);
    const typename P::Scalar share = at.started ? h : h / 2;  // (S4): p_{-1/2} = p_0 + (h/2) ∇V(q_0)
    const auto& W = s.W();
    // (S1): p_{n+½} = p_{n-½} - h ∇V(q_n) - G(q_n)ᵀμ; the drift adds the last term
    auto&& kicked = kicked_state(x, -share * at.grad_V, at.kicked);
    // (S2): q_{n+1} = q_n + h W p_{n+½}
    typename Memory<P, X>::Drift drift(next, kicked, at.G, W, h, at.moved);
    // (S3): g(q_{n+1}) = 0, which fixes μ
    const auto solved = at.solver.land(s, solve, x.q, at.G, drift, at.mu, at.begin(at.mu));
    if (!solved) return solved;
    if (const auto missed = at.solver.missed_landing(s, x.q, next.q, h, at.mu)) return *missed;
    x = next;
    at.refresh(s, x.q);
    if (at.started) at.keep(at.mu);  // the impulse of the first step is that of half a step
    at.started = true;
    return solved;
  }

  template <Natural P, class X>
  Expected<int> output(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return synchronise(s, x, at, solve, h);
  }
};

}  // namespace TAUT_STEPS

struct ShakeTwoStep {
  static constexpr MethodFacts facts{.name = "shake(two-step)",
                                     .what = "SHAKE as printed, from q_{n-1} and q_n: more rounding error",
                                     .source = "Leimkuhler-Skeel (10)-(11)",
                                     .theory = "shake",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true};
  static Spelling spelling() { return spelled("shake.hpp", "ShakeTwoStep"); }
  SolveOptions solve{};

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  struct Memory : ShakeMemory<P, X> {
    Memory(const P& s, const X& x, const ShakeTwoStep& method)
        : ShakeMemory<P, X>(s, x, method.solve), q_before(x.q), q_next(x.q) {}
    typename P::Vec q_before, q_next;

    template <class Carry>
    void carry(Carry& c) {
      ShakeMemory<P, X>::carry(c);
      c(q_before);
    }
  };

  // Makes a step. x.q is q_n; x.p is p_{n-1/2} = M (q_n - q_{n-1})/h, kept for output.
  template <Natural P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if (!at.started) start(s, x, at, h);
    auto move = move_with_gain(s, x.q, x.p, at.G, h, [&](const auto& mu) -> const auto& {
      at.work = -h * at.grad_V;
      at.G.subtract_transpose(mu, at.work);  // μ = h λ_n
      s.W().times(at.work, at.velocity);
      at.q_next = typename P::Scalar(2) * x.q - at.q_before + h * at.velocity;  // (S6)
      return at.q_next;
    });
    const auto solved = at.solver.land(s, solve, x.q, at.G, move, at.mu, at.begin(at.mu));  // (S3)
    if (!solved) return solved;
    if (const auto missed = at.solver.missed_landing(s, x.q, at.q_next, h, at.mu)) return *missed;
    at.keep(at.mu);
    at.q_before = x.q;
    at.velocity = (at.q_next - x.q) / h;
    x.q = at.q_next;
    s.W().mass_times(at.velocity, x.p);
    at.refresh(s, x.q);
    return solved;
  }

  template <Natural P, class X>
  Expected<int> output(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return synchronise<P, X>(s, x, at, solve, h);
  }

 private:
  template <Natural P, class X>
  static void start(const P& s, const X& x, Memory<P, X>& at, const typename P::Scalar& h) {
    at.work = x.p + h / 2 * at.grad_V;  // (S4)
    s.W().times(at.work, at.velocity);
    at.q_before = x.q - h * at.velocity;
    at.started = true;
  }
};

struct ShakeVelocity {
  static constexpr MethodFacts facts{
      .name = "shake-velocity",
      .what =
          "SHAKE in velocity form (VS): keeps g = 0, not the momentum constraint; symplectic on {g = 0} only",
      .source = "Leimkuhler-Skeel (15)-(18)",
      .theory = "shake",
      .order = 2,
      .symmetric = true,
      .symplectic = true,
      .keeps = Keeps::position};
  static Spelling spelling() { return spelled("shake.hpp", "ShakeVelocity"); }
  SolveOptions solve{};

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  struct Memory : ShakeMemory<P, X> {
    Memory(const P& s, const X& x, const ShakeVelocity& method)
        : ShakeMemory<P, X>(s, x, method.solve), half(x), end(x), ahead(x), found(this->mu) {}
    X half;  // q_n and p_{n+1/2}
    X end, ahead;
    typename P::Multiplier found;  // (h/2) λ_{n+1}; it becomes at.mu = (h/2) λ_n if the step succeeds

    template <class Carry>
    void carry(Carry& c) {
      ShakeMemory<P, X>::carry(c);
      c(half);
      c(this->mu);
    }
  };

  template <Natural P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    int iterations = 0;
    if (!at.started) {
      at.half = x;
      const auto first = half_step(s, at.half, at, h, typename P::Scalar(1));
      if (!first) return first;
      iterations = *first;
      at.mu = at.found;
      at.started = true;
    }
    at.next = at.half;
    free_flight(at.next, s.W(), h,
                at.moved);  // (S7), with (S3): the half momentum was chosen for it
    at.refresh(s, at.next.q);
    kick(at.next, -h / 2 * at.grad_V);
    // This is p_{n+1} except for its multiplier, which acts on the next half step a second time.
    at.end = at.next;
    const auto solved = half_step(s, at.end, at, h, typename P::Scalar(2));
    if (!solved) {
      at.refresh(s, x.q);
      return solved;
    }
    kick_along(at.next, at.G, at.found, at.work);  // (S9)
    x = at.next;
    at.mu = at.found;
    at.half = at.end;
    return iterations + *solved;
  }

 private:
  // Sets x.p to p_n - (h/2)∇V - times Gᵀμ, with μ such that the drift that follows ends on g = 0.
  template <Natural P, class X>
  Expected<int> half_step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h,
                          const typename P::Scalar& times) const {
    at.kicked = x;
    kick(at.kicked, -h / 2 * at.grad_V);
    const auto end = [&](const auto& mu) -> const auto& {
      x = at.kicked;
      kick_along(x, at.G, typename P::Multiplier(times * mu), at.work);  // (S8)
      at.ahead = x;
      free_flight(at.ahead, s.W(), h, at.moved);
      return at.ahead.q;
    };
    auto move = move_with_gain(s, at.kicked.q, at.kicked.p, at.G, times * h, end);
    const auto solved = at.solver.land(s, solve, at.kicked.q, at.G, move, at.found, at.begin(at.found));
    if (!solved) return solved;
    if (const auto missed = at.solver.missed_landing(s, at.kicked.q, at.ahead.q, times * h, at.found))
      return *missed;
    at.keep(at.found);
    return solved;
  }
};

}  // namespace taut
