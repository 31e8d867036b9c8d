// Newton's iteration on a matrix that brings p into the cotangent space: it finds ν with
// G(q) H_p(q, p - Gᵀν) = 0. For a natural system that is one linear solve.
// Labels: docs/theory/momentum-solve.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/formulation/kept_units.hpp>
#include <taut/problem/kick_and_drift.hpp>
#include <taut/solve/drive_to_zero.hpp>

#include <limits>

namespace taut {

template <Hamiltonian P>
class MomentumSolve {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  explicit MomentumSolve(const P& s)
      : matrix_(s),
        residual_(zero_multiplier(s)),
        delta_(residual_),
        unit_(Vector<Real<T>, P::m>::Zero(s.constraints())),
        speed_(Vector<Real<T>, P::n>::Zero(s.coordinates())),
        velocity_(zero_vector(s)),
        impulse_(velocity_) {}

  MomentumSolve()  // room to work in for one solve
    requires fixed_size<P> && std::default_initializable<ConstraintMatrix<P>>
  {}

  // Kicks x.p by -Gᵀδ until G H_p = 0, and adds δ to nu; the multiplier of a step h is 2ν/h. A `Rule` is
  // SolveOptions or one of its rules. Only its tolerance counts, because the iteration is always Newton's.
  // Returns the number of corrections.
  template <class Rule, class X>
  Expected<int> project(const P& s, const Rule& rule, X& x, const typename P::Jacobian& G, Multiplier& nu) {
    Rule newton;
    newton.tolerance = rule.tolerance;
    bool factored = false;
    rate_ = Real<T>(0);
    auto solved = drive_to_zero(
        newton, residual_, unit_,
        [&] {
          form_residual(s, x, G);
          if constexpr (Graded<P>)
            if (factored) matrix_.leave_out(residual_);
        },
        [&](auto& unit) { form_units(s, x, G, unit); },
        [&](const Mask<T>& active) {
          if constexpr (!is_to_tolerance<Rule> && is_judged<T>)
            if (!factored) see_what_goes(active, x.q);
          return correct(s, active, x, G, nu, factored);
        },
        forecast(s));
    if constexpr (!is_to_tolerance<Rule> && is_judged<T>)
      if (solved && *solved == 0) [[unlikely]]
        see_what_stays(largest_in_units(residual_, unit_), Mask<T>(true));
    if constexpr (!is_to_tolerance<Rule> && is_judged<T>)
      if (solved && any(stays())) [[unlikely]] {
        delta_ = part_missed(s, x.q, x.p, G, stays());
        add(Mask<T>(true), x, G, nu);
      }
    if (solved) return *solved;
    Failure failure = solved.error();
    failure.stage = SolveStage::momentum;
    return failure;
  }

  // Does the same in a step h of a natural system, to rounding, if that is one correction and nothing is in
  // doubt. Otherwise it returns false, and x and nu are lost.
  template <class X>
  bool project_if_clear(const P& s, X& x, const T& h, const typename P::Jacobian& G, Multiplier& nu)
    requires Natural<P>
  {
    const auto form = [&] { form_residual(s, x, G); };
    const auto units = [&](auto& unit) { form_units(s, x, G, unit); };
    VectorResidual residual{residual_, unit_, form, units};
    residual.evaluate();
    residual.set_units();
    const Real<T> first = residual.in_units();
    // A little less than far_out, because the rate is rounded elsewhere: what is in doubt there is so here.
    constexpr double not_far_out = 0.99 * far_out;
    const Mask<T> is_slow =
        largest_entry(velocity_) * magnitude(h) <= Real<T>(not_far_out) * largest_entry(x.q);
    const Mask<T> part_goes = first <= Real<T>(nearly_all_of_it<P>);
    if (!all(both(Mask<T>(first > Real<T>(1)), either(is_slow, part_goes)))) [[unlikely]]
      return false;
    bool factored = false;
    if (correct(s, Mask<T>(true), x, G, nu, factored) >= 0) [[unlikely]]
      return false;
    residual.evaluate();
    return all(Mask<T>(residual.in_units() <= Real<T>(crawl_slack) && residual.sound()));
  }

  // Returns what part of the system's size the velocity, before the last projection, crosses in a unit of
  // time; 0 in lanes whose units are certainly those of the momenta that it left.
  const Real<T>& rate() const { return rate_; }
  ConstraintMatrix<P>& matrix() { return matrix_; }

