// Newton's iteration on a matrix for the impulse μ along G(q₀)ᵀ that makes a step end on g = 0. This is the
// nonlinear system inside SHAKE, RATTLE and every projected map. Labels: docs/theory/position-solve.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/formulation/damped_impulse.hpp>
#include <taut/formulation/kept_units.hpp>
#include <taut/formulation/landing_move.hpp>
#include <taut/solve/drive_to_zero.hpp>

namespace taut {

// What a landing may start from.
struct LandFrom {
  bool guess = false;        // it starts from the impulse that the caller has put into mu; otherwise from 0
  bool units_known = false;  // the rounding units of the last landing still hold
  bool keep_units = false;   // the next landing will ask for the units of this one
  bool damped = false;       // it starts where a damped iteration from 0 leads
};

// A problem may know a cheaper correction than a solve with K: see rod_constraint_solver.hpp. Most do not.
struct NoShortcut {
  static constexpr bool may_serve = false;
};

template <Hamiltonian P, class K = ConstraintMatrix<P>>
class PositionSolve {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  explicit PositionSolve(const P& s)
      : residual_(zero_multiplier(s)),
        delta_(residual_),
        unit_(Vector<Real<T>, P::m>::Zero(s.constraints())),
        reach_(Vector<Real<T>, P::n>::Zero(s.coordinates())),
        G1_(s.make_jacobian()),
        moved_(zero_vector(s)),
        matrix_(s) {}

  PositionSolve()  // room to work in for one solve
    requires fixed_size<P> && std::default_initializable<K>
  {}

  // Finds mu with g(q₁) = 0 for q₁ = move(mu), the end of a step from q₀, and leaves the state of the move
  // there. A `Rule` is SolveOptions or one of its rules. Returns the number of corrections.
  template <class Rule, LandingMove<P> M, class Shortcut = NoShortcut>
  Expected<int> land(const P& s, const Rule& rule, const Vec& q0, const typename P::Jacobian& G0, M& move,
                     Multiplier& mu, const LandFrom& from, Shortcut shortcut = {}) {
    if constexpr (!fixed_size<P>) {
      if (!from.guess) set_zero(mu);
      return find(s, rule, q0, G0, move, mu, from, shortcut);
    } else {  // a local impulse stays in registers
      Multiplier local;
      if (from.guess)
        local = mu;
      else
        set_zero(local);
      const auto found = find(s, rule, q0, G0, move, local, from, shortcut);
      mu = local;
      return found;
    }
  }

  // Raises the units of a landing from q₀ that did not converge to the noise of g there; says whether any
  // rose. Then it is worth another try with these units. Lanes that did not fail keep theirs.         (W4)
  bool raise_units_to_noise(const P& s, const Vec& q0, const Failure& failure) {
    if (failure.kind != FailureKind::not_converged) return false;
    const Vector<Real<T>, P::m> raised = units_with_noise(s, q0, unit_, failure.residual);
    bool any_rose = false;
    each_index(raised, [&](int i) {
      if (!(lane(raised[i], failure.lane) < lane(unit_[i], failure.lane))) return;
      any_rose = true;
      if constexpr (ScalarTraits<T>::lanes > 1)
        unit_[i].set(failure.lane, lane(raised[i], failure.lane));
      else
        unit_[i] = raised[i];
    });
    return any_rose;
  }
  // Brings mu near an impulse that lands, by a damped iteration, after a landing has failed. The move must
  // know R at every μ. Returns the number of corrections, or 0 if it found none.                      (C6)
  template <class Rule, class M>
  int approach(const P& s, const Rule& rule, const typename P::Jacobian& G0, M& move, Multiplier& mu,
               const Failure& failure) {
    if (!is_newton(rule) || failure.kind == FailureKind::not_finite) return 0;
    DampedImpulse<P> found{mu};
    if constexpr (AffineMove<M, P>) {
      StraightMove<P> straight{s, G0, move.look(zero_multiplier(s))};
      move.respond(s, straight);
      found = damped_impulse_of(straight);
    } else if constexpr (NewtonMove<M, P, K>) {
      if (move.is_newton() && move.is_exact()) found = damped_impulse<K>(s, G0, move);
    }
    mu = found.mu;
    return found.corrections;
  }
  // Returns the lanes in which the units of the last landing may be too large for the state that it left.
  const Mask<T>& suspect() const { return suspect_; }
  K& matrix() { return matrix_; }
  void take_units(const PositionSolve& other) { unit_ = other.unit_; }

