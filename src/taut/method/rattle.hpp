// RATTLE, the velocity form of Verlet's method with both constraints (Andersen 1983; VR of Leimkuhler & Skeel
// 1994). Labels: docs/theory/rattle.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/method/verlet_memory.hpp>
#include <taut/scalar/flatten.hpp>

#include <algorithm>
#include <concepts>
#include <span>

namespace taut {

// A thread of a device has no room for the text of a loop over again.
#ifdef __NVPTX__
#define TAUT_ONE_BODY _Pragma("clang loop unroll(disable)")
#else
#define TAUT_ONE_BODY
#endif

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

  // at.mu = (h/2) λ⁽ʳ⁾, at.nu = (h/2) λ⁽ᵛ⁾
  template <Natural P, class X>
  using Memory = VerletMemory<P, X>;

  template <Natural P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return steps(s, x, at, h, 1);
  }

  // Makes `count` steps in one call, which keeps in registers what a call per step passes through memory.
  // Returns the number of Newton corrections of all steps. After a failure x is as before the step that
  // failed.
  template <Natural P, class X>
  Expected<int> steps(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h, int count) const {
    return with_stop_rule(solve, [&](const auto& rule) -> Expected<int> {
      if constexpr (has_usual_steps<std::remove_cvref_t<decltype(rule)>, P, X>)
        return usual_steps_and_others(rule, s, x, at, h, count);
      int corrections = 0;
      for (int left = count;;) {
        const auto made = steps_by(rule, s, x, at, h, left);
        if (!made) return made;
        corrections += *made;
        if (left == 0) return corrections;
        if (const auto missed = at.solver.missed(s, x, at.next, h, at.mu, at.nu)) {
          at.refresh(s, x.q);
          return *missed;
        }
        give(x, at.next);
        --left;
      }
    });
  }

  // Makes a step in the faster way, as a device does, if nothing about it is in doubt. Otherwise it returns
  // false; then x and what is kept between steps are lost.
  template <Natural P, class X>
  bool step_if_clear(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return with_stop_rule(solve, [&](const auto& rule) {
      if constexpr (knows_usual_steps<std::remove_cvref_t<decltype(rule)>, P, X>) {
        bool has_landed = false;
        return usual_step(rule, s, x, x, at, h, has_landed) >= 0;
      } else {
        return static_cast<bool>(step(s, x, at, h));
      }
    });
  }

  // Does the same for a step of substeps γ₁h, γ₂h, …, as a composition makes it.
  template <Natural P, class X, class Guess>
  bool advance_if_clear(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h,
                        std::span<const typename P::Scalar> gamma, Guess& guess) const {
    return with_stop_rule(solve, [&](const auto& rule) {
      if constexpr (knows_usual_steps<std::remove_cvref_t<decltype(rule)>, P, X>)
        return succeeded(advance_by<true>(rule, s, x, at, h, gamma, guess)) &&
               at.solver.project_if_clear(s, x, h, at.G, at.nu);  // (R5)
      else
        return false;
    });
  }

  // Makes steps γ₁h, γ₂h, … without (R5), as compositions want it. `guess` offers the impulse from which each
  // solve starts, and is told the one that was found. After a failure x is lost.
  template <Natural P, class X, class Guess>
  Expected<int> advance(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h,
                        std::span<const typename P::Scalar> gamma, Guess& guess) const {
    return with_stop_rule(
        solve, [&](const auto& rule) { return advance_by<false>(rule, s, x, at, h, gamma, guess); });
  }
  template <Natural P, class X>
  Expected<int> advance(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h,
                        bool damped = false) const {
    const typename P::Scalar whole[] = {typename P::Scalar(1)};
    NoGuess none{damped};
    return advance(s, x, at, h, whole, none);
  }

  template <Natural P, class X>
  TAUT_FLATTEN Expected<int> project(const P& s, X& x, Memory<P, X>& at) const {
    return with_stop_rule(solve, [&](const auto& rule) {
      return at.solver.project(s, rule, x, at.G, at.nu);  // (R5)
    });
  }

 private:
  struct NoGuess {
    bool damped = false;
    bool is_damped() const { return damped; }
    template <class Multiplier>
    void offer(std::size_t, Multiplier& mu) const {
      set_zero(mu);
    }
    template <class Multiplier>
    void keep(std::size_t, const Multiplier&) const {}
  };

  // Makes `left` steps and counts them down. It returns before the end of a step that is in doubt, with its
  // end in at.next: a call that comes back to this loop would cost it its registers.
  template <class Rule, Natural P, class X>
  TAUT_FLATTEN static Expected<int> steps_by(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                             const typename P::Scalar& h, int& left) {
    auto&& next = room(s, at.next);
    int corrections = 0;
    for (; left > 0; --left) {
      const auto landed = land<false>(rule, s, x, next, at, {h, h / 2}, {});  // (R1), (R2), (R3)
      if (!landed) return landed;
      kick(next, -h / 2 * at.grad_V);  // (R4): p̄₁ = p½ - (h/2) ∇V(q₁)
      const auto projected =
          at.solver.project(s, rule, next, at.G, at.nu);  // (R5): p₁ = p̄₁ - G(q₁)ᵀν, G(q₁) W p₁ = 0
      if (!projected) {
        at.refresh(s, x.q);
        return projected;
      }
      corrections += *landed;
      if constexpr (!is_to_tolerance<Rule>)
        if (at.solver.in_doubt(h)) [[unlikely]] {
          assign(at.next, next);
          return corrections;
        }
      give(x, next);
    }
    return corrections;
  }

  // The number of corrections of a landing, and of all landings of a step: below 0 if a `usual` one is in
  // doubt.
  template <bool usual>
  using Landed = std::conditional_t<usual, int, Expected<int>>;
  static bool succeeded(int landed) { return landed >= 0; }
  static bool succeeded(const Expected<int>& landed) { return static_cast<bool>(landed); }
  static int number_of(int landed) { return landed; }
  static int number_of(const Expected<int>& landed) { return *landed; }

  template <bool usual, class Rule, Natural P, class X, class Guess>
  TAUT_FLATTEN static Landed<usual> advance_by(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                               const typename P::Scalar& h,
                                               std::span<const typename P::Scalar> gamma, Guess& guess) {
    using T = typename P::Scalar;
    int corrections = 0;
    T before(0);  // the last substep, whose second kick is made together with the first of the next
    TAUT_ONE_BODY
    for (std::size_t i = 0; i < gamma.size(); ++i) {
      const T now = gamma[i] * h;
      guess.offer(i, at.mu);
      const auto landed = land<usual>(rule, s, x, x, at, {now, (before + now) / 2},
                                      {.guess = true,
                                       .units_known = i > 0,
                                       .keep_units = true,
                                       .damped = guess.is_damped()});  // (R1), (R2), (R3)
      if (!succeeded(landed)) return landed;
      guess.keep(i, at.mu);
      corrections += number_of(landed);
      before = now;
    }
    kick(x, -before / 2 * at.grad_V);  // (R4)
    return corrections;
  }

  // With two ways to make a step the state of a small system would not fit into the registers of a GPU.
