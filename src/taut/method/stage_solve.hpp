// The stage equations of Runge-Kutta methods on the constrained equations, Jay (3.11), for any H(q, p), by the simplified Newton
// iteration with the block structure (3.15): one factorisation of G H_pp Gᵀ per step, and one m-dimensional solve per stage and
// iteration. Labels: docs/theory/stage-solve.md.
//
// Unknown are the increments Zᵢ = Qᵢ - q₀, Yᵢ = Pᵢ - p₀, small numbers whose rounding is small, and the impulses Lⱼ = h Λⱼ. For Lobatto
// the first Q is q₀ and the last Λ does not enter (fixed = 1); for Gauss and Radau all are unknown (fixed = 0).
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/tableau.hpp>
#include <taut/solve/iterate.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <array>
#include <type_traits>
#include <vector>

namespace taut {

// One V per stage: an array where their number is known at compile time.
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

// Coefficients in two parts, the first of few bits: products with it are exact but for one rounding that has no bias, and the second
// carries the rest. A coefficient rounded to one float would violate the symplecticity conditions by 10⁻¹⁷ the same way in every step, and
// the energy would drift (Hairer, McLachlan & Razakarivony, BIT 48, 2008).
template <class B, int s>
struct SplitCoefficients {
  Matrix<B, s, s> high, low, whole;

  explicit SplitCoefficients(const Matrix<Float128, dynamic, dynamic>& a)
      : high(a.rows(), a.cols()), low(a.rows(), a.cols()), whole(a.rows(), a.cols()) {
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      for (Eigen::Index j = 0; j < a.cols(); ++j) {
        const Float128 few_bits = static_cast<Float128>(static_cast<long>(a(i, j) * 1024)) / 1024;
        high(i, j) = coefficient<B>(few_bits);
        low(i, j) = coefficient<B>(a(i, j) - few_bits);
        whole(i, j) = coefficient<B>(a(i, j));
      }
  }

  // out = Σⱼ a(i, j) f[j]
  template <class Stages, class Vec>
  void row(int i, const Stages& f, Vec& out) const {
    using T = typename Vec::Scalar;
    for (Eigen::Index k = 0; k < out.size(); ++k) {
      T first(0), second(0);
      for (Eigen::Index j = 0; j < high.cols(); ++j) {
        first += T(high(i, j)) * f[static_cast<std::size_t>(j)][k];
        second += T(low(i, j)) * f[static_cast<std::size_t>(j)][k];
      }
      out[k] = first + second;
    }
  }
};

template <Hamiltonian P, int s_ = dynamic>
class StageSolve {
 public:
  using T = typename P::Scalar;
  using B = Base<T>;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  StageSolve(const P& s, const Tableau<Float128>& tableau, int fixed_stages)
      : stages(tableau.stages()),
        fixed(fixed_stages),
        A(tableau.A),
        A_hat(tableau.A_hat),
        b(tableau.b.transpose()),
        c(tableau.c.unaryExpr([](const Float128& x) { return coefficient<B>(x); })),
        inverse_(inverse_product(tableau)),
        G(per_stage<typename P::Jacobian, s_>(stages, s.make_jacobian())),
        Q(per_stage<Vec, s_>(stages, zero_vector(s))),
        P_(Q),
        velocity(Q),
        force(Q),
        Z(Q),
        Y(Q),
        L(per_stage<Multiplier, s_>(stages, zero_multiplier(s))),
        rz_(Q),
        ry_(Q),
        rate_(Q),
        rg_(L),
        right_(L),
        matrix_(s),
        q_unit_(Vector<Real<T>, P::n>::Zero(s.coordinates())),
        p_unit_(q_unit_),
        g_unit_(Vector<Real<T>, P::m>::Zero(s.constraints())),
        work_(zero_vector(s)),
        work_m_(zero_multiplier(s)) {}

  int stages, fixed;
  SplitCoefficients<B, s_> A, A_hat;
  SplitCoefficients<B, dynamic> b;  // one row
  Vector<B, dynamic> c;

 private:
  Matrix<B, dynamic, dynamic> inverse_;  // (A₀Â₀)⁻¹

