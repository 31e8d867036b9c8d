// Linear damping p' = … - γ p by its exact exponential: half of it, a step of lobatto(2) without it, and the
// other half. If all rates are γ, the 2-form is multiplied by e^{-γh}, to rounding. Labels:
// docs/theory/time-and-forces.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/spelling.hpp>

namespace taut {

// A problem with linear damping: e^{-γt} - 1 for each momentum, and the same problem without it. The last
// coordinate is the time, whose momentum is minus the work.
template <class P>
concept Damped = requires(const P& s, const typename P::Scalar& t, typename P::Vec& out) {
  s.lost_by_damping(t, out);
  { s.without_damping() } -> std::convertible_to<P>;
};

struct Conformal {
  SolveOptions solve{};

  static constexpr MethodFacts facts{
      .name = "conformal",
      .what = "linear damping by its exponential around lobatto(2): scales the 2-form exactly",
      .source = "after McLachlan and Quispel 2002",
      .theory = "time-and-forces",
      .order = 2,
      .symmetric = true,
      .tier = Tier::hamiltonian,
      .work = 10,
      .solve_limit = stage_limit};
  static Spelling spelling() { return spelled("conformal.hpp", "Conformal"); }

  template <class P>
  static constexpr bool fits = Hamiltonian<P> && Damped<P> && is_float<typename P::Scalar>;

  template <Hamiltonian P, class X>
  struct Memory {
    Memory(const P& s, const X& x, const Conformal& method)
        : free(s.without_damping()),
          inner(free, x, method.undamped()),
          change(zero_vector(s)),
          nu(zero_multiplier(s)),
          before(x) {}
    void refresh(const P&, const typename P::Vec& q) { inner.refresh(free, q); }
    P free;
    typename Lobatto<>::Memory<P, X> inner;
    typename P::Vec change;           // e^{-γh/2} - 1 for each momentum
    typename P::Scalar known_for{0};  // the h of `change`
    typename P::Multiplier nu;
    X before;
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.before = x;
    if (at.known_for != h) {
      s.lost_by_damping(typename P::Scalar(h / 2), at.change);
      at.known_for = h;
    }
    const auto given_up = [&](const Expected<int>& failed) {
      x = at.before;
      at.inner.refresh(at.free, x.q);
      return failed;
    };
    if (const auto damped = damp(at, x); !damped) return given_up(damped);
    const auto solved = undamped().step(at.free, x, at.inner, h);  // (TF6)
    if (!solved) return given_up(solved);
    if (const auto damped = damp(at, x); !damped) return given_up(damped);
    return solved;
  }

  Lobatto<> undamped() const { return {.s = 2, .solve = solve}; }

 private:
  // p ← e^{-γh/2} p, and what the energy loses by it is the work. If constraints move, less momentum leaves
  // them, and only with the projection this is the flow of the damping, whose halves make a symmetric step.
  // If constraints rest, the projection finds nothing to do.                                          (TF5)
  template <Hamiltonian P, class X>
  Expected<int> damp(Memory<P, X>& at, X& x) const {
    using T = typename P::Scalar;
    const T energy = H(at.free, x.q, x.p);
    typename P::Vec dp = at.change.cwiseProduct(x.p);
    kick(x, dp);
    const auto projected = at.inner.solver.project(at.free, solve, x, at.inner.G, at.nu);
    if (!projected) return projected;
    dp.setZero();
    dp[dp.size() - 1] = energy - H(at.free, x.q, x.p);
    kick(x, dp);
    return projected;
  }
};

}  // namespace taut
