// A step in RATTLE's form for constraints on velocities, A(q) q' = 0, beside those on positions. It is
// symmetric and keeps both to rounding; no method is symplectic here, because the flow is not. Labels:
// docs/theory/nonholonomic.md.
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/problem/kick_and_drift.hpp>
#include <taut/solve/residual_size.hpp>

#include <concepts>

namespace taut {

// A problem some of whose constraints are on velocities: the first holonomic() rows of g and G are g(q) and
// its gradient, and the others are 0 and A(q).
template <class P>
concept WithVelocityConstraints = requires(const P& s) {
  { s.holonomic() } -> std::convertible_to<int>;
};

struct Nonholonomic {
  SolveOptions solve{};  // for the first half of the step and for the momenta at its end

  static constexpr int limit = 200;  // corrections of the first half; each gains a factor of about h

  static constexpr MethodFacts facts{
      .name = "nonholonomic",
      .what = "constraints on velocities, A(q) q' = 0, in RATTLE's form: reversible, not symplectic",
      .source = "after Ferraro, Iglesias and Martin de Diego 2009",
      .theory = "nonholonomic",
      .order = 2,
      .symmetric = true,
      .tier = Tier::hamiltonian,
      .work = 6,
      .solve_limit = limit};
  static Spelling spelling() { return spelled("nonholonomic.hpp", "Nonholonomic"); }

  template <class P>
  static constexpr bool fits = Hamiltonian<P> && WithVelocityConstraints<P> && is_float<typename P::Scalar>;

  template <Hamiltonian P, class X>
  struct Memory {
    Memory(const P& s, const X& x)
        : G0(s.make_jacobian()),
          G1(s.make_jacobian()),
          K(s),
          solver(s),
          Y(zero_vector(s)),
          Z(Y),
          dY(Y),
          dZ(Y),
          Q(Y),
          P_(Y),
          v(Y),
          force(Y),
          impulse(zero_multiplier(s)),
          residual(impulse),
          part(impulse),
          before(x) {
      refresh(s, x.q);
    }
    void refresh(const P& s, const typename P::Vec& q) { s.G(q, G0); }
    typename P::Jacobian G0, G1;  // at the present q, and at the end of the step
    ConstraintMatrix<P> K;
    SolverOf<P> solver;
    typename P::Vec Y, Z;  // p½ - p₀ and q₁ - q₀
    typename P::Vec dY, dZ, Q, P_, v, force;
    typename P::Multiplier impulse, residual, part;
    X before;
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    const auto solved = half_way(s, x, at, h);
    if (!solved) return solved;
    at.before = x;
    drift(x, at.Z);
    kick(x, at.Y);
    H_q(s, x.q, x.p, at.force);
    kick(x, T(-h / 2) * at.force);  // (NH4), except for Gᵀλ₁
    s.G(x.q, at.G0);
    if (const auto projected = at.solver.project(s, solve, x, at.G0, at.impulse); !projected) {  // (NH5)
      x = at.before;
      at.refresh(s, x.q);
      return projected;
    }
    return solved;
  }