 public:
  PerStage<typename P::Jacobian, s_> G;  // at the stages
  PerStage<Vec, s_> Q, P_;               // the stages
  PerStage<Vec, s_> velocity, force;     // H_p and h (H_q + GᵀΛ) there (without GᵀΛ at stages that have no Λ)
  PerStage<Vec, s_> Z, Y;
  PerStage<Multiplier, s_> L;

  // From (q0, p0), with G0 = G(q0) and step h. K is taken at (q0, p0).
  Expected<int> solve(const P& s, const Vec& q0, const Vec& p0, const typename P::Jacobian& G0, const T& h) {
    matrix_.right(s, q0, p0, G0, T(1));
    matrix_.assemble(G0);
    if (const int pivot = matrix_.factor(); pivot >= 0)
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner, .constraint = pivot};
    guess(s, q0, p0, h);
    Residual residual{*this, s, q0, p0, G0, h};
    auto correction = [&](const Mask<T>& active) {
      correct(s, q0, p0, G0, h, active);
      return -1;
    };
    const auto solved = drive_to_rounding<T>(200, true, residual, correction, stage_noise);
    if (solved) return solved;
    Failure failure = solved.error();
    failure.stage = SolveStage::inner;
    failure.constraint = -1;
    return failure;
  }

 private:
  int free_stages() const { return stages - fixed; }  // stages with unknown Q; as many have a Λ
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Matrix<B, dynamic, dynamic> inverse_product(const Tableau<Float128>& t) const {
    PivotedLU<Float128, dynamic> lu(free_stages());
    for (int i = 0; i < free_stages(); ++i)
      for (int k = 0; k < free_stages(); ++k)
        for (int j = 0; j < stages; ++j) lu.a(i, k) += t.A(i + fixed, j) * t.A_hat(j, k);
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

  // A guess from (q0, p0) alone, so that the step is a function of the state.
  void guess(const P& s, const Vec& q0, const Vec& p0, const T& h) {
    H_p(s, q0, p0, velocity[0]);
    H_q(s, q0, p0, force[0]);
    for (int i = 0; i < stages; ++i) {
      Z[at(i)] = (T(c[i]) * h) * velocity[0];
      Y[at(i)] = -(T(c[i]) * h) * force[0];
      L[at(i)].setZero();
    }
    if (fixed == 1) Z[0].setZero();
  }

  // The residuals of (3.11) and their rounding units.
  struct Residual {
    StageSolve& stage;
    const P& s;
    const Vec &q0, &p0;
    const typename P::Jacobian& G0;
    const T& h;

    void evaluate(int k) {
      stage.slopes(s, q0, p0, h);
      stage.residuals(s, h);
      if (k == 0) stage.rounding_units(q0, p0, G0);
    }
    Real<T> in_units() const {
      Real<T> largest(0);
      each([&](const auto& r, const auto& unit) { largest = larger(largest, largest_in_units(r, unit)); });
      return largest;
    }
    Mask<T> sound() const {
      Mask<T> good(true);
      each([&](const auto& r, const auto&) { good = good && all_finite(r); });
      return good;
    }
    Failure describe(FailureKind kind, int k, const Mask<T>& bad) const {
      Failure worst{.residual = -1};
      each([&](const auto& r, const auto&) {
        const Failure f = taut::describe(kind, r, k, bad);
        if (!(f.residual <= worst.residual)) worst = f;
      });
      return worst;
    }

   private:
    template <class F>
    void each(F&& f) const {
      for (int i = 0; i < stage.stages; ++i) {
        f(stage.ry_[at(i)], stage.p_unit_);
        if (i < stage.fixed) continue;
        f(stage.rz_[at(i)], stage.q_unit_);
        f(stage.rg_[at(i)], stage.g_unit_);
      }
    }
  };

  void slopes(const P& s, const Vec& q0, const Vec& p0, const T& h) {
    for (int j = 0; j < stages; ++j) {
      Q[at(j)] = q0 + Z[at(j)];
      P_[at(j)] = p0 + Y[at(j)];
      H_p(s, Q[at(j)], P_[at(j)], velocity[at(j)]);
      H_q(s, Q[at(j)], P_[at(j)], work_);
      if (j < free_stages()) s.G(Q[at(j)], G[at(j)]);
      force[at(j)] = h * work_;
      if (j >= free_stages()) continue;
      work_m_ = -L[at(j)];
      G[at(j)].subtract_transpose(work_m_, force[at(j)]);  // h (H_q + GᵀΛ)
    }
  }

  void residuals(const P& s, const T& h) {
    for (int i = 0; i < stages; ++i) {
      A_hat.row(i, force, work_);
      ry_[at(i)] = Y[at(i)] + work_;  // (J2)
      if (i < fixed) continue;
      A.row(i, velocity, work_);
      rz_[at(i)] = Z[at(i)] - h * work_;  // (J1)
      s.g(Q[at(i)], rg_[at(i)]);          // (J3)
    }
  }

  void rounding_units(const Vec& q0, const Vec& p0, const typename P::Jacobian& G0) {
    const Real<T> half(epsilon<T>() / 2);
    Real<T> q_size(0), p_size(0);
    for (Eigen::Index i = 0; i < q0.size(); ++i) {
      q_unit_[i] = magnitude(q0[i]) + magnitude(Q[at(stages - 1)][i]);
      q_size = larger(q_size, q_unit_[i]);
      p_size = larger(p_size, magnitude(p0[i]) + magnitude(Y[at(stages - 1)][i]));
    }
    raise_vanishing(q_unit_);
    G0.row_bounds(q_unit_, g_unit_);
    g_unit_ *= half;
    q_unit_.setConstant(half * q_size);
    p_unit_.setConstant(half * p_size);
  }

  // One simplified Newton correction; see the theory page for the elimination.
  void correct(const P& s, const Vec& q0, const Vec& p0, const typename P::Jacobian& G0, const T& h,
               const Mask<T>& active) {
    for (int j = 0; j < stages; ++j) H_pp_times(s, q0, p0, ry_[at(j)], rate_[at(j)]);
    for (int i = fixed; i < stages; ++i) {
      work_ = rz_[at(i)];
      for (int j = 0; j < stages; ++j) work_ += (h * T(A.whole(i, j))) * rate_[at(j)];
      G0.times(work_, work_m_);
      right_[at(i)] = rg_[at(i)] - work_m_;
      matrix_.solve(right_[at(i)]);  // (J4)
    }
    for (int j = 0; j < free_stages(); ++j) {
      work_m_.setZero();
      for (int k = 0; k < free_stages(); ++k) work_m_ -= (T(inverse_(j, k)) / h) * right_[at(k + fixed)];
      add_active(active, L[at(j)], Multiplier(-work_m_));
      force[at(j)].setZero();
      G0.subtract_transpose(work_m_, force[at(j)]);  // G₀ᵀ ΔL: the slopes are no longer needed
    }
    for (int i = 0; i < stages; ++i) {
      work_ = -ry_[at(i)];
      for (int j = 0; j < free_stages(); ++j) work_ -= T(A_hat.whole(i, j)) * force[at(j)];  // (J5)
      add_active(active, Y[at(i)], work_);
      H_pp_times(s, q0, p0, work_, rate_[at(i)]);
    }
    for (int i = fixed; i < stages; ++i) {
      work_ = -rz_[at(i)];
      for (int j = 0; j < stages; ++j) work_ += (h * T(A.whole(i, j))) * rate_[at(j)];  // (J6)
      add_active(active, Z[at(i)], work_);
    }
  }

  template <class V>
  static void add_active(const Mask<T>& active, V& x, const V& d) {
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = select(active, T(x[i] + d[i]), x[i]);
  }

  PerStage<Vec, s_> rz_, ry_, rate_;
  PerStage<Multiplier, s_> rg_, right_;
  ConstraintMatrix<P> matrix_;
  Vector<Real<T>, P::n> q_unit_, p_unit_;
  Vector<Real<T>, P::m> g_unit_;
  Vec work_;
  Multiplier work_m_;
};

}  // namespace taut