 private:
  // Short vectors are passed by value, because what has an address cannot live in registers.
  template <class V>
  using Passed = std::conditional_t<fixed_size<P>, V, const V&>;
  [[gnu::cold, gnu::noinline]] static Vector<Real<T>, P::m> units_with_noise(
      const P& s, Passed<Vec> q0, Passed<Vector<Real<T>, P::m>> unit, double residual) {
    Vector<Real<T>, P::m> noise = unit;
    noise_of_positions(s, q0, noise);
    raise_to_largest(s, q0, noise);
    if (!may_be_noise(residual, noise)) return unit;
    for (Eigen::Index i = 0; i < noise.size(); ++i) {
      const Mask<T> rises = noise[i] * unit[i] > Real<T>(1);
      noise[i] = select(rises, Real<T>(Real<T>(1) / noise[i]), unit[i]);
    }
    return noise;
  }

  template <class Rule, class M, class Shortcut>
  Expected<int> find(const P& s, const Rule& rule, const Vec& q0, const typename P::Jacobian& G0, M& move,
                     Multiplier& mu, const LandFrom& from, Shortcut& shortcut) {
    Progress progress;
    const Vec* q1 = &q0;
    suspect_ = Mask<T>(false);
    move.respond(s, matrix_);
    const auto solved =
        drive_to_zero(with_limit(rule, move), residual_, unit_, Landing<M>{s, move, mu, residual_, q1},
                      Units{s, q0, q1, G0, reach_, from.units_known},
                      Correction<Rule, M, Shortcut>{*this, s, rule, move, mu, q0, q1, G0, progress, shortcut},
                      forecast<Rule>(move, is_newton(rule) && !keeps_factor(shortcut)));
    if (!solved) return named(solved.error(), rule, move);
    if constexpr (!M::look_moves) move(mu);
    return *solved + progress.more;
  }

  template <class Rule>
  static bool is_newton(const Rule& rule) {
    return may_be_newton<Rule> && rule.iteration == Iteration::full_newton;
  }

  // A move whose R is that of the start of the step converges linearly, and may take more corrections.
  template <class Rule, class M>
  static decltype(auto) with_limit(const Rule& rule, [[maybe_unused]] M& move) {
    if constexpr (AffineMove<M, P>) {
      return (rule);
    } else {
      Rule longer = rule;
      if (is_newton(rule) && rule.max_iterations <= 0 && !knows_every_R(move))
        longer.max_iterations = most_linear_corrections;
      return longer;
    }
  }
  template <class M>
  static bool knows_every_R([[maybe_unused]] M& move) {
    if constexpr (NewtonMove<M, P, K>)
      return move.is_newton();
    else
      return false;
  }

  template <class Rule, class M>
  static Failure named(Failure failure, const Rule& rule, [[maybe_unused]] M& move) {
    if constexpr (!AffineMove<M, P>)
      if (is_newton(rule) && !knows_every_R(move)) failure.corrections = Corrections::simplified_newton;
    return failure;
  }

