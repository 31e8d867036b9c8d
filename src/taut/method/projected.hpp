// Reich's scheme (24): any first- or second-order symplectic map Ψ_h of the unconstrained system becomes a
// symplectic map on M. An impulse along Gᵀ before the map lands q on g = 0, and one after it lands p on
// G H_p = 0. Labels: docs/theory/projected.md.
//
// A map Ψ is a type with `facts`, `fits<P>`, a Memory<P, X> built from (problem, state), and either
//     Expected<int> map(s, x, memory, h) const          x ← Ψ_h(x)
// or, so that what comes after the last change of q is done once per step and not once per iteration,
//     Expected<int> reach(s, x, memory, h) const        the part of Ψ_h that determines q₁
//     void finish(s, x, memory, h) const                 the rest
//     memory.refresh(s, q)                               brings the memory to another q
// and, if ∂q₁/∂p₀ is far from h·H_pp (a stiff implicit map),
//     Expected<int> prepare(s, x, memory, h) const      called once per step at its start
//     void response(s, memory, G, K) const               gives (∂q₁/∂p₀) Gᵀ to K, a ResponseMatrix<P>
//     bool renews(memory) const                          says, if it is there, whether the response is that
//                                                        of the impulse last mapped; `response_is_exact`,
//                                                        whether nothing is left out of it
// and, if the step may be so stiff that these solves do not contract from where they start,
//     bool may_approach(memory) const                    says whether there is another way to try
//     Expected<int> approach(s, x, G, mu, memory, h)     finds μ nearly, and prepares the map and its
//                                                        response for a landing from there
// and, if its own equations and g(q₁) = 0 are better solved together than one inside the other,
//     Expected<int> at_once(s, x, G, mu, memory, h, solve, next)   finds μ and moves `next` to the end of the
//                                                        map, in the lanes that memory.done names if it fails
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/spelling.hpp>
#include <taut/problem/kick_and_drift.hpp>

namespace taut {

template <class Psi, class P, class X>
concept KnowsResponse = requires(const Psi& psi, const P& s, const X& x,
                                 typename Psi::template Memory<P, X>& memory, const typename P::Scalar& h) {
  typename Psi::template ResponseMatrix<P>;
  psi.prepare(s, x, memory, h);
};

template <class Psi, class P, class X>
constexpr auto pick_position_matrix() {
  if constexpr (KnowsResponse<Psi, P, X>)
    return std::type_identity<typename Psi::template ResponseMatrix<P>>{};
  else
    return std::type_identity<ConstraintMatrix<P>>{};
}

// The response may be that of the impulse last mapped: psi.renews(memory) says so.
template <class Psi, class P, class X>
concept RenewsResponse =
    KnowsResponse<Psi, P, X> && requires(const Psi& psi, const typename Psi::template Memory<P, X>& memory) {
      { psi.renews(memory) } -> std::same_as<bool>;
    };

// If q₁ is affine in the impulse, the response is h H_pp at every impulse: the member `affine` of Ψ says so.
// Large systems have shortcuts that do not need to know.
template <class Psi, class P>
inline constexpr bool is_affine = false;
template <class Psi, class P>
  requires requires { Psi::affine; }
inline constexpr bool is_affine<Psi, P> = Psi::affine && !has_groups<typename P::Jacobian>;

template <class Psi, class P, class X>
concept Approaches = requires(const Psi& psi, const P& s, const X& x, const typename P::Jacobian& G,
                              typename P::Multiplier& mu, typename Psi::template Memory<P, X>& memory,
                              const typename P::Scalar& h) { psi.approach(s, x, G, mu, memory, h); };

template <class Psi, class P, class X>
concept SolvesAtOnce = requires(const Psi& psi, const P& s, const X& x, const typename P::Jacobian& G,
                                typename P::Multiplier& mu, typename Psi::template Memory<P, X>& memory,
                                const typename P::Scalar& h, const SolveOptions& solve,
                                X& next) { psi.at_once(s, x, G, mu, memory, h, solve, next); };

template <class Psi, class P, class X>
concept Finishes = requires(const Psi& psi, const P& s, X& x, typename Psi::template Memory<P, X>& memory,
                            const typename P::Scalar& h) { psi.finish(s, x, memory, h); };

template <class Psi>
struct Projected {
  Psi psi{};
  SolveOptions solve{};

  MethodFacts facts() const { return facts_of(psi); }
  static constexpr bool offers_plain_updates = OffersPlainUpdates<Psi>;
  static constexpr MethodNumber number()
    requires Numbered<Psi>
  {
    return Psi::number();
  }
  Projected numbered(int n) const
    requires Numbered<Psi>
  {
    return {.psi = psi.numbered(n), .solve = solve};
  }
  Spelling spelling() const {
    Spelling map = psi.spelling();
    map.headers.emplace_back("projected.hpp");
    map.type = "Projected<" + map.type + ">";
    map.value = map.type + "{.psi = " + map.value + "}";
    return map;
  }

  template <class P>
  static constexpr bool fits = Psi::template fits<P>;

