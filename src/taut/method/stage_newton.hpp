// The matrix of the stage equations (J1) to (J3) with nothing left out: H_qq, H_qp and the derivative of GᵀL
// come from dual numbers. It is dense, so it is for the steps at which the simplified iteration of
// stage_solve.hpp does not converge: stiff forces, long steps, positions near a singular one. Labels:
// docs/theory/stage-solve.md.
#pragma once

#include <taut/problem/tiers.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/residual_size.hpp>
#include <taut/solve/scaled_lu.hpp>

#include <utility>

namespace taut {

// A dense matrix with more rows than this is not formed: its factor would take seconds a step.
inline constexpr int most_stage_rows = 1200;
// With more than this a step that fails is not tried in the last of the ways to damp it: it would take long
// to say that it failed.
inline constexpr int most_rows_tried_again = 240;

// The problem on dual numbers is needed. The lanes of a pack would need a damping each, and exchanges of rows
// that differ.
template <class P, class U>
concept CastableTo = Castable<P> && requires(const P& s) {
  requires std::is_same_v<typename std::remove_cvref_t<decltype(s.template cast<U>())>::Scalar, U>;
};
template <class P>
inline constexpr bool has_stage_newton =
    CastableTo<P, Dual<Base<typename P::Scalar>, 1>> && ScalarTraits<typename P::Scalar>::lanes == 1;

// The places of the unknowns Zᵢ, Yᵢ, Lⱼ in one vector, and of their equations alike.
struct StageLayout {
  int n, m, stages, fixed;

  int free() const { return stages - fixed; }
  int Z(int i) const { return (i - fixed) * n; }
  int Y(int i) const { return (free() + i) * n; }
  int L(int j) const { return (free() + stages) * n + j * m; }
  int g(int i) const { return L(i - fixed); }
  int size() const { return L(free()); }
};

template <Hamiltonian P>
class StageMatrix {
 public:
  using T = typename P::Scalar;
  using B = Base<T>;
  using Tangent = Dual<B, 1>;
  using Cast = decltype(std::declval<const P&>().template cast<Tangent>());

  StageMatrix(const P& s, const StageLayout& layout)
      : at_(layout),
        tangent_(s.template cast<Tangent>()),
        lu_(layout.size()),
        q_(zero_vector(tangent_)),
        p_(q_),
        velocity_(q_),
        force_(q_),
        minus_L_(zero_multiplier(tangent_)),
        G_(tangent_.make_jacobian()) {}

  const StageLayout& layout() const { return at_; }

  // Forms the matrix at the stages, with the coefficients A and Â.
  template <class Stage>
  void form(const Stage& stage, const T& h) {
    lu_.a().setZero();
    for (int k = 0; k < at_.size(); ++k) lu_.a()(k, k) = B(k < at_.L(0) ? 1 : 0);
    for (int j = 0; j < at_.stages; ++j) {
      by_positions(stage, j, base(h));
      by_momenta(stage, j, base(h));
      by_impulses(stage, j);
    }
  }
  // Returns -1, or the number of a column that has no pivot.
  int factor() { return lu_.factor(); }
  void solve(Vector<T, dynamic>& r) const { lu_.solve(r); }

 private:
  template <class Stage>
  void take_stage(const Stage& stage, int j) {
    const auto k = static_cast<std::size_t>(j);
    for (int i = 0; i < at_.n; ++i) {
      q_[i] = Tangent(base(stage.Q[k][i]));
      p_[i] = Tangent(base(stage.P_[k][i]));
    }
    for (int i = 0; i < at_.m; ++i) minus_L_[i] = Tangent(j < at_.free() ? -base(stage.L[k][i]) : B(0));
  }
  // Adds what a column of H_p and of h H_q + GᵀL at stage j contributes to the equations of all stages.
  template <class Stage>
  void add_column(const Stage& stage, int j, int column, const B& h) {
    for (int i = 0; i < at_.stages; ++i)
      for (int k = 0; k < at_.n; ++k) {
        if (i >= at_.fixed)
          lu_.a()(at_.Z(i) + k, column) -= h * B(stage.A.whole(i, j)) * velocity_[k].tangent[0];
        lu_.a()(at_.Y(i) + k, column) += B(stage.A_hat.whole(i, j)) * force_[k].tangent[0];
      }
  }
  template <class Stage>
  void by_positions(const Stage& stage, int j, const B& h) {
    if (j < at_.fixed) return;
    take_stage(stage, j);
    velocity_.setZero();
    for (int k = 0; k < at_.n; ++k) {
      q_[k].tangent[0] = B(1);
      if (!is_natural(tangent_)) H_p(tangent_, q_, p_, velocity_);
      H_q(tangent_, q_, p_, force_);
      force_ *= Tangent(h);
      tangent_.G(q_, G_);
      G_.subtract_transpose(minus_L_, force_);
      q_[k].tangent[0] = B(0);
      add_column(stage, j, at_.Z(j) + k, h);
    }
    stage.G[static_cast<std::size_t>(j)].for_each(
        [&](int row, int k, const T& entry) { lu_.a()(at_.g(j) + row, at_.Z(j) + k) = base(entry); });
  }
  template <class Stage>
  void by_momenta(const Stage& stage, int j, const B& h) {
    take_stage(stage, j);
    force_.setZero();
    for (int k = 0; k < at_.n; ++k) {
      p_[k].tangent[0] = B(1);
      H_p(tangent_, q_, p_, velocity_);
      if (!is_natural(tangent_)) {
        H_q(tangent_, q_, p_, force_);
        force_ *= Tangent(h);
      }
      p_[k].tangent[0] = B(0);
      add_column(stage, j, at_.Y(j) + k, h);
    }
  }
  template <class Stage>
  void by_impulses(const Stage& stage, int j) {
    if (j >= at_.free()) return;
    stage.G[static_cast<std::size_t>(j)].for_each([&](int column, int k, const T& entry) {
      for (int i = 0; i < at_.stages; ++i)
        lu_.a()(at_.Y(i) + k, at_.L(j) + column) += B(stage.A_hat.whole(i, j)) * base(entry);
    });
  }