  // Foresees the end of Newton's iteration, if it is one.
  template <class Rule, class M>
  static auto forecast([[maybe_unused]] M& move, [[maybe_unused]] bool newton) {
    if constexpr (may_be_newton<Rule> && NewtonMove<M, P, K>)
      return EitherForecast<NewtonBySquares<T>, SeenRate<T>>{newton && move.is_newton(), move.is_exact()};
    else if constexpr (!may_be_newton<Rule> || !AffineMove<M, P>)
      return SeenRate<T>();
    else if constexpr (must_be_newton<Rule> && !K::keeps_factor && Quadratic<P>)
      return NewtonByCurvature<T>();
    else if constexpr (must_be_newton<Rule> && !K::keeps_factor)
      return NewtonBySquares<T>();
    else if constexpr (Quadratic<P>)
      return EitherForecast<NewtonByCurvature<T>, SeenRate<T>>{newton};
    else
      return EitherForecast<NewtonBySquares<T>, SeenRate<T>>{newton};
  }

  template <class M>
  struct Landing {
    const P& s;
    M& move;
    const Multiplier& mu;
    Multiplier& residual;
    const Vec*& q1;

    void operator()() {
      q1 = &move.look(mu);
      s.g(*q1, residual);  // (C1)
    }
    // Called after the last correction, if its residual is not wanted.
    void last() {
      if constexpr (M::look_moves) q1 = &move.look(mu);
    }
  };

  struct Units {
    const P& s;
    const Vec& q0;
    const Vec*& q1;
    const typename P::Jacobian& G0;
    Vector<Real<T>, P::n>& reach;
    bool known;

    void operator()(Vector<Real<T>, P::m>& unit) const {
      each_index(q0, [&](int j) { reach[j] = magnitude(q0[j]) + magnitude((*q1)[j]); });
      units_of_rows(G0, reach, true, unit);  // (C4): what rounding q₁ alone does to g
      lend_units_to_zero_rows(s, unit);
    }
  };

  // What an iteration knows of its past.
  struct Progress {
    bool factored = false;
    bool by_shortcut = true;
    double first = 0, before = 0;  // largest |g| at the first and at the last correction
    int more = 0;                  // corrections beyond one for each evaluation of g
  };

  struct None {};  // no lane keeps its factor
  // (C2); NewtonBySquares and NewtonByCurvature say what the members are for.
  template <class Rule, class M, class Shortcut>
  struct Correction {
    PositionSolve& at;
    const P& s;
    const Rule& rule;
    M& move;
    Multiplier& mu;
    const Vec& q0;
    const Vec*& q1;
    const typename P::Jacobian& G0;
    Progress& progress;
    Shortcut& shortcut;
    static constexpr int keeps = kept_corrections<K>();

    int operator()(const Mask<T>& active) { return in_lanes(active, None{}); }
    int operator()(const Mask<T>& active, const Mask<T>& kept) {
      if constexpr (keeps > 0 && !std::is_same_v<Mask<T>, bool>)
        return in_lanes(active, kept);
      else
        return in_lanes(active, None{});
    }
    Real<T> change_norm() const { return two_norm(at.delta_); }
    void again(const Mask<T>& active) {
      at.delta_ = at.residual_;
      at.matrix_.solve(at.delta_);
      add(active);
    }
    // (C5): the last correction has moved q₁ by d.
    void bend()
      requires Quadratic<P> && AffineMove<M, P>
    {
      auto&& d = room(s, at.moved_);
      if constexpr (P::m == 1) {  // bend(δ d) = δ² bend(d), and bend(d) need not wait for δ
        Multiplier one;
        one[0] = T(1);
        move.shift(one, d);
        s.bend(d, at.residual_);
        at.residual_[0] *= at.delta_[0] * at.delta_[0];
        return;
      }
      move.shift(at.delta_, d);
      s.bend(d, at.residual_);
    }
    template <class Kept>
    int in_lanes(const Mask<T>& active, const Kept& kept) {
      if constexpr (!is_to_tolerance<Rule> && is_judged<T>)
        if (const Mask<T> suspect = largest_in_units(at.residual_, at.unit_) > Real<T>(nearly_all_of_it<P>);
            any(suspect)) [[unlikely]]
          at.suspect_ = either(at.suspect_, both(suspect, is_far(*q1, q0)));
      const int pivot = correction(kept);
      if (pivot < 0) add(active);
      return pivot;
    }
    void add(const Mask<T>& active) {
      each_index(mu, [&](int i) { add_where(active, mu[i], at.delta_[i]); });
    }
    template <class Kept>
    int correction(const Kept& kept) {
      if constexpr (Shortcut::may_serve)
        if (is_newton(rule) && shortcut.serves() && progress.by_shortcut) {
          if (const int corrections = shortcut.correct(*q1, rule.tolerance, at.delta_); corrections > 0) {
            progress.more += corrections - 1;
            return -1;
          }
          progress.by_shortcut = false;  // from here on by the matrix, which names what fails
        }
      return at.newton_correction(s, rule, *q1, G0, move, progress, kept, at.keeps_factor(shortcut));
    }
  };

