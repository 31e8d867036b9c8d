// The stage equations of Runge-Kutta methods on the constrained equations, Jay (3.11), for any H(q, p), by
// the simplified Newton iteration with the block structure (3.15): one factorisation of G H_pp Gᵀ per step,
// and one m-dimensional solve per stage and iteration. Labels: docs/theory/stage-solve.md.
//
// The unknowns are the increments Zᵢ = Qᵢ - q₀, Yᵢ = Pᵢ - p₀, small numbers whose rounding is small, and the
// impulses Lⱼ = h Λⱼ. For Lobatto the first Q is q₀ and the last Λ does not enter (fixed = 1); for Gauss and
// Radau all are unknown (fixed = 0).
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/formulation/measured_noise.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/stage_coefficients.hpp>
#include <taut/method/stage_newton.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/scalar/unroll.hpp>
#include <taut/solve/forecast.hpp>
#include <taut/solve/iterate.hpp>
#include <taut/solve/options.hpp>
#include <taut/solve/pivoted_lu.hpp>
#include <taut/solve/residual_size.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

namespace taut {

// One V per stage: an array if their number is known at compile time.
template <class V, int s>
using PerStage = std::conditional_t<s == dynamic, std::vector<V>,
                                    std::array<V, static_cast<std::size_t>(s == dynamic ? 1 : s)>>;

template <class V, int s>
PerStage<V, s> per_stage(int stages, const V& value) {
  if constexpr (s == dynamic) {
    return std::vector<V>(static_cast<std::size_t>(stages), value);
  } else {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return std::array<V, s>{((void)i, value)...};
    }(std::make_index_sequence<s>{});
  }
}

// Within this many units of rounding g is taken as linear about an anchor, see StageSolve::residuals. The
// square of the distance, which is neglected, is then far below a unit: 2^18 units, and 2^-16 of one, in
// double.
template <class T>
double anchor_within() {
  return 0x1p-8 / std::sqrt(epsilon<T>());
}

// What a solved stage may leave in g, in units of rounding: an eighth of what a step may (kept_units.hpp).
inline constexpr double most_units_left = 128;

