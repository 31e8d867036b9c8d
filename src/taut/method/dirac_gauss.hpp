// Gauss' method on Dirac's unconstrained Hamiltonian H_M = H + gᵀλ(q, p), under
// Reich's projections: (31), (34). It is symplectic on M, of order 2s, for any
// H(q, p). Labels: docs/theory/dirac-gauss.md.
#pragma once

#include <taut/formulation/dirac_gradient.hpp>
#include <taut/method/damped_landing.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/landing_at_once.hpp>
#include <taut/method/made/given_tableau.hpp>
#include <taut/method/spelling.hpp>
#include <taut/method/stage_solve.hpp>
#include <taut/method/tableau_conditions.hpp>
#include <taut/problem/kick_and_drift.hpp>
#include <taut/solve/drive_to_zero.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <cmath>
#include <vector>

namespace taut {

// The unconstrained map Ψ_h of scheme (31), to be used as
// Projected<DiracGauss>.
struct DiracGauss {
  int s = 2;
  // A user's own symplectic Runge-Kutta method in place of Gauss'.
  const Tableau<Float128>* own = nullptr;
  int own_order = 0;               // its order, as tree_order(*own) finds it
  std::string_view own_name = {};  // what people call it; empty: dirac-gauss(s)

  MethodFacts facts() const {
    return {.name = own_name.empty() ? "dirac-gauss" : own_name,
            .argument = own_name.empty() ? s : 0,
            .what = own ? "a user's own symplectic Runge-Kutta method on H + g'lambda(q,p), any H(q, p)"
                        : "s-stage Gauss on H + g'lambda(q,p) under the projection, any H(q, p)",
            .source = "Reich (31), (34)",
            .theory = "dirac-gauss",
            .order = own ? own_order : 2 * s,
            .symmetric = !own || is_symmetric(*own),
            .symplectic = !own || tableau_conditions::symplectic(*own),
            .tier = Tier::dirac,
            .work = 30 * s,
            .solve_limit = newton_limit + most_damped_corrections};
  }
  static constexpr MethodNumber number() { return {"s", "stages", 1, 16}; }
  DiracGauss numbered(int stages) const { return {.s = stages}; }
  Spelling spelling() const {
    if (!own) return spelled("dirac_gauss.hpp", "DiracGauss", "s", s);
    return {{"dirac_gauss.hpp", "made/given_tableau.hpp"},
            "DiracGauss",
            "DiracGauss{.s = " + std::to_string(s) + ", .own = " + given_text(*own) + "}"};
  }

  template <class P>
  static constexpr bool fits = Hamiltonian<P> && Castable<P>;

  static constexpr bool response_is_exact = false;  // (D7) leaves out what is O(g)
  template <class P>
  using ResponseMatrix = DenseConstraintMatrix<P>;

  template <class P, class X>
  struct Memory {
    using T = typename P::Scalar;
    using B = Base<T>;
    Memory(const P& problem, const X& x, const DiracGauss& psi)
        : gradient(problem),
          tableau(psi.own ? *psi.own : gauss_tableau(psi.s)),
          Z(static_cast<std::size_t>(psi.s), zero_vector(problem)),
          Y(Z),
          slope_q(Z),
          slope_p(Z),
          first_Z(Z),
          first_Y(Z),
          second(Z.size(),
                 DiracGradient<P>::Hessian::Zero(2 * problem.coordinates(), 2 * problem.coordinates())),
          q(zero_vector(problem)),
          p(q),
          beside_q(q),
          beside_p(q),
          start_q(q),
          start_p(q),
          end(x),
          residual(Vector<T, dynamic>::Zero(2 * psi.s * problem.coordinates())),
          unit(Vector<Real<T>, dynamic>::Zero(residual.size())),
          column(Vector<B, dynamic>::Zero(residual.size())),
          g_unit(Vector<Real<T>, P::m>::Zero(problem.constraints())),
          kept_Z(Z),
          kept_Y(Z),
          lu(static_cast<int>(residual.size())),
          of_lanes(Matrix<B, dynamic, dynamic>::Identity(residual.size(), residual.size())),
          together(problem, psi.s) {}
    DiracGradient<P> gradient;
    Tableau<Float128> tableau;
    // Stage increments of q and p; slopes of H_M at the stages; increments
    // without an impulse.
    std::vector<typename P::Vec> Z, Y, slope_q, slope_p, first_Z, first_Y;
    std::vector<typename DiracGradient<P>::Hessian> second;  // H_M'' at the stages
    typename P::Vec q, p, beside_q, beside_p, start_q, start_p;
    X end;  // the end of a step that is being solved, as its sums round it
    Vector<T, dynamic> residual;
    Vector<Real<T>, dynamic> unit;
    Vector<B, dynamic> column;
    Vector<Real<T>, P::m> g_unit;
    std::vector<typename P::Vec> kept_Z, kept_Y;
    PivotedLU<B, dynamic> lu;              // the derivative A of (D3), (D4) by the stages
    Matrix<B, dynamic, dynamic> of_lanes;  // the same before it is factored, for packs
    T h{};
    bool linearised = false;  // `lu` is that of this step
    bool guessed = false;     // the stages of a first solve are known
    bool exact = false;       // H_M'' is formed without leaving out what is O(g)
    bool at_rest = false;     // all stages are the start of the step
    bool plain = false;       // H_M'' is not formed
    Mask<T> done{false};      // lanes that a solve at once has ended
    DampedLanding<P, ResponseMatrix<P>, dynamic> together;
  };

