// Gauss' method on Dirac's unconstrained Hamiltonian H_M = H + gᵀλ(q, p), under Reich's projections: (31),
// (34). It is symplectic on M, of order 2s, for any H(q, p). Labels: docs/theory/dirac-gauss.md.
#pragma once

#include <taut/formulation/dirac_gradient.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/method/stage_solve.hpp>
#include <taut/solve/drive_to_zero.hpp>

namespace taut {

// The unconstrained map Ψ_h of scheme (31), to be used as Projected<DiracGauss>.
struct DiracGauss {
  int s = 2;

  MethodFacts facts() const {
    return {.name = "dirac-gauss",
            .argument = s,
            .what = "s-stage Gauss on H + g'lambda(q,p) under the projection, any H(q, p)",
            .source = "Reich (31), (34)",
            .theory = "dirac-gauss",
            .order = 2 * s,
            .symmetric = true,
            .symplectic = true,
            .tier = Tier::dirac,
            .work = 30 * s};
  }
  static constexpr MethodNumber number() { return {"s", "stages", 1, 16}; }
  DiracGauss numbered(int stages) const { return {.s = stages}; }
  Spelling spelling() const { return spelled("dirac_gauss.hpp", "DiracGauss", "s", s); }

  template <class P>
  static constexpr bool fits = Hamiltonian<P> && Castable<P>;

  template <class P, class X>
  struct Memory {
    Memory(const P& problem, const X&, const DiracGauss& psi)
        : gradient(problem),
          tableau(gauss_tableau(psi.s)),
          Z(static_cast<std::size_t>(psi.s), zero_vector(problem)),
          Y(Z),
          slope_q(Z),
          slope_p(Z),
          q(zero_vector(problem)),
          p(q),
          residual(Vector<typename P::Scalar, dynamic>::Zero(2 * psi.s * problem.coordinates())),
          unit(Vector<Real<typename P::Scalar>, dynamic>::Zero(residual.size())) {}
    DiracGradient<P> gradient;
    Tableau<Float128> tableau;
    // Stage increments of q and p; slopes of H_M at the stages.
    std::vector<typename P::Vec> Z, Y, slope_q, slope_p;
    typename P::Vec q, p;
    Vector<typename P::Scalar, dynamic> residual;
    Vector<Real<typename P::Scalar>, dynamic> unit;
  };

  template <class P, class X>
  Expected<int> map(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    const int n = problem.coordinates();
    for (int i = 0; i < s; ++i) {
      at.Z[stage(i)].setZero();
      at.Y[stage(i)].setZero();
    }
    int singular = -1;  // the constraint whose pivot vanished at a stage
    const auto solved = drive_to_zero(
        ToRounding{{.max_iterations = 200}}, at.residual, at.unit,
        [&] {
          for (int j = 0; j < s; ++j) {
            at.q = x.q + at.Z[stage(j)];
            at.p = x.p + at.Y[stage(j)];
            const int pivot = at.gradient(problem, at.q, at.p, at.slope_q[stage(j)], at.slope_p[stage(j)]);
            if (singular < 0) singular = pivot;
          }
          for (int i = 0; i < s; ++i) {
            auto z = at.residual.segment(2 * i * n, n);
            auto y = at.residual.segment((2 * i + 1) * n, n);
            z = at.Z[stage(i)];
            y = at.Y[stage(i)];
            for (int j = 0; j < s; ++j) {
              const T a = h * coefficient<T>(at.tableau.A(i, j));
              z -= a * at.slope_p[stage(j)];  // (D3)
              y += a * at.slope_q[stage(j)];  // (D4)
            }
          }
        },
        [&](auto& unit) {
          const Real<T> half(epsilon<T>() / 2);
          const Real<T> q_size =
              larger(largest_entry(x.q), largest_entry(typename P::Vec(h * at.slope_p[0])));
          const Real<T> p_size =
              larger(largest_entry(x.p), largest_entry(typename P::Vec(h * at.slope_q[0])));
          for (int i = 0; i < s; ++i) {
            unit.segment(2 * i * n, n).setConstant(half * q_size);
            unit.segment((2 * i + 1) * n, n).setConstant(half * p_size);
          }
        },
        // This is a fixed-point iteration, because the slopes of H_M have no cheap derivative.
        [&](const Mask<T>& active) {
          for (int i = 0; i < s; ++i)
            for (int k = 0; k < n; ++k) {
              at.Z[stage(i)][k] -= select(active, at.residual[2 * i * n + k], T(0));
              at.Y[stage(i)][k] -= select(active, at.residual[(2 * i + 1) * n + k], T(0));
            }
          return -1;
        },
        SeenRate<T>(stage_noise));
    if (singular >= 0)
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner, .constraint = singular};
    if (!solved) {
      Failure failure = solved.error();
      failure.stage = SolveStage::inner;
      failure.constraint = -1;
      return failure;
    }
    for (int i = 0; i < s; ++i) {
      const T weight = h * coefficient<T>(at.tableau.b[i]);
      drift(x, weight * at.slope_p[stage(i)]);  // (D5)
      kick(x, -weight * at.slope_q[stage(i)]);  // (D6)
    }
    return solved;
  }

 private:
  static constexpr std::size_t stage(int i) { return static_cast<std::size_t>(i); }
};

}  // namespace taut