 private:
  // Finds p½ and q₁, as differences from (q₀, p₀): a sweep evaluates (NH1) and (NH2) with what the last one
  // left, and a correction of the impulse h/2 λ₀ follows from the residual of (NH3). What is left falls by a
  // factor of about h each time, until rounding stops it.
  template <Hamiltonian P, class X>
  Expected<int> half_way(const P& s, const X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    const T half = h / 2, unit(epsilon<T>());
    at.Y.setZero();
    at.Z.setZero();
    at.impulse.setZero();
    at.K.right(s, x.q, x.p, at.G0, h);
    T last(0);
    for (int k = 1;; ++k) {
      at.P_ = x.p + at.Y;
      H_q(s, x.q, at.P_, at.force);
      at.dY = -half * at.force;
      at.G0.subtract_transpose(at.impulse, at.dY);  // (NH1)
      at.P_ = x.p + at.dY;
      at.Q = x.q + at.Z;
      H_p(s, x.q, at.P_, at.dZ);
      H_p(s, at.Q, at.P_, at.v);
      at.dZ = half * (at.dZ + at.v);  // (NH2)
      at.Q = x.q + at.dZ;
      s.G(at.Q, at.G1);
      evaluate_constraints(s, at);  // (NH3)
      if (!all_finite(at.residual) || !all_finite(at.dY))
        return Failure{.kind = k == 1 ? FailureKind::not_finite : FailureKind::not_converged,
                       .residual = static_cast<double>(largest_entry(at.residual)),
                       .iterations = k};
      const T left = largest_entry(at.residual);
      const bool met = is_rounding(s, x.q, at);
      at.K.assemble(at.G1);
      if (const int pivot = at.K.factor(); pivot >= 0)
        return Failure{.kind = FailureKind::singular, .residual = static_cast<double>(left), .iterations = k}
            .at(pivot);
      at.K.solve(at.residual);
      at.impulse += at.residual;
      at.force.setZero();
      at.G0.subtract_transpose(at.residual, at.force);
      H_pp_times(s, x.q, at.P_, at.force, at.v);
      at.dY += at.force;
      at.dZ += h * at.v;
      const T moved_places = change(x.q, at.Z, at.dZ);
      const T moved = larger(moved_places, change(x.p, at.Y, at.dY));
      at.Y = at.dY;
      at.Z = at.dZ;
      if (moved <= 2 * unit) return k;
      if (solve.tolerance > 0 && left <= T(solve.tolerance) && moved <= T(solve.tolerance)) return k;
      // At the rounding level corrections no longer fall. The rounding of the impulse may be far above that
      // of a small momentum, as that of the time; (NH3) tells then.
      if (k > 1 && (met ? moved_places : moved) <= 1024 * unit && 2 * moved >= last) return k;
      if (k >= limit)
        return Failure{
            .kind = FailureKind::not_converged, .residual = static_cast<double>(left), .iterations = k};
      last = moved;
    }
  }

  // Returns the largest change of an increment, beside what it is added to and the largest of all. The time
  // may be far larger than the other coordinates.
  template <class Vec>
  static typename Vec::Scalar change(const Vec& from, const Vec& before, const Vec& now) {
    using T = typename Vec::Scalar;
    const T most = largest_entry(now);
    T largest(0);
    for (Eigen::Index i = 0; i < now.size(); ++i)
      if (const T moved = magnitude(T(now[i] - before[i])); moved > T(0))
        largest = larger(largest, T(moved / (magnitude(from[i]) + most)));
    return largest;
  }

  // Asks whether the residual of (NH3) is what rounding may leave of its terms.
  template <Hamiltonian P, class X>
  static bool is_rounding(const P& s, const typename P::Vec& q, Memory<P, X>& at) {
    using T = typename P::Scalar;
    const int first = s.holonomic();
    at.part.setZero();
    const auto add = [&](bool whole) {
      return [&, whole](int i, int j, const T& entry) {
        if (i >= first)
          at.part[i] += magnitude(T(entry * at.dZ[j])) / T(2);
        else if (whole)
          at.part[i] += magnitude(entry) * (magnitude(q[j]) + magnitude(at.dZ[j]));
      };
    };
    at.G0.for_each(add(false));
    at.G1.for_each(add(true));
    for (Eigen::Index i = 0; i < at.part.size(); ++i)
      if (magnitude(at.residual[i]) > T(64 * epsilon<T>()) * at.part[i]) return false;
    return true;
  }

  // g(q₁) of constraints on positions, and (A(q₀) + A(q₁)) (q₁ - q₀)/2 of those on velocities.
  template <Hamiltonian P, class X>
  static void evaluate_constraints(const P& s, Memory<P, X>& at) {
    using T = typename P::Scalar;
    s.g(at.Q, at.residual);
    at.G0.times(at.dZ, at.part);
    const Eigen::Index first = s.holonomic(), count = at.part.size() - first;
    at.residual.tail(count) = at.part.tail(count);
    at.G1.times(at.dZ, at.part);
    at.residual.tail(count) = (at.residual.tail(count) + at.part.tail(count)) / T(2);
  }
};

}  // namespace taut