#ifdef __NVPTX__
  static constexpr bool has_room_for_two_ways = false;
#else
  static constexpr bool has_room_for_two_ways = true;
#endif
  // Asks whether the solver knows solves that look at nothing but whether they may be in doubt.
  template <class Rule, class P, class X>
  static constexpr bool knows_usual_steps =
      fixed_size<P> && must_be_newton<Rule> && !is_to_tolerance<Rule> && is_judged<typename P::Scalar> &&
      requires(Memory<P, X>& at, const P& s, X& x, const typename P::Scalar& h) {
        at.solver.project_if_clear(s, x, h, at.G, at.nu);
      };
  template <class Rule, class P, class X>
  static constexpr bool has_usual_steps =
      has_room_for_two_ways && std::copy_constructible<P> && knows_usual_steps<Rule, P, X>;

  // Makes a step in doubt in another way, which ends in the same bits. If there are many, it makes more and
  // more of them before it tries the faster way again.
  template <class Rule, Natural P, class X>
  static Expected<int> usual_steps_and_others(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                              const typename P::Scalar& h, int count) {
    constexpr int most_in_a_row = 64;
    int corrections = 0;
    for (int left = count, in_a_row = 1;;) {
      const int before = left;
      bool has_landed = false;
      corrections += usual_steps(rule, s, x, at, h, left, has_landed);
      if (left == 0) return corrections;
      if (has_landed) {  // its gradient is counted, and a copy of the problem counts by itself
        const P again(s);
        at.refresh(again, x.q);
        const auto made = step_in_doubt(rule, again, x, at, h);
        if (!made) return made;
        corrections += *made;
        --left;
      }
      in_a_row = before - left > in_a_row ? 1 : std::min(2 * in_a_row, most_in_a_row);
      for (int k = std::min(in_a_row - has_landed, left); k > 0; --k, --left) {
        const auto made = step_in_doubt(rule, s, x, at, h);
        if (!made) return made;
        corrections += *made;
      }
      if (left == 0) return corrections;
    }
  }

  // Makes `left` steps and counts them down, up to one of which anything is in doubt: that one is not made.
  // Returns the number of corrections. What a closer look, another try or the name of a failure need is not
  // in this loop, which would lack registers with it. If the step has landed, ∇V and G are those of its end.
  template <class Rule, Natural P, class X>
  TAUT_FLATTEN static int usual_steps(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                      const typename P::Scalar& h, int& left, bool& has_landed) {
    auto&& next = room(s, at.next);
    int corrections = 0;
    for (; left > 0; --left) {
      const int landed = usual_step(rule, s, x, next, at, h, has_landed);
      if (landed < 0) [[unlikely]]
        return corrections;
      corrections += landed;
      give(x, next);
    }
    return corrections;
  }
  // Makes one such step from x to next. Returns the number of its corrections, or -1 if anything is in doubt.
  template <class Rule, Natural P, class X>
  static int usual_step(const Rule& rule, const P& s, const X& x, X& next, Memory<P, X>& at,
                        const typename P::Scalar& h, bool& has_landed) {
    const int landed = land<true>(rule, s, x, next, at, {h, h / 2}, {});  // (R1), (R2), (R3)
    if (landed < 0) [[unlikely]]
      return landed;
    kick(next, -h / 2 * at.grad_V);                                     // (R4): p̄₁ = p½ - (h/2) ∇V(q₁)
    has_landed = !at.solver.project_if_clear(s, next, h, at.G, at.nu);  // (R5)
    return has_landed ? -1 : landed;
  }
  template <class Rule, Natural P, class X>
  [[gnu::noinline]] static Expected<int> step_in_doubt(const Rule& rule, const P& s, X& x, Memory<P, X>& at,
                                                       const typename P::Scalar& h) {
    const auto landed = land<false>(rule, s, x, at.next, at, {h, h / 2}, {});  // (R1), (R2), (R3)
    if (!landed) return landed;
    kick(at.next, -h / 2 * at.grad_V);                                        // (R4)
    const auto projected = at.solver.project(s, rule, at.next, at.G, at.nu);  // (R5)
    const auto lost = projected ? at.solver.missed(s, x, at.next, h, at.mu, at.nu) : projected.error();
    if (lost) {
      at.refresh(s, x.q);
      return *lost;
    }
    give(x, at.next);
    return landed;
  }

  // How long the drift of a step lasts, and how long its first kick.
  template <class T>
  struct Times {
    const T& drift;
    const T kick;
  };

  // Moves from x0 = (q₀, p₀) to x1 = (q₁, p½), which may be the same state, and brings ∇V and G to q₁.
  // If it is to be `usual` the answer is a number that is below 0 if the landing is in doubt; then only x1
  // has changed.
  template <bool usual, class Rule, Natural P, class X>
  static Landed<usual> land(const Rule& rule, const P& s, const X& x0, X& x1, Memory<P, X>& at,
                            const Times<typename P::Scalar>& h, const LandFrom& from) {
    const auto& W = s.W();
    // (R1): p½ = p₀ - (h/2) ∇V(q₀) - G(q₀)ᵀμ; the drift adds the last term
    auto&& kicked = kicked_state(x0, -h.kick * at.grad_V, at.kicked);
    // (R2): q₁ = q₀ + h W p½
    typename Memory<P, X>::Drift drift(x1, kicked, at.G, W, h.drift, at.moved);
    // (R3): g(q₁) = 0, which fixes μ
    if constexpr (usual) {
      const int landed = at.solver.land_if_clear(s, rule, kicked.q, at.G, drift, at.mu, from);
      if (landed >= 0) at.refresh(s, x1.q);
      return landed;
    } else {
      const auto landed = at.solver.land(s, rule, kicked.q, at.G, drift, at.mu, from);
      if (landed) at.refresh(s, x1.q);
      return landed;
    }
  }
};

}  // namespace TAUT_STEPS

}  // namespace taut