  StageLayout at_;
  Cast tangent_;    // the same problem on dual numbers
  ScaledLU<B> lu_;  // positions, momenta and impulses have different units
  typename Cast::Vec q_, p_, velocity_, force_;
  typename Cast::Multiplier minus_L_;
  typename Cast::Jacobian G_;
};

// At most so many corrections are tried.
inline constexpr int stage_newton_limit = 100;
// A correction is not damped below this part of its length: the equations have no solution nearby.
inline constexpr double least_damping = 0x1p-12;

// Corrects what a number carries besides its value. Tangents follow from a linear system, whose matrix is
// that of the solution: one correction finds them, a second mends its rounding.
template <class T, class Equations>
int correct_tangents([[maybe_unused]] Equations& equations) {
  if constexpr (is_float<T>) {
    return 0;
  } else {
    Vector<T, dynamic> d;
    for (int k = 0; k < 2; ++k) {
      if (equations.form_matrix() >= 0) return k;
      equations.residual(d);
      equations.solve(d);
      equations.keep();
      equations.move(d, Base<T>(-1));
      equations.evaluate();
    }
    return 2;
  }
}

// What a shortened correction must make smaller: the next correction, with the same matrix (Deuflhard's
// natural test, which needs no units in which to compare residuals of different kinds), or the residual in
// units of rounding, or in the units of q, p and g as they stand. Far from a solution each may find one that
// the others miss.
enum class DampedBy { next_correction, residual, plain_residual };
// The last begins each correction at its full length, and takes more tries.
inline int damping_limit(DampedBy damped_by) {
  return damped_by == DampedBy::plain_residual ? 4 * stage_newton_limit : stage_newton_limit;
}

template <class T, class Equations>
auto size_of_residual(const Equations& equations, [[maybe_unused]] DampedBy damped_by) {
  if constexpr (requires { equations.plain_residual(); })
    if (damped_by == DampedBy::plain_residual) return equations.plain_residual();
  return equations.residual_in_units();
}

// Finds the stages by Newton's iteration with a new matrix each time, damped. Equations offers
//     evaluate()          forms the residual at the unknowns
//     residual(r)         writes it into one vector
//     form_matrix()       forms the matrix there and factors it; -1, or the column without a pivot
//     solve(r)            r ← matrix⁻¹ r
//     move(d, t)          adds t d to the unknowns as they were at the last keep()
//     keep()              remembers the unknowns
//     set_units()         takes the units of rounding from the present unknowns
//     in_units(d)         the size of a correction in them
//     residual_in_units() that of the residual
//     plain_residual()    the same in the units of q, p and g; asked for if it is there
//     solved()            asks whether a stated tolerance is met
//     is_sharp()          asks whether what must vanish does, to rounding
//     sound()             asks whether the residual is finite
//     failure(kind, k)    describes the residual after k corrections
// Returns the number of corrections.
template <class T, class Equations>
Expected<int> damped_newton(Equations& equations, DampedBy damped_by, int limit, double noise) {
  using R = Real<Base<T>>;
  Vector<T, dynamic> d, next;
  equations.evaluate();
  int corrections = 0;
  if (!equations.sound()) return equations.failure(FailureKind::not_finite, 0);
  for (R t(1); corrections < limit;) {
    if (equations.solved()) return corrections;
    equations.set_units();
    if (equations.form_matrix() >= 0) return equations.failure(FailureKind::not_converged, corrections);
    equations.residual(d);
    equations.solve(d);
    const R size = equations.in_units(d), off = size_of_residual<T>(equations, damped_by);
    equations.keep();
    const bool starts_long = damped_by == DampedBy::plain_residual;
    for (t = t < R(0.5) && !starts_long ? R(4) * t : R(1);; t /= R(2)) {
      equations.move(d, -t);
      equations.evaluate();
      ++corrections;
      if (equations.sound()) {
        equations.residual(next);
        equations.solve(next);
        const R left = equations.in_units(next);
        const bool stagnates = t == R(1) && size <= R(noise) && left >= size / R(2);
        if ((size <= R(1) || stagnates) && equations.is_sharp())
          return corrections + correct_tangents<T>(equations);
        const bool is_better = damped_by == DampedBy::next_correction
                                   ? left <= (R(1) - t / R(4)) * size
                                   : size_of_residual<T>(equations, damped_by) <= (R(1) - t / R(8)) * off;
        if (is_better) break;
      }
      if (t < R(least_damping)) return equations.failure(FailureKind::not_converged, corrections);
    }
  }
  return equations.failure(FailureKind::not_converged, corrections);
}

}  // namespace taut