  template <class P, class X>
  Expected<int> prepare(const P&, const X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.start_q = x.q;
    at.start_p = x.p;
    at.h = h;
    at.linearised = at.guessed = at.exact = at.at_rest = at.plain = false;
    return 0;
  }
  template <class P, class X>
  bool renews(const Memory<P, X>&) const {
    return true;
  }

  template <class P, class X>
  bool may_approach(const Memory<P, X>&) const {
    return true;
  }
  // The stages and μ together, with all of H_M'': see DampedLanding.
  template <class P, class X>
  [[gnu::cold, gnu::noinline]] Expected<int> approach(const P& problem, const X& x,
                                                      const typename P::Jacobian& G0,
                                                      typename P::Multiplier& mu, Memory<P, X>& at,
                                                      const typename P::Scalar& h) const {
    at.exact = true;
    at.guessed = false;
    guess(at);
    Stages<P, X> stages{*this, problem, x, at};
    const auto found = at.together.approach(problem, stages, x.q, x.p, G0, h, mu);
    if (!found) return found;
    at.first_Z = at.Z;
    at.first_Y = at.Y;
    at.p.setZero();
    G0.subtract_transpose(mu, at.p);
    for (int i = 0; i < s; ++i) at.first_Y[stage(i)] -= at.p;
    at.guessed = true;
    return found;
  }

  // The stages and μ together, from the start of the step: by Newton's iteration with (D7), or, if the matrix
  // is to be that of the start, with the one that Reich prints.                                  (D8), (D9)
  template <class P, class X>
  Expected<int> at_once(const P& problem, const X& x, const typename P::Jacobian& G0,
                        typename P::Multiplier& mu, Memory<P, X>& at, const typename P::Scalar& h,
                        const SolveOptions& solve, X& next) const {
    using T = typename P::Scalar;
    static_cast<void>(prepare(problem, x, at, h));
    guess(at);
    at.plain = solve.iteration == Iteration::symmetric;
    Stages<P, X> stages{*this, problem, x, at};
    StagesAndLanding<P, Stages<P, X>, decltype(at.together)> all{problem, stages, at.together, x.q,
                                                                 G0,      mu,     at.unit,     at.g_unit};
    const int most = at.plain ? most_linear_corrections : newton_limit;
    const int limit = solve.max_iterations > 0 ? solve.max_iterations : most;
    at.at_rest = true;
    Mask<T> going(true);
    auto solved = [&]() -> Expected<int> {
      if (!at.plain)
        return solve_at_once(
            all, [&](const Mask<T>& active) { return newton_correction(problem, G0, stages, active); }, limit,
            going);
      at.together.matrix().right(problem, x.q, x.p, G0, h);
      at.together.matrix().assemble(G0);
      if (const int pivot = at.together.matrix().factor(); pivot >= 0)
        return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner, .constraint = pivot};
      return solve_at_once(
          all, [&](const Mask<T>&) { return simplified_correction(problem, x, G0, stages, h); }, limit,
          going);
    }();
    at.at_rest = at.plain = false;
    // Without a pivot H_M has no gradient, and residuals of stages that do not move say nothing.
    if (solved && stages.singular >= 0)
      solved =
          Failure{.kind = FailureKind::singular, .stage = SolveStage::inner, .constraint = stages.singular};
    at.done = !going;
    if (!solved && ScalarTraits<T>::lanes == 1) return solved;
    next = x;
    kick_along(next, G0, mu, at.p);
    finish_map(next, at, h);
    return solved;
  }