inline namespace TAUT_STEPS {  // flatten.hpp

struct NoStageMatrix {};
template <class P>
constexpr auto pick_stage_matrix() {
  if constexpr (has_stage_newton<P>)
    return std::type_identity<StageMatrix<P>>{};
  else
    return std::type_identity<NoStageMatrix>{};
}
template <class P>
using NewtonMatrixOf = typename decltype(pick_stage_matrix<P>())::type;

// The first `fixed` stages have Q = q₀, and as many at the end have no Λ: 1 for Lobatto, 0 for Gauss and
// Radau.
template <Hamiltonian P, int fixed, int s_ = dynamic>
class StageSolve {
 public:
  using T = typename P::Scalar;
  using B = Base<T>;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  StageSolve(const P& s, const Tableau<Float128>& tableau)
      : stages_(tableau.stages()),
        A(tableau.A),
        A_hat(tableau.A_hat),
        b(tableau.b.transpose()),
        c(tableau.c.unaryExpr([](const Float128& x) { return coefficient<B>(x); })),
        inverse_(inverse_product(tableau)),
        ends_at_last_stage_(tableau.A.row(stages_ - 1) == tableau.b.transpose()),
        G(per_stage<typename P::Jacobian, s_>(stages_, s.make_jacobian())),
        Q(per_stage<Vec, s_>(stages_, zero_vector(s))),
        P_(Q),
        velocity(Q),
        force(Q),
        Z(Q),
        Y(Q),
        L(per_stage<Multiplier, s_>(stages_, zero_multiplier(s))),
        rz_(Q),
        ry_(Q),
        rate_(Q),
        push_(Q),
        anchor_(Q),
        rg_(L),
        right_(L),
        g_at_anchor_(L),
        G_middle_(s.make_jacobian()),
        matrix_(s),
        q_per_unit_(Vector<Real<T>, P::n>::Zero(s.coordinates())),
        p_per_unit_(q_per_unit_),
        g_per_unit_(Vector<Real<T>, P::m>::Zero(s.constraints())),
        noise_(g_per_unit_),
        work_(zero_vector(s)),
        h_grad_V_(work_),
        q_low_(work_),
        p_low_(work_),
        work_m_(zero_multiplier(s)) {}

  int stages() const { return s_ == dynamic ? stages_ : s_; }

 private:
  int stages_;

 public:
  SplitCoefficients<B, s_> A, A_hat;
  Weights<B, s_> b;
  Vector<B, dynamic> c;

 private:
  Matrix<B, s_ == dynamic ? dynamic : s_ - fixed, s_ == dynamic ? dynamic : s_ - fixed> inverse_;  // (A₀Â₀)⁻¹
  bool ends_at_last_stage_;

 public:
  PerStage<typename P::Jacobian, s_> G;  // at the stages
  PerStage<Vec, s_> Q, P_;               // the stages
  PerStage<Vec, s_> velocity, force;     // H_p and h (H_q + GᵀΛ) there (without GᵀΛ at stages that have no Λ)
  PerStage<Vec, s_> Z, Y;
  PerStage<Multiplier, s_> L;

  bool may_use_newton = true;  // false: a step whose simplified iteration fails has failed

  // Makes the following steps start at (q0 + q_low, p0 + p_low), if the state has such parts. A step from
  // (q0, p0) alone, added to them, moves the energy by h p_low: with some h more often one way.
  template <class X>
  void take_low_parts(const X& x) {
    if constexpr (requires { x.q_low; }) {
      q_low_ = x.q_low;
      p_low_ = x.p_low;
    }
  }

  // Solves the stages from (q0, p0), with G0 = G(q0) and step h. Only tolerance and max_iterations of the
  // options count: the tolerance applies to every residual, in the units of q, p and g.
  TAUT_FLATTEN Expected<int> solve(const P& s, const Vec& q0, const Vec& p0, const typename P::Jacobian& G0,
                                   const T& h, const SolveOptions& options = {}) {
    for (has_noise_ = false;; has_noise_ = true) {
      const auto solved = attempt(s, q0, p0, G0, h, options);
      if (solved) return solved;
      Failure failure = solved.error();
      failure.stage = SolveStage::inner;
      const bool in_vain = failure.kind != FailureKind::not_converged || options.tolerance > 0;
      if (has_noise_ || in_vain || !noise_exceeds_units(s, q0, failure.residual))
        return by_newton(s, q0, p0, G0, h, options, failure);
    }
  }

 private:
  // Solves the stages with the whole matrix, after the simplified iteration has failed.         (J10), (J11)
  [[gnu::cold, gnu::noinline]] Expected<int> by_newton(
      [[maybe_unused]] const P& s, [[maybe_unused]] const Vec& q0, [[maybe_unused]] const Vec& p0,
      [[maybe_unused]] const typename P::Jacobian& G0, [[maybe_unused]] const T& h,
      [[maybe_unused]] const SolveOptions& options, const Failure& failure) {
    if constexpr (has_stage_newton<P>) {
      if (failure.kind == FailureKind::not_finite || !has_newton(s) || !may_use_newton) return failure;
      if (!newton_) newton_ = std::make_unique<NewtonMatrixOf<P>>(s, layout(s));
      noise_of_positions(s, q0, noise_);
      has_noise_ = true;
      Equations equations{*this, s, q0, p0, G0, h, options.tolerance};
      Failure last = failure;
      for (const DampedBy damped_by :
           {DampedBy::next_correction, DampedBy::residual, DampedBy::plain_residual})
        for (const double part : {1.0, 0.0, 0.5}) {
          if (damped_by == DampedBy::plain_residual && layout(s).size() > most_rows_tried_again) break;
          guess(s, q0, p0, G0, h);
          if (part < 1) shorten_guess(part);
          const auto solved = damped_newton<T>(equations, damped_by, damping_limit(damped_by), stage_noise);
          if (solved) return last.iterations + *solved;
          if (damped_by == DampedBy::plain_residual) continue;  // the failure is that of the ways before
          const int before = last.iterations;
          last = solved.error();
          last.iterations += before;
        }
      last.stage = SolveStage::inner;
      last.corrections = Corrections::damped_newton;
      return failure.kind == FailureKind::singular ? failure : last;
    }
    return failure;
  }

  Expected<int> attempt(const P& s, const Vec& q0, const Vec& p0, const typename P::Jacobian& G0, const T& h,
                        const SolveOptions& options) {
    guess(s, q0, p0, G0, h);
    if (const int pivot = factor(s, q0, p0, h); pivot >= 0)
      return Failure{.kind = FailureKind::singular, .constraint = pivot};
    Residual residual{*this, s, q0, p0, G0, h};
    auto correction = [&](const Mask<T>& active) {
      correct(s, q0, p0, h, active);
      return -1;
    };
    const int limit = options.max_iterations > 0 ? options.max_iterations : most_corrections(s);
    const auto solved = with_stop_rule(options, [&](const auto& rule) {
      if constexpr (is_to_tolerance<decltype(rule)>)
        return iterate<T>(limit, residual, correction, StatedTolerance<T>(rule.tolerance));
      else
        return iterate<T>(limit, residual, correction, SeenRate<T>(stage_noise, stage_left_over));
    });
    if (solved && (options.tolerance > 0 || residual.is_sharp())) return solved;
    Failure failure =
        solved ? residual.describe(FailureKind::not_converged, *solved, Mask<T>(true)) : solved.error();
    failure.constraint = -1;
    return failure;
  }
  // If all stages are unknown, H_qq matters early, and an iteration that is slow is left to Newton's.
  int most_corrections(const P& s) const { return fixed == 0 && has_newton(s) ? 40 : 200; }
  StageLayout layout(const P& s) const { return {s.coordinates(), s.constraints(), stages(), fixed}; }
  bool has_newton(const P& s) const { return has_stage_newton<P> && layout(s).size() <= most_stage_rows; }

  // Measures the noise of g near q0, and says whether the units of an attempt that failed are below it. If
  // so, it is worth another one with larger units.                                                    (W4)
  [[gnu::cold, gnu::noinline]] bool noise_exceeds_units([[maybe_unused]] const P& s,
                                                        [[maybe_unused]] const Vec& q0,
                                                        [[maybe_unused]] double residual) {
    if constexpr (is_judged<T>) {
      noise_ = g_per_unit_;
      noise_of_positions(s, q0, noise_);
      if (!may_be_noise(residual, noise_)) return false;
      for (Eigen::Index i = 0; i < noise_.size(); ++i)
        if (any(Mask<T>(noise_[i] * g_per_unit_[i] > Real<T>(1)))) return true;
    }
    return false;
  }

  int free_stages() const { return stages() - fixed; }  // stages with unknown Q; as many have a Λ
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Matrix<B, dynamic, dynamic> inverse_product(const Tableau<Float128>& t) const {
    PivotedLU<Float128, dynamic> lu(free_stages());
    for (int i = 0; i < free_stages(); ++i)
      for (int k = 0; k < free_stages(); ++k)
        for (int j = 0; j < stages(); ++j) lu.a(i, k) += t.A(i + fixed, j) * t.A_hat(j, k);
    lu.factor();
    Matrix<B, dynamic, dynamic> inverse(free_stages(), free_stages());
    for (int k = 0; k < free_stages(); ++k) {
      Vector<Float128, dynamic> column = Vector<Float128, dynamic>::Zero(free_stages());
      column[k] = 1;
      lu.solve(column);
      for (int i = 0; i < free_stages(); ++i) inverse(i, k) = coefficient<B>(column[i]);
    }
    return inverse;
  }

  // Calls f(i) for from <= i < to, unrolled if the number of stages is known at compile time.
  template <class F>
  [[gnu::always_inline]] static void each(int from, int to, F&& f) {
    if constexpr (s_ != dynamic && s_ <= 4)
      unroll<s_>([&]<int i>() {
        if (i >= from && i < to) f(i);
      });
    else
      for (int i = from; i < to; ++i) f(i);
  }

  // Makes a guess from (q0, p0) alone, so that the step is a function of the state.
  void guess(const P& s, const Vec& q0, const Vec& p0, const typename P::Jacobian& G0, const T& h) {
    H_p(s, q0, p0, velocity[0]);
    H_q(s, q0, p0, force[0]);
    h_grad_V_ = h * force[0];
    if constexpr (fixed == 1) G[0] = G0;
    for (int i = 0; i < stages(); ++i) {
      Z[at(i)] = (T(c[i]) * h) * velocity[0];
      Y[at(i)] = -(T(c[i]) * h) * force[0];
      L[at(i)].setZero();
    }
    if constexpr (fixed == 1) Z[0].setZero();
  }

  // Makes a guess in which positions move by a part of the way, and momenta not at all.
  void shorten_guess(double part) {
    for (int i = 0; i < stages(); ++i) {
      Z[at(i)] *= T(part);
      Y[at(i)].setZero();
    }
  }

  // Factors K in the middle of the step, where its mean distance from the G(Qᵢ) H_pp G(Qⱼ)ᵀ is least.
  int factor(const P& s, const Vec& q0, const Vec& p0, const T& h) {
    auto&& middle = room(s, work_);
    middle = q0 + (h / 2) * velocity[0];
    s.G(middle, G_middle_);
    matrix_.right(s, middle, p0, G_middle_, T(1));
    matrix_.assemble(G_middle_);
    return matrix_.factor();
  }

  // The residuals of (3.11) and their rounding units.
  struct Residual {
    StageSolve& stage;
    const P& s;
    const Vec &q0, &p0;
    const typename P::Jacobian& G0;
    const T& h;

    Mask<T> close{false}, anchored{false};  // see residuals()
    Real<T> size{0};                        // in units, when last asked for

    void evaluate() {
      stage.slopes(s, q0, p0, h);
      stage.residuals(s, q0, h, close, anchored);
      anchored = close;
    }
    void set_units() { stage.rounding_units(q0, p0, G0); }
    void finish() { stage.slopes(s, q0, p0, h); }
    Real<T> in_units() {
      Real<T> largest(0);
      each_residual([&](const auto& r, const auto& unit) {
        for (Eigen::Index i = 0; i < r.size(); ++i) largest = larger(largest, magnitude(r[i]) * unit[i]);
      });
      close = close || largest <= Real<T>(anchor_within<T>());
      size = largest;
      return largest;
    }
    Real<T> largest() const {
      Real<T> largest(0);
      each_residual([&](const auto& r, const auto&) { largest = larger(largest, largest_entry(r)); });
      return largest;
    }
    Mask<T> within(double tolerance) const {
      Mask<T> inside(true);
      each_residual([&](const auto& r, const auto&) { inside = inside && all_within(r, tolerance); });
      return inside && stage.end_within(s, q0, tolerance);
    }
    // Asks whether an iteration that ended at the rounding level solved g = 0 there. If all residuals came
    // near their units, and that of g stayed there, it did; otherwise it is worth a look.
    bool is_sharp() {
      if constexpr (ScalarTraits<T>::lanes == 1)
        return (size <= Real<T>(crawl_slack) && stage.g_in_units() <= Real<T>(crawl_slack)) ||
               shows_to_be_sharp();
      else
        return true;
    }
    // If the last corrections left the neighbourhood of an anchor, g is evaluated again: near a singular
    // position a small residual allows a long way.
    [[gnu::cold, gnu::noinline]] bool shows_to_be_sharp() {
      for (int i = fixed; i < stage.stages() && close; ++i) {
        const Vec way = stage.Q[at(i)] - stage.anchor_[at(i)];
        if (largest_in_units(way, stage.q_per_unit_) > 2 * anchor_within<T>())
          s.g(stage.Q[at(i)], stage.rg_[at(i)]);
      }
      return stage.is_on_constraints();
    }
    Mask<T> sound() const {
      Mask<T> good(true);
      each_residual([&](const auto& r, const auto&) { good = good && all_finite(r); });
      return good;
    }
    Failure describe(FailureKind kind, int k, const Mask<T>& bad) const {
      Failure worst{.residual = -1};
      each_residual([&](const auto& r, const auto&) {
        const Failure f = taut::describe(kind, r, k, bad);
        if (f.residual > worst.residual || f.residual != f.residual) worst = f;  // a NaN stays
      });
      return worst;
    }

   private:
    template <class F>
    void each_residual(F&& f) const {
      each(0, stage.stages(), [&](int i) __attribute__((always_inline)) {
        f(stage.ry_[at(i)], stage.p_per_unit_);
        if (i < fixed) return;
        f(stage.rz_[at(i)], stage.q_per_unit_);
        f(stage.rg_[at(i)], stage.g_per_unit_);
      });
    }
  };

  // The stage equations as damped_newton() asks for them.
  struct Equations {
    StageSolve& stage;
    const P& s;
    const Vec &q0, &p0;
    const typename P::Jacobian& G0;
    const T& h;
    double tolerance;
    Vector<T, dynamic> kept{};

    const StageLayout& at() const { return stage.newton_->layout(); }
    void evaluate() {
      stage.slopes(s, q0, p0, h);
      stage.residuals(s, q0, h, Mask<T>(false), Mask<T>(false));
    }
    void set_units() { stage.rounding_units(q0, p0, G0); }
    Real<Base<T>> residual_in_units() const { return base(residuals().in_units()); }
    Real<Base<T>> plain_residual() const { return base(residuals().largest()); }
    int form_matrix() {
      stage.newton_->form(stage, h);
      return stage.newton_->factor();
    }
    void solve(Vector<T, dynamic>& r) const { stage.newton_->solve(r); }
    void residual(Vector<T, dynamic>& r) const { gather(stage.rz_, stage.ry_, stage.rg_, fixed, r); }
    void keep() { gather(stage.Z, stage.Y, stage.L, 0, kept); }
    void move(const Vector<T, dynamic>& d, const Base<T>& t) {
      const auto take = [&](int from, auto& part) {
        for (Eigen::Index k = 0; k < part.size(); ++k) part[k] = kept[from + k] + T(t) * d[from + k];
      };
      for (int i = 0; i < stage.stages(); ++i) {
        if (i >= fixed) take(at().Z(i), stage.Z[stage.at(i)]);
        take(at().Y(i), stage.Y[stage.at(i)]);
        if (i < stage.free_stages()) take(at().L(i), stage.L[stage.at(i)]);
      }
    }
    // Impulses follow from positions and momenta, and have no unit of their own.
    Real<Base<T>> in_units(const Vector<T, dynamic>& d) const {
      Real<Base<T>> largest(0);
      const int n = at().n;
      for (int k = 0; k < at().L(0); ++k) {
        const Base<T> per_unit = base(k < at().Y(0) ? stage.q_per_unit_[k % n] : stage.p_per_unit_[k % n]);
        largest = larger(largest, Real<Base<T>>(magnitude(base(d[k])) * per_unit));
      }
      return largest;
    }
    bool is_sharp() const { return stage.is_on_constraints(); }
    bool solved() const { return tolerance > 0 && residuals().within(tolerance); }
    bool sound() const { return residuals().sound(); }
    Failure failure(FailureKind kind, int corrections) const {
      Failure found = residuals().describe(kind, corrections, Mask<T>(true));
      found.constraint = -1;
      return found;
    }

   private:
    Residual residuals() const { return {stage, s, q0, p0, G0, h}; }
    // Writes what belongs to Z, Y and L into one vector; the multipliers stand from `first` on.
    template <class Vectors, class Multipliers>
    void gather(const Vectors& z, const Vectors& y, const Multipliers& l, int first,
                Vector<T, dynamic>& out) const {
      out.resize(at().size());
      const auto put = [&](int to, const auto& part) {
        for (Eigen::Index k = 0; k < part.size(); ++k) out[to + k] = part[k];
      };
      for (int i = 0; i < stage.stages(); ++i) {
        if (i >= fixed) put(at().Z(i), z[stage.at(i)]);
        put(at().Y(i), y[stage.at(i)]);
        if (i < stage.free_stages()) put(at().L(i), l[stage.at(i + first)]);
      }
    }
  };

  // Evaluates the slopes at the stages. At Q = q₀ all that depends on q alone is known.
  void slopes(const P& s, const Vec& q0, const Vec& p0, const T& h) {
    each(0, stages(), [&](int j) __attribute__((always_inline)) {
      auto&& work = room(s, work_);
      Q[at(j)] = q0 + (Z[at(j)] + q_low_);
      P_[at(j)] = p0 + (Y[at(j)] + p_low_);
      H_p(s, Q[at(j)], P_[at(j)], velocity[at(j)]);
      if (j < fixed && is_natural(s)) {
        work = h_grad_V_;
      } else {
        H_q(s, Q[at(j)], P_[at(j)], work);
        work *= h;
      }
      if (j >= fixed) s.G(Q[at(j)], G[at(j)]);
      if (j < free_stages()) {
        auto&& work_m = room(s, work_m_);
        work_m = -L[at(j)];
        G[at(j)].subtract_transpose(work_m, work);  // h (H_q + GᵀΛ)
      }
      force[at(j)] = work;
    });
  }

  // Returns the size of g at the stages.
  Real<T> g_in_units() const {
    Real<T> largest(0);
    each(fixed, stages(), [&](int i) __attribute__((always_inline)) {
      largest = larger(largest, Real<T>(largest_in_units(rg_[at(i)], g_per_unit_)));
    });
    return largest;
  }

  // Asks whether the stages are on g = 0, to rounding, and the end of the step too: if that is the last
  // stage, the residual of (J1) is what separates the two.
  bool is_on_constraints() const {
    if (!(g_in_units() <= Real<T>(most_units_left))) return false;
    return !ends_at_last_stage_ || largest_in_units(rz_[at(stages() - 1)], q_per_unit_) <= most_units_left;
  }

  // Asks whether g is within the tolerance at the end of the step. If that is the last stage, it is
  // q₀ + h Σ bⱼ H_p, which an iteration stopped by a tolerance leaves beside q₀ + Zₛ.
  Mask<T> end_within(const P& s, const Vec& q0, double tolerance) {
    if (!ends_at_last_stage_) return Mask<T>(true);
    auto&& work = room(s, work_);
    auto&& work_m = room(s, work_m_);
    work = q0 + ((Z[at(stages() - 1)] - rz_[at(stages() - 1)]) + q_low_);
    s.g(work, work_m);
    return all_within(work_m, tolerance);
  }

  // Evaluates the residuals. Lanes that are close to the solution take g(q₀ + Z) = g(Q*) + G (q₀ + Z - Q*)
  // about an anchor Q* that no longer moves. Each evaluation of g is rounded differently, and an iteration
  // that approaches from one side ends at the first point whose rounded g vanishes: what is left would
  // remember the side, which is not the same for all stages, and the energy would drift. For the same reason
  // Q* is a thousand roundings away from all points to which an earlier g has led.
  void residuals(const P& s, const Vec& q0, const T& h, const Mask<T>& close, const Mask<T>& anchored) {
    const T aside(1 + 1024 * epsilon<T>());
    each(0, stages(), [&](int i) __attribute__((always_inline)) {
      auto&& work = room(s, work_);
      A_hat.row(i, free_stages(), force, work);
      ry_[at(i)] = Y[at(i)] + work;  // (J2)
      if (i < fixed) return;
      A.row(i, stages(), velocity, work);
      rz_[at(i)] = Z[at(i)] - h * work;  // (J1)
      if (!any(close)) {
        s.g(Q[at(i)], rg_[at(i)]);  // (J3)
        return;
      }
      Vec& Q_star = anchor_[at(i)];
      Multiplier& g = g_at_anchor_[at(i)];
      if (!all(anchored)) {
        for (Eigen::Index k = 0; k < Q_star.size(); ++k) {
          const T now = Q[at(i)][k];
          Q_star[k] = select(anchored, Q_star[k], select(close, T(aside * now), now));
        }
        s.g(Q_star, g);
      }
      work = (Z[at(i)] - (Q_star - q0)) + q_low_;
      G[at(i)].times(work, rg_[at(i)]);
      for (Eigen::Index k = 0; k < g.size(); ++k)
        rg_[at(i)][k] = g[k] + select(close, rg_[at(i)][k], T(0));  // (J3), linear where close
    });
  }

  void rounding_units(const Vec& q0, const Vec& p0, const typename P::Jacobian& G0) {
    // `tiny` keeps 1/unit finite if a residual and all its terms vanish.
    const Real<T> half(epsilon<T>() / 2), tiny(0x1p-1000);
    Real<T> q_size(0), p_size(0);
    for (Eigen::Index i = 0; i < q0.size(); ++i) {
      q_per_unit_[i] = magnitude(q0[i]) + magnitude(Q[at(stages() - 1)][i]);
      q_size = larger(q_size, q_per_unit_[i]);
      p_size = larger(p_size, magnitude(p0[i]) + magnitude(Y[at(stages() - 1)][i]));
    }
    raise_vanishing(q_per_unit_);
    G0.row_bounds(q_per_unit_, g_per_unit_);
    const auto per_unit = [&](const Real<T>& size) {
      return Real<T>(Real<T>(1) / larger(half * size, tiny));
    };
    // In an equilibrium forces cancel, and what is left of them is their noise.
    if (has_noise_) p_size = larger(p_size, largest_entry(h_grad_V_));
    if (has_noise_)
      for (Eigen::Index i = 0; i < g_per_unit_.size(); ++i)
        g_per_unit_[i] = larger(g_per_unit_[i], Real<T>(noise_[i] / half));
    for (Eigen::Index i = 0; i < g_per_unit_.size(); ++i) g_per_unit_[i] = per_unit(g_per_unit_[i]);
    q_per_unit_.setConstant(per_unit(q_size));
    p_per_unit_.setConstant(per_unit(p_size));
  }

  // Makes one simplified Newton correction; the theory page has the elimination.
  void correct(const P& s, const Vec& q0, const Vec& p0, const T& h, const Mask<T>& active) {
    auto&& work = room(s, work_);
    auto&& work_m = room(s, work_m_);
    auto&& rate = local(rate_);
    auto&& right = local(right_);
    auto&& push = local(push_);
    const T per_h = T(1) / h;
    each(0, stages(),
         [&](int j) __attribute__((always_inline)) { H_pp_times(s, q0, p0, ry_[at(j)], rate[at(j)]); });
    each(fixed, stages(), [&](int i) __attribute__((always_inline)) {
      combine(A.whole, i, stages(), rate, work);
      work = rz_[at(i)] + h * work;
      G[at(i)].times(work, work_m);
      right[at(i)] = rg_[at(i)] - work_m;
      matrix_.solve(right[at(i)]);  // (J4)
    });
    each(0, free_stages(), [&](int j) __attribute__((always_inline)) {
      work_m.setZero();
      each(0, free_stages(), [&](int k) __attribute__((always_inline)) {
        work_m -= (T(inverse_(j, k)) * per_h) * right[at(k + fixed)];
      });
      add_active(active, L[at(j)], Multiplier(-work_m));
      push[at(j)].setZero();
      G[at(j)].subtract_transpose(work_m, push[at(j)]);  // Gⱼᵀ ΔLⱼ
    });
    each(0, stages(), [&](int i) __attribute__((always_inline)) {
      combine(A_hat.whole, i, free_stages(), push, work);
      work = -ry_[at(i)] - work;  // (J5)
      add_active(active, Y[at(i)], work);
      H_pp_times(s, q0, p0, work, rate[at(i)]);
    });
    each(fixed, stages(), [&](int i) __attribute__((always_inline)) {
      combine(A.whole, i, stages(), rate, work);
      work = h * work - rz_[at(i)];  // (J6)
      add_active(active, Z[at(i)], work);
    });
  }

  // Forms out = Σⱼ a(i, j) f[j], j < count.
  template <class Coefficients, class Stages>
  [[gnu::always_inline]] static void combine(const Coefficients& a, int i, int count, const Stages& f,
                                             Vec& out) {
    out = T(a(i, 0)) * f[0];
    each(1, count, [&](int j) __attribute__((always_inline)) { out += T(a(i, j)) * f[at(j)]; });
  }

  template <class Stages>
  static decltype(auto) local(Stages& kept) {
    if constexpr (fixed_size<P> && s_ != dynamic)
      return Stages();
    else
      return (kept);
  }

  template <class V>
  static void add_active(const Mask<T>& active, V& x, const V& d) {
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = select(active, T(x[i] + d[i]), x[i]);
  }

  PerStage<Vec, s_> rz_, ry_, rate_, push_, anchor_;
  PerStage<Multiplier, s_> rg_, right_, g_at_anchor_;
  typename P::Jacobian G_middle_;
  ConstraintMatrix<P> matrix_;
  Vector<Real<T>, P::n> q_per_unit_, p_per_unit_;
  Vector<Real<T>, P::m> g_per_unit_, noise_;  // the noise of g counts if a first attempt failed
  bool has_noise_ = false;
  std::unique_ptr<NewtonMatrixOf<P>> newton_;  // made by the first step that needs it
  Vec work_, h_grad_V_;                        // the second at q₀
  Vec q_low_, p_low_;
  Multiplier work_m_;
};

}  // namespace TAUT_STEPS

}  // namespace taut