  // A factor of K is worth more than a new one if it still brings the residual down to `worth_keeping` of
  // what it was at the last correction, or has brought it down to `nearly_all` of what it was at the first.
  static constexpr double worth_keeping = 1.0 / 64, nearly_all = 1e-9;

  // If factoring is most of the work, full Newton keeps its factor while it serves.
  template <class Shortcut>
  bool keeps_factor(const Shortcut& shortcut) const {
    if constexpr (Shortcut::may_serve)
      return K::keeps_factor && !shortcut.serves();
    else
      return K::keeps_factor;
  }

  // Forms delta = K⁻¹ g by the chosen iteration. Returns -1, or the constraint whose pivot vanished.
  template <class Rule, class M, class Kept>
  int newton_correction(const P& s, const Rule& rule, const Vec& q1, const typename P::Jacobian& G0,
                        [[maybe_unused]] M& move, Progress& progress, const Kept& kept, bool keeps) {
    delta_ = residual_;
    if (rule.iteration == Iteration::symmetric) {
      if (!progress.factored) {
        matrix_.assemble(G0);
        if (const int pivot = matrix_.factor(); pivot >= 0) return pivot;
        progress.factored = true;
      }
      matrix_.solve(delta_);
      return -1;
    }
    if (rule.iteration == Iteration::full_newton && keeps && still_serves(progress)) {
      matrix_.solve(delta_);
      return -1;
    }
    refresh(s, q1, kept);
    if constexpr (NewtonMove<M, P, K>)
      if (is_newton(rule) && move.is_newton()) move.renew(s, matrix_);
    matrix_.assemble(G1_);  // (C3)
    if (!may_be_newton<Rule> || rule.iteration == Iteration::sweep) return matrix_.sweep(delta_);
    if (const int pivot = matrix_.factor(); pivot >= 0) return pivot;
    progress.factored = true;
    matrix_.solve(delta_);
    return -1;
  }

  void refresh(const P& s, const Vec& q1, const None&) { s.G(q1, G1_); }
  // Leaves G₁ as it is in the lanes of `kept`.
  void refresh(const P& s, const Vec& q1, const Mask<T>& kept) {
    const typename P::Jacobian before = G1_;
    s.G(q1, G1_);
    for (std::size_t i = 0; i < before.entries.size(); ++i)
      G1_.entries[i] = select(kept, before.entries[i], G1_.entries[i]);
  }

  bool still_serves(Progress& progress) const {
    if constexpr (std::is_floating_point_v<T>) {
      const double now = static_cast<double>(largest_entry(residual_));
      const bool serves =
          progress.factored && (now <= worth_keeping * progress.before || now <= nearly_all * progress.first);
      if (!progress.factored) progress.first = now;
      progress.before = now;
      return serves;
    } else {
      return false;
    }
  }

  Multiplier residual_, delta_;
  Vector<Real<T>, P::m> unit_;
  Vector<Real<T>, P::n> reach_;
  Mask<T> suspect_{false};  // lanes whose units may be too large for the state that is kept
  typename P::Jacobian G1_;
  Vec moved_;
  K matrix_;
};

}  // namespace taut