  template <class P, class X>
  Expected<int> map(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    guess(at);
    int singular = -1;  // the constraint whose pivot vanished at a stage
    const auto solved = drive_to_zero(
        ToRounding{{.max_iterations = 200}}, at.residual, at.unit,
        [&] {
          if (const int pivot = slopes(problem, x, at); singular < 0) singular = pivot;
          stage_residuals(problem.coordinates(), at);
        },
        [&](auto& unit) { rounding_units(problem, x, at, unit); },
        [&](const Mask<T>& active) { return correct(problem.coordinates(), active, at); },
        SeenRateOrLost<T>(stage_noise));
    if (singular >= 0)
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner, .constraint = singular};
    if (!solved) {
      Failure failure = solved.error();
      failure.stage = SolveStage::inner;
      failure.corrections = Corrections::newton;
      failure.constraint = -1;
      return failure;
    }
    if (!at.guessed) {
      at.first_Z = at.Z;
      at.first_Y = at.Y;
      at.guessed = true;
    }
    finish_map(x, at, h);
    return solved;
  }

  // Gives (∂q₁/∂p₀) Gᵀ: A dU = e ⊗ (0, Gᵀ) for the stages U, and (D5). Before the first map it is h H_pp Gᵀ.
  template <class P, class X, class Jacobian, class Response>
  void response(const P& problem, Memory<P, X>& at, const Jacobian& G, Response& K) const {
    using T = typename P::Scalar;
    using B = Base<T>;
    const int n = problem.coordinates();
    if (!at.linearised) {
      K.right(problem, at.start_q, at.start_p, G, at.h);
      return;
    }
    K.right([&](auto& R) {
      R.setZero();
      G.for_each([&](int i, int j, const T& entry) { R(j, i) = entry; });
      for (int k = 0; k < R.cols(); ++k) {
        for (int i = 0; i < s; ++i)
          for (int j = 0; j < n; ++j) {
            at.column[2 * i * n + j] = B(0);
            at.column[(2 * i + 1) * n + j] = base(R(j, k));
          }
        at.lu.solve(at.column);
        for (int j = 0; j < n; ++j) R(j, k) = T(shift_of(n, j, at, at.column));
      }
    });
  }

 private:
  template <class P, class X>
  struct Stages;

  template <class X, class At, class T>
  void finish_map(X& x, const At& at, const T& h) const {
    for (int i = 0; i < s; ++i) {
      const T weight = h * coefficient<T>(at.tableau.b[i]);
      drift(x, weight * at.slope_p[stage(i)]);  // (D5)
      kick(x, -weight * at.slope_q[stage(i)]);  // (D6)
    }
  }

  // Finds the correction with H_M'' of (D7) at the stages.                                             (D9)
  template <class P, class X, class M>
  int newton_correction(const P& problem, const typename P::Jacobian& G0, Stages<P, X>& stages,
                        const M& active) const {
    if (stages.singular >= 0 || !linearise(problem.coordinates(), active, stages.at)) return 0;
    return stages.at.together.correction(problem, stages, G0) ? -1 : 0;
  }

  // Finds the correction with H_pp and G of the start of the step alone, the matrix below (34):
  // h C δμ = g - h G H_pp Σ bᵢ r_P,i, δPᵢ = -r_P,i - Gᵀδμ, δQᵢ = -r_Q,i + h Σ aᵢⱼ H_pp δPⱼ.              (D8)
  template <class P, class X>
  int simplified_correction(const P& problem, const X& x, const typename P::Jacobian& G0,
                            Stages<P, X>& stages, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    if (stages.singular >= 0) return 0;
    auto& at = stages.at;
    const int n = problem.coordinates();
    auto& [change, by] = at.together.corrections();
    at.p.setZero();
    for (int i = 0; i < s; ++i)
      at.p += coefficient<T>(at.tableau.b[i]) * at.residual.segment((2 * i + 1) * n, n);
    H_pp_times(problem, x.q, x.p, at.p, at.q);
    G0.times(at.q, by);
    by = at.together.landing() - h * by;
    at.together.matrix().solve(by);
    const auto& impulse = at.together.impulse_of(G0, by);
    for (int i = 0; i < s; ++i) {
      at.p = impulse - at.residual.segment((2 * i + 1) * n, n);
      change.segment((2 * i + 1) * n, n) = at.p;
      H_pp_times(problem, x.q, x.p, at.p, at.first_Z[stage(i)]);
    }
    for (int i = 0; i < s; ++i) {
      change.segment(2 * i * n, n) = -at.residual.segment(2 * i * n, n);
      for (int j = 0; j < s; ++j)
        change.segment(2 * i * n, n) += h * coefficient<T>(at.tableau.A(i, j)) * at.first_Z[stage(j)];
    }
    return -1;
  }

  // What DampedLanding asks of the stages. Their momenta are p₀ + Y, without
  // the impulse.
  template <class P, class X>
  struct Stages {
    using T = typename P::Scalar;
    const DiracGauss& psi;
    const P& problem;
    const X& x;
    Memory<P, X>& at;
    int singular = -1;

    void evaluate_alone() {
      at.plain = true;
      singular = psi.slopes(problem, x, at);
    }
    template <class Units>
    void set_units(Units& unit) {
      psi.rounding_units(problem, x, at, unit);
    }
    void look(const typename P::Vec& impulse) {
      const int n = problem.coordinates();
      singular = psi.slopes(problem, x, at);
      psi.stage_residuals(n, at);
      at.end = x;
      for (int i = 0; i < psi.s; ++i) {
        const T weight = at.h * coefficient<T>(at.tableau.b[i]);
        at.residual.segment((2 * i + 1) * n, n) -= impulse;
        drift(at.end, weight * at.slope_p[stage(i)]);  // (D5)
      }
    }
    const auto& residual() const { return at.residual; }
    const auto& end() const { return at.end.q; }
    Expected<int> linearise() const {
      if (singular < 0 && psi.linearise(problem.coordinates(), Mask<T>(true), at)) return 0;
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner, .constraint = singular};
    }
    void solve(Vector<T, dynamic>& v) const { at.lu.solve(v); }
    void shift(const Vector<T, dynamic>& v, typename P::Vec& d) const {
      for (int j = 0; j < problem.coordinates(); ++j) d[j] = psi.shift_of(problem.coordinates(), j, at, v);
    }
    template <class Jacobian, class Matrix>
    void response(const Jacobian& G, Matrix& K) const {
      psi.response(problem, at, G, K);
    }
    void keep() {
      at.kept_Z = at.Z;
      at.kept_Y = at.Y;
      at.at_rest = false;
    }
    void go(const Vector<T, dynamic>& v) {
      const int n = problem.coordinates();
      for (int i = 0; i < psi.s; ++i) {
        at.Z[stage(i)] = at.kept_Z[stage(i)] + v.segment(2 * i * n, n);
        at.Y[stage(i)] = at.kept_Y[stage(i)] + v.segment((2 * i + 1) * n, n);
      }
    }
  };

  // Returns the j-th component of the change of q₁ if the stages change by v.
  template <class At, class V>
  auto shift_of(int n, int j, const At& at, const V& v) const {
    using T = typename V::Scalar;
    using B = Base<T>;
    T moved(0);
    for (int i = 0; i < s; ++i) {
      const B weight = base(at.h) * coefficient<B>(at.tableau.b[i]);
      for (int l = 0; l < 2 * n; ++l) moved += weight * at.second[stage(i)](n + j, l) * v[2 * i * n + l];
    }
    return moved;
  }

  // The first solve of a step starts from its beginning, all others from the
  // stages that the first one found: the map is a function of the state and the
  // impulse alone.
  template <class At>
  void guess(At& at) const {
    for (int i = 0; i < s; ++i)
      if (at.guessed) {
        at.Z[stage(i)] = at.first_Z[stage(i)];
        at.Y[stage(i)] = at.first_Y[stage(i)];
      } else {
        at.Z[stage(i)].setZero();
        at.Y[stage(i)].setZero();
      }
  }

  // Evaluates the slopes of H_M at the stages, and their derivatives. Returns
  // -1, or the constraint whose pivot vanished.
  template <class P, class X, class At>
  int slopes(const P& problem, const X& x, At& at) const {
    int singular = -1;
    for (int j = 0; j < s; ++j) {
      if (j > 0 && at.at_rest) {  // all stages are at the same point
        at.slope_q[stage(j)] = at.slope_q[0];
        at.slope_p[stage(j)] = at.slope_p[0];
        at.second[stage(j)] = at.second[0];
        continue;
      }
      at.q = x.q + at.Z[stage(j)];
      at.p = x.p + at.Y[stage(j)];
      const int pivot = at.plain
                            ? at.gradient(problem, at.q, at.p, at.slope_q[stage(j)], at.slope_p[stage(j)])
                            : at.gradient(problem, at.q, at.p, at.slope_q[stage(j)], at.slope_p[stage(j)],
                                          at.second[stage(j)]);
      if (singular < 0) singular = pivot;
      if (at.exact && pivot < 0) differentiate(problem, j, at);
    }
    return singular;
  }

  // Forms H_M'' at stage j by differences of the gradient, which leave nothing
  // out.
  template <class P, class At>
  void differentiate(const P& problem, int j, At& at) const {
    using T = typename P::Scalar;
    const int n = problem.coordinates();
    const auto along = [&](typename P::Vec& x, int i, int column) {
      const T here = x[i];
      const Real<T> size = larger(largest_entry(x), Real<T>(0x1p-20));
      x[i] = here + T(size * Real<T>(std::sqrt(epsilon<T>())));
      const auto by = base(T(x[i] - here));
      const int pivot = at.gradient(problem, at.q, at.p, at.beside_q, at.beside_p);
      x[i] = here;
      for (int k = 0; k < n && pivot < 0; ++k) {
        at.second[stage(j)](k, column) = base(T(at.beside_q[k] - at.slope_q[stage(j)][k])) / by;
        at.second[stage(j)](n + k, column) = base(T(at.beside_p[k] - at.slope_p[stage(j)][k])) / by;
      }
    };
    for (int i = 0; i < n; ++i) {
      along(at.q, i, i);
      along(at.p, i, n + i);
    }
  }

  template <class At>
  void stage_residuals(int n, At& at) const {
    using T = typename decltype(at.residual)::Scalar;
    for (int i = 0; i < s; ++i) {
      auto z = at.residual.segment(2 * i * n, n);
      auto y = at.residual.segment((2 * i + 1) * n, n);
      z = at.Z[stage(i)];
      y = at.Y[stage(i)];
      for (int j = 0; j < s; ++j) {
        const T a = at.h * coefficient<T>(at.tableau.A(i, j));
        z -= a * at.slope_p[stage(j)];  // (D3)
        y += a * at.slope_q[stage(j)];  // (D4)
      }
    }
  }

  // At rest in the origin the size of q is that of the way which the force
  // makes it go in the step.
  template <class P, class X, class At, class Units>
  void rounding_units(const P& problem, const X& x, At& at, Units& unit) const {
    using T = typename P::Scalar;
    const int n = problem.coordinates();
    const Real<T> half(epsilon<T>() / 2);
    at.p = at.h * at.slope_q[0];
    H_pp_times(problem, x.q, x.p, at.p, at.q);
    at.q *= at.h;
    const Real<T> p_size = larger(largest_entry(x.p), largest_entry(at.p)), by_force = largest_entry(at.q);
    at.q = at.h * at.slope_p[0];
    const Real<T> q_size = larger(largest_entry(x.q), larger(largest_entry(at.q), by_force));
    for (int i = 0; i < s; ++i) {
      unit.segment(2 * i * n, n).setConstant(half * q_size);
      unit.segment((2 * i + 1) * n, n).setConstant(half * p_size);
    }
  }

  // Forms and factors the derivative A of (D3), (D4) by the stages. Returns whether it is regular. A lane
  // that has ended keeps the matrix of its last correction, as if it were alone: the response of the map asks
  // for it.
  template <class M, class At>
  bool linearise(int n, const M& active, At& at) const {
    using T = typename decltype(at.residual)::Scalar;
    using B = Base<T>;
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) {
        const B a = base(at.h) * coefficient<B>(at.tableau.A(i, j));
        for (int l = 0; l < 2 * n; ++l)
          for (int k = 0; k < n; ++k) {
            at.lu.a(2 * i * n + k, 2 * j * n + l) = -a * at.second[stage(j)](n + k, l);
            at.lu.a((2 * i + 1) * n + k, 2 * j * n + l) = a * at.second[stage(j)](k, l);
          }
      }
    at.lu.a.diagonal().array() += B(1);
    if constexpr (ScalarTraits<T>::lanes > 1) {
      for (Eigen::Index i = 0; i < at.of_lanes.size(); ++i)
        at.of_lanes.data()[i] = select(active, at.lu.a.data()[i], at.of_lanes.data()[i]);
      at.lu.a = at.of_lanes;
    }
    at.linearised = at.lu.factor() < 0;
    return at.linearised;
  }

  // Makes one of Newton's corrections. Returns -1, or another number if the
  // matrix is singular.
  template <class M, class At>
  int correct(int n, const M& active, At& at) const {
    using T = typename decltype(at.residual)::Scalar;
    if (!linearise(n, active, at)) return 0;
    at.lu.solve(at.residual);
    for (int i = 0; i < s; ++i)
      for (int k = 0; k < n; ++k) {
        at.Z[stage(i)][k] -= select(active, at.residual[2 * i * n + k], T(0));
        at.Y[stage(i)][k] -= select(active, at.residual[(2 * i + 1) * n + k], T(0));
      }
    return -1;
  }

  static constexpr std::size_t stage(int i) { return static_cast<std::size_t>(i); }
};

}  // namespace taut
