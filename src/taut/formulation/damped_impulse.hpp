// A damped Newton iteration for the impulse that lands a kick and a drift on g = 0. It is for long steps, in
// which the iteration of position_solve.hpp runs past the solution. Labels: docs/theory/position-solve.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/line_search.hpp>
#include <taut/solve/residual_size.hpp>

#include <type_traits>

namespace taut {

// A kick and a drift by itself: q₁ = start - R μ, R = gain · H_pp(q, p) G₀ᵀ. It keeps no address of the move
// that it was made from, because what has an address cannot live in registers.
template <class P>
struct StraightMove {
  const P& s;
  const typename P::Jacobian& G0;
  typename P::Vec start, q{}, p{}, q1{}, push{};
  typename P::Scalar gain{};

  // Takes what the other move tells a matrix.
  void right(const P&, const typename P::Vec& at_q, const typename P::Vec& at_p, const typename P::Jacobian&,
             const typename P::Scalar& by) {
    q = at_q;
    p = at_p;
    push = at_q;
    q1 = at_q;
    gain = by;
  }
  const typename P::Vec& look(const typename P::Multiplier& mu) {
    set_zero(push);
    G0.subtract_transpose(mu, push);
    H_pp_times(s, q, p, push, q1);
    q1 = start + gain * q1;
    return q1;
  }
  template <class K>
  void respond(const P&, K& matrix) const {
    matrix.right(s, q, p, G0, gain);
  }
};

template <class P>
struct DampedImpulse {
  typename P::Multiplier mu;
  int corrections = 0;  // 0: none was found
};

// Looks for the μ with g(q₁(μ)) = 0, from μ = 0, until Newton's iteration contracts by itself. A residual
// counts by the way that takes it off, |gᵢ|/‖G₀ᵢ‖. K is the type of the matrix.                       (C6)
template <class K, class P, class Move>
DampedImpulse<P> damped_impulse(const P& s, const typename P::Jacobian& G0, Move& move) {
  using T = typename P::Scalar;
  using B = Base<T>;
  typename P::Multiplier mu = zero_multiplier(s), g = mu, delta = mu, tried = mu;
  const typename P::Vec* q1 = nullptr;
  typename P::Jacobian G1 = s.make_jacobian();
  Vector<B, P::m> per_row = Vector<B, P::m>::Zero(s.constraints());
  G0.for_each([&](int i, int, const T& entry) { per_row[i] += base(entry) * base(entry); });
  for (Eigen::Index i = 0; i < per_row.size(); ++i)
    per_row[i] = per_row[i] > B(0) ? B(B(1) / sqrt(per_row[i])) : B(1);
  const auto look = [&](const typename P::Multiplier& impulse) {
    q1 = &move.look(impulse);
    s.g(*q1, g);
    B size(0);
    for (Eigen::Index i = 0; i < per_row.size(); ++i) {
      const B entry = base(g[i]) * per_row[i];
      size += entry * entry;
    }
    return B(sqrt(size));
  };
  K matrix(s);
  B now = look(mu);
  move.respond(s, matrix);
  bool contracted = false;
  for (int k = 1; k <= most_damped_corrections && finite(now); ++k) {
    if constexpr (requires { move.renew(s, matrix); })
      if (k > 1) move.renew(s, matrix);
    s.G(*q1, G1);
    matrix.assemble(G1);
    if (matrix.factor() >= 0) break;
    delta = g;
    matrix.solve(delta);
    const auto step = line_search<B>(now, [&](const B& part) {
      tried = mu + T(part) * delta;
      return look(tried);
    });
    const bool contracts = step.contracts(now);
    if (step.found) mu = tried;
    if (contracted && (contracts || !step.found)) return {mu, k};  // twice, or as far as rounding lets it
    if (!step.found) break;
    contracted = contracts;
    now = step.size;
  }
  return {zero_multiplier(s), 0};
}

// The same for a kick and a drift, which comes by value.
template <class P>
[[gnu::cold, gnu::noinline]] DampedImpulse<P> damped_impulse_of(StraightMove<P> move) {
  return damped_impulse<ConstraintMatrix<P>>(move.s, move.G0, move);
}

}  // namespace taut
