// Higher order by composition, Reich (26)-(27): substeps γᵢh of a symmetric second-order map, or a
// first-order map and its adjoint in turn, with one momentum projection at the end. The inner projections are
// left out: the impulse of the next substep contains them, so the positions are the same. Labels:
// docs/theory/composition.md.
#pragma once

#include <taut/formulation/multiplier.hpp>
#include <taut/method/composition_table.hpp>
#include <taut/method/explicit_maps.hpp>
#include <taut/method/impulse_guess.hpp>
#include <taut/method/made/made_composition.hpp>
#include <taut/method/past_impulses.hpp>
#include <taut/method/projected.hpp>
#include <taut/method/rattle.hpp>

namespace taut {

template <class Base_>
struct Composition {
  const CompositionScheme* scheme = nullptr;
  Base_ base{};
  bool inner_projections = false;  // set only to show that they change nothing

  template <class P>
  static constexpr bool fits = Base_::template fits<P>;

  MethodFacts facts() const { return composition_facts(*scheme, facts_of(base)); }
  static constexpr bool offers_plain_updates = std::same_as<Base_, Rattle>;
  Spelling spelling() const {
    return composition_spelling("Composition", "composition.hpp", *scheme, base.spelling());
  }

  template <Hamiltonian P, class X>
  struct Memory : Base_::template Memory<P, X> {
    Memory(const P& s, const X& x, const Composition& method)
        : Base_::template Memory<P, X>(make_memory(method.base, s, x)),
          guess(s, coefficients<double>(*method.scheme)),
          past(s),
          remembers(remembering(method)),
          start(x) {
      for (const Float128& c : coefficients<Float128>(*method.scheme))
        gamma.push_back(coefficient<typename P::Scalar>(c));
    }
    std::vector<typename P::Scalar> gamma;
    ImpulseGuess<P> guess;
    PastImpulses<P> past;  // by first substeps, if the run begins at a guess from earlier steps
    bool remembers;
    X start;

    template <class Carry>
    void carry(Carry& c) {
      if (remembers) past.carry(c);
    }
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.start = x;
    auto solved = substeps(s, x, at, h);
    if constexpr (std::same_as<Base_, Rattle> && ScalarTraits<typename P::Scalar>::lanes == 1)
      if (!solved && solved.error().kind != FailureKind::not_finite) [[unlikely]]
        solved = damped_substeps(s, x, at, h, solved.error());
    if (solved)
      if (const auto missed = at.solver.missed(s, at.start, x, h, at.mu, at.nu)) solved = *missed;
    if (!solved) {
      x = at.start;
      at.refresh(s, x.q);
    } else if (at.remembers) [[unlikely]] {
      at.past.keep(at.guess.first());
    }
    return solved;
  }

 private:
  static bool remembering(const Composition& method) {
    if constexpr (std::same_as<Base_, Rattle>)
      return method.base.solve.first_guess == FirstGuess::quadratic;
    else
      return false;
  }

  // The first impulse is γ₁(h/2) λ(q₀, p₀) up to O(h²), a function of the state: (Y7).
  template <Hamiltonian P, class X>
  void begin_at_multiplier(const P& s, const X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if constexpr (Castable<P> && is_float<typename P::Scalar>)
      if (base.solve.first_guess == FirstGuess::multiplier) [[unlikely]] {
        const auto lambda = multiplier(s, x.q, x.p);
        typename P::Multiplier first = zero_multiplier(s);  // if the constraints are dependent here
        if (lambda) first = at.gamma.front() * h / 2 * *lambda;
        at.guess.begin_at(first);
      }
  }

  // Makes the step once more, each substep from where a damped iteration leads: one that began at a guess may
  // have landed far out, on a branch from which the next has nowhere to go. Returns `failure` if this fails.
  template <Hamiltonian P, class X>
  [[gnu::cold, gnu::noinline]] Expected<int> damped_substeps(const P& s, X& x, Memory<P, X>& at,
                                                             const typename P::Scalar& h,
                                                             const Failure& failure) const {
    x = at.start;
    at.refresh(s, x.q);
    int corrections = failure.iterations;
    for (const auto& gamma : at.gamma) {
      const auto advanced = base.advance(s, x, at, typename P::Scalar(gamma * h), true);  // (Y1)
      if (!advanced) return failure;
      corrections += *advanced;
    }
    if (!base.project(s, x, at)) return failure;  // (Y2)
    return corrections;
  }

  template <Hamiltonian P, class X>
  Expected<int> substeps(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if constexpr (std::same_as<Base_, Rattle>)
      if (!inner_projections) {
        begin_at_multiplier(s, x, at, h);
        if (at.remembers) [[unlikely]] {
          at.past.offer(at.mu);
          at.guess.begin_at(at.mu);
        }
        const auto advanced =
            base.advance(s, x, at, h, std::span<const typename P::Scalar>(at.gamma), at.guess);  // (Y1)
        if (!advanced) return advanced;
        if (const auto projected = base.project(s, x, at); !projected) return projected;  // (Y2)
        return advanced;
      }
    int iterations = 0;
    Base_ map = base;
    bool adjoint = true;
    for (const auto& gamma : at.gamma) {
      if constexpr (requires { map.psi.adjoint; }) {
        map.psi.adjoint = scheme->alternates && adjoint;
        adjoint = !adjoint;
      }
      const auto advanced = map.advance(s, x, at, gamma * h);  // (Y1)
      if (!advanced) return advanced;
      iterations += *advanced;
      if (!inner_projections) continue;
      if (const auto projected = map.project(s, x, at); !projected) return projected;
    }
    if (const auto projected = map.project(s, x, at); !projected) return projected;  // (Y2)
    return iterations;
  }
};

}  // namespace taut