  template <Hamiltonian P, class X>
  struct Memory {
    using K = typename decltype(pick_position_matrix<Psi, P, X>())::type;
    Memory(const P& s, const X& x, const Projected& method = {})
        : G(s.make_jacobian()),
          impulse(zero_vector(s)),
          next(x),
          before(x),
          mu(zero_multiplier(s)),
          nu(mu),
          solver(s),
          inner(make_memory(method.psi, s, x)) {
      s.G(x.q, G);
    }
    void refresh(const P& s, const typename P::Vec& q) {
      s.G(q, G);
      if constexpr (requires { inner.refresh(s, q); }) inner.refresh(s, q);
    }
    typename P::Jacobian G;  // at the present q
    typename P::Vec impulse;
    X next, before;
    typename P::Multiplier mu, nu;  // μ = (h/2) Λ_k, ν = (h/2) Λ_{k+1}
    SolverOf<P, K> solver;
    typename Psi::template Memory<P, X> inner;
  };

  // Reich (26): Ψ_h after an impulse that makes it end on g = 0.
  template <Hamiltonian P, class X>
  Expected<int> advance(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if constexpr (SolvesAtOnce<Psi, P, X>)
      return advance_at_once(s, x, at, h);
    else
      return advance_by_landing(s, x, at, h);
  }

 private:
  // Solves the map and g(q₁) = 0 together, and one inside the other where that fails.
  template <Hamiltonian P, class X>
  Expected<int> advance_at_once(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if (solve.tolerance > 0 || solve.iteration == Iteration::sweep) return advance_by_landing(s, x, at, h);
    const auto solved = psi.at_once(s, x, at.G, at.mu, at.inner, h, solve, at.next);
    if (solved) {
      x = at.next;
      s.G(x.q, at.G);
      return solved;
    }
    if constexpr (ScalarTraits<typename P::Scalar>::lanes == 1) {
      return advance_by_landing(s, x, at, h);
    } else {  // a lane that has ended keeps what it found, as if it were alone
      const X found = at.next;
      const typename P::Multiplier mu = at.mu;
      const auto going = !at.inner.done;
      const auto landed = advance_by_landing(s, x, at, h);
      if (!landed) return landed;
      restore_others(going, found, x);
      for (Eigen::Index i = 0; i < mu.size(); ++i) at.mu[i] = select(going, at.mu[i], mu[i]);
      s.G(x.q, at.G);
      return landed;
    }
  }

  template <Hamiltonian P, class X>
  Expected<int> advance_by_landing(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if constexpr (KnowsResponse<Psi, P, X>)
      if (const auto ready = psi.prepare(s, x, at.inner, h); !ready) return ready;
    Expected<int> mapped = 0;
    const auto end = [&](const auto& mu) -> const auto& {
      at.next = x;
      kick_along(at.next, at.G, mu, at.impulse);  // (P1)
      if (mapped) mapped = reach(s, at, h);       // (P2)
      if (!mapped) at.next.q.setConstant(typename P::Scalar(std::numeric_limits<double>::quiet_NaN()));
      return at.next.q;
    };
    const auto respond = [&](auto& matrix) {
      if constexpr (KnowsResponse<Psi, P, X>)
        psi.response(s, at.inner, at.G, matrix);
      else
        matrix.right(s, x.q, x.p, at.G, h);
    };
    const auto land = [&](const LandFrom& from) -> Expected<int> {
      mapped = 0;
      const auto solved = [&] {
        if constexpr (RenewsResponse<Psi, P, X> || is_affine<Psi, P>) {
          NewtonMoveBy move{end, respond, known_response(at)};
          return at.solver.land(s, solve, x.q, at.G, move, at.mu, from);  // (P3): g(q₁) = 0
        } else {
          MoveBy move{end, respond};
          return at.solver.land(s, solve, x.q, at.G, move, at.mu, from);  // (P3)
        }
      }();
      return mapped ? solved : mapped;
    };
    auto solved = land({});
    if constexpr (Approaches<Psi, P, X> && ScalarTraits<typename P::Scalar>::lanes == 1)
      if (!solved && solved.error().kind != FailureKind::not_finite && psi.may_approach(at.inner))
          [[unlikely]] {
        const auto near = psi.approach(s, x, at.G, at.mu, at.inner, h);
        if (!near) return near;
        solved = land({.guess = true});
        if (solved) solved = *solved + *near;
      }
    if (!solved) return solved;
    x = at.next;
    if constexpr (Finishes<Psi, P, X>) psi.finish(s, x, at.inner, h);
    s.G(x.q, at.G);
    return solved;
  }

 public:
  template <Hamiltonian P, class X>
  Expected<int> project(const P& s, X& x, Memory<P, X>& at) const {
    return at.solver.project(s, solve, x, at.G, at.nu);  // (P4)
  }

  template <Hamiltonian P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.before = x;
    const auto solved = advance(s, x, at, h);
    if (!solved) return solved;
    const auto given_up = [&](const Failure& failure) {
      x = at.before;
      at.refresh(s, x.q);
      return failure;
    };
    if (const auto projected = project(s, x, at); !projected) return given_up(projected.error());
    if (const auto missed = at.solver.missed(s, at.before, x, h, at.mu, at.nu)) return given_up(*missed);
    return solved;
  }

 private:
  template <Hamiltonian P, class X>
  KnownResponse known_response(const Memory<P, X>& at) const {
    if constexpr (is_affine<Psi, P>)
      return {.changes = false};
    else
      return {.newton = psi.renews(at.inner), .exact = Psi::response_is_exact};
  }

  template <Hamiltonian P, class X>
  Expected<int> reach(const P& s, Memory<P, X>& at, const typename P::Scalar& h) const {
    if constexpr (Finishes<Psi, P, X>)
      return psi.reach(s, at.next, at.inner, h);
    else
      return psi.map(s, at.next, at.inner, h);
  }
};

}  // namespace taut
