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

template <Hamiltonian P, int s_ = dynamic>
class StageSolve {
 public:
  using T = typename P::Scalar;
  using B = Base<T>;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  using Coefficients = Matrix<B, s_, s_>;

  StageSolve(const P& s, const Tableau<Float128>& tableau, int fixed_stages)
      : stages(tableau.stages()),
        fixed(fixed_stages),
        A(stages, stages),
        A_hat(stages, stages),
        inverse_(stages - fixed, stages - fixed),
        b(stages),
        c(stages),
        G(per_stage<typename P::Jacobian, s_>(stages, s.make_jacobian())),
        Q(per_stage<Vec, s_>(stages, zero_vector(s))),
        P_(Q),
        velocity(Q),
        force(Q),
        Z(Q),
        Y(Q),
        L(per_stage<Multiplier, s_>(stages, zero_multiplier(s))),
        matrix_(s),
        rate_(Q),
        right_(L),
        n_(s.coordinates()),
        m_(s.constraints()),
        residual_(Vector<T, dynamic>::Zero((stages - fixed) * (n_ + m_) + stages * n_)),
        unit_(Vector<Real<T>, dynamic>::Zero(residual_.size())),
        reach_(Vector<Real<T>, P::n>::Zero(n_)),
        bound_(Vector<Real<T>, P::m>::Zero(m_)),
        work_(zero_vector(s)),
        work_m_(zero_multiplier(s)) {
    set(tableau);
  }

  int stages, fixed;
  Coefficients A, A_hat;

 private:
  Matrix<B, dynamic, dynamic> inverse_;  // (A₀Â₀)⁻¹

 public:
  Vector<B, s_> b, c;
  PerStage<typename P::Jacobian, s_> G;  // at the stages
  PerStage<Vec, s_> Q, P_;               // the stages
  PerStage<Vec, s_> velocity, force;     // H_p and H_q + GᵀΛ there (without GᵀΛ at stages that have no Λ)
  PerStage<Vec, s_> Z, Y;
  PerStage<Multiplier, s_> L;

