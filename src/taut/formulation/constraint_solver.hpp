// The seam between methods and the ways to solve constraints. A solver does two things: it lands a step on
// g(q₁) = 0, and it projects momenta onto G H_p = 0. Methods ask for SolverOf<P> and do not know which it is.
#pragma once

#include <taut/formulation/momentum_solve.hpp>
#include <taut/formulation/position_solve.hpp>

namespace taut {

// A constraint solver for the problem P, states X and moves M offers
//     land(s, rule, q0, G0, move, mu, from)   finds μ with g(move(μ)) = 0 and leaves the state there
//     project(s, rule, x, G, nu)              finds ν with G H_p(q, p - Gᵀν) = 0 and kicks x.p by it
// Both give the number of corrections, or a Failure. A `rule` is SolveOptions or what with_stop_rule() makes
// of it. G0 = G(q0) and G = G(x.q) are known already.
// A method may ask it first for a land_if_clear() and a project_if_clear(), which do the same if nothing is
// in doubt, and are faster.
// A method that has made a step asks the solver
//     in_doubt(h)                             whether missed() would take a look
//     missed(s, x0, x1, h, mu, nu)            whether the step from x0 to x1 by these impulses is lost
//     missed_landing(s, q0, q1, h, mu)        the same for positions alone
template <class Solver, class P, class X, class M>
concept ConstraintSolver =
    LandingMove<M, P> &&
    requires(Solver& solver, const P& s, const SolveOptions& rule, const typename P::Vec& q0,
             const typename P::Jacobian& G, typename P::Multiplier& impulse, M& move, X& x, LandFrom from) {
      { solver.land(s, rule, q0, G, move, impulse, from) } -> std::same_as<Expected<int>>;
      { solver.project(s, rule, x, G, impulse) } -> std::same_as<Expected<int>>;
    };

// Newton's iteration on a matrix. K is the matrix of the landing; that of the projection is G H_pp Gᵀ.
template <Hamiltonian P, class K = ConstraintMatrix<P>>
class NewtonSolver {
 public:
  using Multiplier = typename P::Multiplier;

  explicit NewtonSolver(const P& s) : position_(s), momentum_(s) {}

  template <class Rule, LandingMove<P> M>
  Expected<int> land(const P& s, const Rule& rule, const typename P::Vec& q0, const typename P::Jacobian& G0,
                     M& move, Multiplier& mu, const LandFrom& from = {}) {
    auto&& position = room(s, position_);
    if (from.units_known) position.take_units(position_);
    LandFrom with = from;
    int before = 0;  // corrections of a damped iteration
    Failure first;   // what the usual one ended with
    bool noise_known = false, approached = false;
    if constexpr (ScalarTraits<typename P::Scalar>::lanes == 1)
      if (from.damped) [[unlikely]] {
        approached = true;
        before = position.approach(s, rule, G0, move, mu, {});
        with.guess = before > 0;
      }
    for (;;) {
      auto landed = position.land(s, rule, q0, G0, move, mu, with);
      if constexpr (!is_to_tolerance<Rule> && is_judged<typename P::Scalar>)
        if (!landed && !noise_known && position.raise_units_to_noise(s, q0, landed.error())) [[unlikely]] {
          noise_known = true;
          with = {.units_known = true, .keep_units = from.keep_units};
          continue;
        }
      if constexpr (ScalarTraits<typename P::Scalar>::lanes == 1)
        if (!landed && !approached) [[unlikely]] {
          approached = true;
          first = landed.error();
          before = position.approach(s, rule, G0, move, mu, first);
          if (before > 0) {
            with = {.guess = true, .units_known = noise_known, .keep_units = from.keep_units};
            continue;
          }
        }
      if (before > 0) [[unlikely]] {
        if (landed)
          landed = *landed + before;
        else if (!from.damped)
          landed = first;
      }
      if constexpr (!is_to_tolerance<Rule> && is_judged<typename P::Scalar>) {
        if (rule.tolerance <= 0) suspicion_.add(position.suspect());
        if (rule.tolerance <= 0 && came_from_afar(landed)) [[unlikely]]
          suspicion_.add(Mask<typename P::Scalar>(true));
      }
      if (from.keep_units) position_.take_units(position);
      return landed;
    }
  }
  template <class Rule, class X>
  Expected<int> project(const P& s, const Rule& rule, X& x, const typename P::Jacobian& G, Multiplier& nu) {
    auto&& momentum = room(s, momentum_);
    auto&& impulse = room(s, nu);
    set_zero(impulse);
    const auto projected = momentum.project(s, rule, x, G, impulse);
    if constexpr (fixed_size<P>) nu = impulse;
    if constexpr (!is_to_tolerance<Rule> && is_judged<typename P::Scalar>)
      if (rule.tolerance <= 0) suspicion_.add_rate(momentum.rate());
    return projected;
  }
  // Do what land() and project() do if nothing about it is in doubt: nothing fails, is tried again, has to be
  // judged or may be known better. Otherwise they return -1 and false, and the step has to be made anew.
  template <class Rule, LandingMove<P> M>
  int land_if_clear(const P& s, const Rule& rule, const typename P::Vec& q0, const typename P::Jacobian& G0,
                    M& move, Multiplier& mu, const LandFrom& from = {}) {
    auto&& position = room(s, position_);
    if (from.units_known) position.take_units(position_);
    const auto landed = position.land(s, rule, q0, G0, move, mu, from);
    if (from.keep_units) position_.take_units(position);
    return !landed || came_from_afar(landed) || any(position.suspect()) ? -1 : *landed;
  }
  template <class X>
  bool project_if_clear(const P& s, X& x, const typename P::Scalar& h, const typename P::Jacobian& G,
                        Multiplier& nu)
    requires Natural<P>
  {
    auto&& momentum = room(s, momentum_);
    auto&& impulse = room(s, nu);
    set_zero(impulse);
    const bool projected = momentum.project_if_clear(s, x, h, G, impulse);
    if constexpr (fixed_size<P>) nu = impulse;
    return projected;
  }
  bool in_doubt(const typename P::Scalar& h) const { return suspicion_.exists(h); }
  template <class X>
  std::optional<Failure> missed(const P& s, const X& x0, const X& x1, const typename P::Scalar& h,
                                const Multiplier& mu, const Multiplier& nu) {
    return suspicion_.judge(s, x0, x1, h, mu, nu);
  }
  std::optional<Failure> missed_landing(const P& s, const typename P::Vec& q0, const typename P::Vec& q1,
                                        const typename P::Scalar& h, const Multiplier& mu) {
    return suspicion_.judge_landing(s, q0, q1, h, mu);
  }

 private:
  // These are buffers if sizes are known at run time. Otherwise a solve works in locals, and only the units
  // are kept here.
  PositionSolve<P, K> position_;
  MomentumSolve<P> momentum_;
  Suspicion<P> suspicion_;
};

// Solves in the space of the rods, and by Newton's iteration on a sparse matrix what the rods refuse. It is
// defined in rod_constraint_solver.hpp, which every solver for a problem with a grouped Jacobian includes.
template <Hamiltonian P, class K>
class RodsOrNewton;

template <class P, class K>
constexpr auto pick_solver() {
  if constexpr (std::is_same_v<ConstraintMatrix<P>, SparseConstraintMatrix<P>>)
    return std::type_identity<RodsOrNewton<P, K>>{};
  else
    return std::type_identity<NewtonSolver<P, K>>{};
}
template <class P, class K = ConstraintMatrix<P>>
using SolverOf = typename decltype(pick_solver<P, K>())::type;

}  // namespace taut