 private:
  template <class X>
  void form_residual(const P& s, const X& x, const typename P::Jacobian& G) {
    if constexpr (requires { G.times_velocity(s.W(), x.p, residual_); }) {
      G.times_velocity(s.W(), x.p, residual_);  // (M1) if W is diagonal
    } else {
      H_p(s, x.q, x.p, velocity_);
      G.times(velocity_, residual_);  // (M1)
    }
  }
  template <class X, class Unit>
  void form_units(const P& s, const X& x, const typename P::Jacobian& G, Unit& unit) {
    if constexpr (requires { G.times_velocity(s.W(), x.p, residual_); }) H_p(s, x.q, x.p, velocity_);
    each_index(velocity_, [&](int j) { speed_[j] = magnitude(velocity_[j]); });
    units_of_rows(G, speed_, velocities_are_apart(s), unit);  // (M4)
    lend_units_to_zero_rows(s, unit);
  }
  // Returns -1, or the constraint whose pivot vanished.
  template <class X>
  int correct(const P& s, const Mask<T>& active, X& x, const typename P::Jacobian& G, Multiplier& nu,
              bool& factored) {
    if (!factored || !is_natural(s)) {
      matrix_.right(s, x.q, x.p, G, T(1));
      matrix_.assemble(G);  // (M3)
      if (const int pivot = matrix_.factor(); pivot >= 0) return pivot;
      factored = true;
    }
    delta_ = residual_;
    matrix_.solve(delta_);
    add(active, x, G, nu);
    return -1;
  }

  // A natural system is linear in ν. Otherwise the iteration stops at the rounding level.
  static auto forecast([[maybe_unused]] const P& s) {
    if constexpr (Graded<P>)
      return EitherForecast<LinearSystem<T>, SeenRateToAUnit<T>>{is_natural(s)};
    else if constexpr (Natural<P>)
      return LinearSystem<T>();
    else
      return SeenRateToAUnit<T>();
  }

  // Notes how fast the system is if nearly all of a velocity is to go, and what stays although it is not
  // zero: units of which the largest velocity has a part may be too large for the others.
  void see_what_goes(const Mask<T>& active, const Vec& q) {
    const Real<T> first = largest_in_units(residual_, unit_);
    const Mask<T> suspect = first > Real<T>(nearly_all_of_it<P>);
    if (any(suspect)) [[unlikely]]
      rate_ = select(suspect, Real<T>(largest_entry(velocity_) / one_if_zero<T>(largest_entry(q))), rate_);
    if (!all(active)) [[unlikely]]
      see_what_stays(first, Mask<T>(!active));
  }
  void see_what_stays(const Real<T>& first, const Mask<T>& lanes) {
    const Mask<T> stays = lanes && first > Real<T>(0);
    rate_ = select(stays, Real<T>(std::numeric_limits<double>::infinity()), rate_);
  }
  Mask<T> stays() const { return rate_ > Real<T>(std::numeric_limits<double>::max()); }

  // Returns the impulse that takes off what was left because it is within a unit, in those of the lanes in
  // which it is more than the state explains; 0 in the others. Units go by the largest velocity, and near a
  // point at which G has one large entry the others may be far smaller.                                (W1)
  template <class V>
  using Passed = std::conditional_t<fixed_size<P>, V, const V&>;  // what has an address leaves registers
  [[gnu::cold, gnu::noinline]] static Multiplier part_missed(const P& s, Passed<Vec> q, Passed<Vec> p,
                                                             const typename P::Jacobian& G,
                                                             const Mask<T>& lanes) {
    const Multiplier none = zero_multiplier(s);
    Multiplier part = none;
    Mask<T> missed(false);
    for (int l = 0; l < ScalarTraits<T>::lanes; ++l)
      if (const Mask<T> one = lanes && only_lane(l);
          missed_momentum(s, q, p, T(1), none, one, noise_of_noise))
        missed = either(missed, one);
    if (!any(missed)) return none;
    ConstraintMatrix<P> matrix(s);
    Vec v = zero_vector(s);
    H_p(s, q, p, v);
    G.times(v, part);
    matrix.right(s, q, p, G, T(1));
    matrix.assemble(G);  // (M3)
    if (matrix.factor() >= 0) return none;
    matrix.solve(part);
    each_index(part, [&](int i) { part[i] = select(missed, part[i], T(0)); });
    return part;
  }
  static Mask<T> only_lane([[maybe_unused]] int l) {
    if constexpr (ScalarTraits<T>::lanes == 1) {
      return Mask<T>(true);
    } else {
      T mark(0);
      mark.set(l, 1);
      return mark > T(0);
    }
  }

  template <class X>
  void add(const Mask<T>& active, X& x, const typename P::Jacobian& G, Multiplier& nu) {
    if constexpr (!std::is_floating_point_v<T>)
      each_index(delta_, [&](int i) { delta_[i] = select(active, delta_[i], T(0)); });
    nu += delta_;
    if constexpr (ScalarTraits<T>::lanes > 1 && requires { x.p_low; }) {
      if constexpr (!fixed_size<P>)  // a copy of x is on the heap
        if (all(active)) return kick_along(x, G, delta_, impulse_);
      const X before = x;
      kick_along(x, G, delta_, impulse_);  // (M2)
      restore_others(active, before, x);   // a kick by zero may move digits from p_low to p
    } else {
      kick_along(x, G, delta_, impulse_);
    }
  }

  ConstraintMatrix<P> matrix_;
  Multiplier residual_, delta_;
  Vector<Real<T>, P::m> unit_;
  Vector<Real<T>, P::n> speed_;
  Vec velocity_, impulse_;
  Real<T> rate_{0};
};

}  // namespace taut