  // From (q0, p0), with G0 = G(q0) and step h. K is taken at (q0, p0).
  Expected<int> solve(const P& s, const Vec& q0, const Vec& p0, const typename P::Jacobian& G0, const T& h) {
    matrix_.right(s, q0, p0, G0, T(1));
    matrix_.assemble(G0);
    if (const int pivot = matrix_.factor(); pivot >= 0)
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner, .constraint = pivot};
    guess(s, q0, p0, h);
    const auto solved = drive_to_zero(
        {.max_iterations = 200}, residual_, unit_, [&] { evaluate(s, q0, p0, h); },
        [&](auto& unit) { rounding_units(q0, p0, G0, unit); },
        [&](const Mask<T>& active) {
          correct(s, q0, p0, G0, h, active);
          return -1;
        });
    if (solved) return solved;
    Failure failure = solved.error();
    failure.stage = SolveStage::inner;
    failure.constraint = -1;
    return failure;
  }

 private:
  int free_stages() const { return stages - fixed; }  // stages with unknown Q; as many have a Λ
  static constexpr auto at(int i) { return static_cast<std::size_t>(i); }

  void set(const Tableau<Float128>& t) {
    using Element = Float128;
    Matrix<Element, dynamic, dynamic> product(free_stages(), free_stages());
    for (int i = 0; i < stages; ++i) {
      b[i] = coefficient<B>(t.b[i]);
      c[i] = coefficient<B>(t.c[i]);
      for (int j = 0; j < stages; ++j) {
        A(i, j) = coefficient<B>(t.A(i, j));
        A_hat(i, j) = coefficient<B>(t.A_hat(i, j));
      }
    }
    PivotedLU<Element, dynamic> lu(free_stages());
    for (int i = 0; i < free_stages(); ++i)
      for (int k = 0; k < free_stages(); ++k) {
        lu.a(i, k) = 0;
        for (int j = 0; j < stages; ++j) lu.a(i, k) += t.A(i + fixed, j) * t.A_hat(j, k);
      }
    lu.factor();
    for (int k = 0; k < free_stages(); ++k) {
      Vector<Element, dynamic> column = Vector<Element, dynamic>::Zero(free_stages());
      column[k] = 1;
      lu.solve(column);
      for (int i = 0; i < free_stages(); ++i) inverse_(i, k) = coefficient<B>(column[i]);
    }
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

  // Slopes at the stages and the residuals of (3.11): blocks Z, Y, g.
  void evaluate(const P& s, const Vec& q0, const Vec& p0, const T& h) {
    for (int j = 0; j < stages; ++j) {
      Q[at(j)] = q0 + Z[at(j)];
      P_[at(j)] = p0 + Y[at(j)];
      H_p(s, Q[at(j)], P_[at(j)], velocity[at(j)]);
      H_q(s, Q[at(j)], P_[at(j)], force[at(j)]);
      force[at(j)] *= h;
      if (j < free_stages()) {
        s.G(Q[at(j)], G[at(j)]);
        work_.setZero();
        G[at(j)].subtract_transpose(L[at(j)], work_);
        force[at(j)] -= work_;  // h (H_q + GᵀΛ)
      }
    }
    for (int i = 0; i < stages; ++i) {
      auto y = residual_.segment(free_stages() * n_ + i * n_, n_);
      y = Y[at(i)];
      for (int j = 0; j < stages; ++j) y += T(A_hat(i, j)) * force[at(j)];  // (J2)
      if (i < fixed) continue;
      auto z = residual_.segment((i - fixed) * n_, n_);
      z = Z[at(i)];
      for (int j = 0; j < stages; ++j) z -= (h * T(A(i, j))) * velocity[at(j)];  // (J1)
      s.g(Q[at(i)], work_m_);
      residual_.segment((free_stages() + stages) * n_ + (i - fixed) * m_, m_) = work_m_;  // (J3)
    }
  }

  void rounding_units(const Vec& q0, const Vec& p0, const typename P::Jacobian& G0,
                      Vector<Real<T>, dynamic>& unit) {
    const Real<T> half(epsilon<T>() / 2);
    Real<T> q_size(0), p_size(0);
    for (int i = 0; i < n_; ++i) {
      reach_[i] = magnitude(q0[i]) + magnitude(Q[at(stages - 1)][i]);
      q_size = larger(q_size, reach_[i]);
      p_size = larger(p_size, magnitude(p0[i]) + magnitude(Y[at(stages - 1)][i]));
    }
    raise_vanishing(reach_);
    G0.row_bounds(reach_, bound_);
    unit.head(free_stages() * n_).setConstant(half * q_size);
    unit.segment(free_stages() * n_, stages * n_).setConstant(half * p_size);
    for (int i = 0; i < free_stages(); ++i)
      unit.segment((free_stages() + stages) * n_ + i * m_, m_) = half * bound_;
  }

  // One simplified Newton correction; see the theory page for the elimination.
  void correct(const P& s, const Vec& q0, const Vec& p0, const typename P::Jacobian& G0, const T& h,
               const Mask<T>& active) {
    const auto rz = [&](int i) { return residual_.segment((i - fixed) * n_, n_); };
    const auto ry = [&](int i) { return residual_.segment(free_stages() * n_ + i * n_, n_); };
    const auto rg = [&](int i) {
      return residual_.segment((free_stages() + stages) * n_ + (i - fixed) * m_, m_);
    };
    for (int j = 0; j < stages; ++j) {
      work_ = ry(j);
      H_pp_times(s, q0, p0, work_, rate_[at(j)]);
    }
    for (int i = fixed; i < stages; ++i) {
      work_ = rz(i);
      for (int j = 0; j < stages; ++j) work_ += (h * T(A(i, j))) * rate_[at(j)];
      G0.times(work_, work_m_);
      right_[at(i)] = rg(i) - work_m_;
      matrix_.solve(right_[at(i)]);  // (J4)
    }
    for (int j = 0; j < free_stages(); ++j) {
      work_m_.setZero();
      for (int k = 0; k < free_stages(); ++k) work_m_ += T(inverse_(j, k)) * right_[at(k + fixed)];
      work_m_ /= h;
      add_active(active, L[at(j)], work_m_);
      work_.setZero();
      G0.subtract_transpose(work_m_, work_);
      force[at(j)] = -work_;  // G₀ᵀ ΔL: the slopes are no longer needed
    }
    for (int i = 0; i < stages; ++i) {
      work_ = -ry(i);
      for (int j = 0; j < free_stages(); ++j) work_ -= T(A_hat(i, j)) * force[at(j)];  // (J5)
      add_active(active, Y[at(i)], work_);
      H_pp_times(s, q0, p0, work_, rate_[at(i)]);
    }
    for (int i = fixed; i < stages; ++i) {
      work_ = -rz(i);
      for (int j = 0; j < stages; ++j) work_ += (h * T(A(i, j))) * rate_[at(j)];  // (J6)
      add_active(active, Z[at(i)], work_);
    }
  }

  template <class V>
  static void add_active(const Mask<T>& active, V& x, const V& d) {
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = select(active, T(x[i] + d[i]), x[i]);
  }

  ConstraintMatrix<P> matrix_;
  PerStage<Vec, s_> rate_;
  PerStage<Multiplier, s_> right_;
  int n_, m_;
  Vector<T, dynamic> residual_;
  Vector<Real<T>, dynamic> unit_;
  Vector<Real<T>, P::n> reach_;
  Vector<Real<T>, P::m> bound_;
  Vec work_;
  Multiplier work_m_;
};

}  // namespace taut
