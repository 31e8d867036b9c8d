// Asks whether M is stable under a formulation. Near M the residuals χ = (g, G H_p) obey χ' = K(t) χ to first
// order, with K taken along the trajectory on M. The eigenvalues of K say whether numerical errors oscillate
// about M, grow exponentially, grow like a power of t, or stay. Labels: docs/theory/manifold-stability.md.
#pragma once

#include <taut/formulation/bracket.hpp>
#include <taut/measure/manifold_character.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <span>
#include <vector>

namespace taut {

struct ResidualMatrix {
  Eigen::MatrixXd K;  // 2m x 2m, for (g, G H_p)
  double scale = 0;   // size of the terms of which K is the sum
};

// Returns K at a point of M. χ'(x) = χ_x F vanishes on M, so its derivative along any vector N with χ_x N =
// e_j is
// column j of K.                                                                                     (MS1)
template <class Formulation, Smooth P>
Expected<ResidualMatrix> residual_matrix(const Formulation& formulation, const P& s, const StateOf<P>& x) {
  using Outer = Dual<double, 1>;
  using Inner = Dual<Outer, 1>;
  static_assert(!reduced_by_type<typename Formulation::template Field<P>>,
                "coordinates on M have no residuals");
  const ConstraintFunctions<P> chi{s};
  const int n = s.coordinates(), k = 2 * s.constraints();
  const auto d = derivative(chi, x.q, x.p);
  Eigen::MatrixXd slope(k, 2 * n);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < n; ++j) {
      slope(i, j) = lane(d.q(i, j), 0);
      slope(i, n + j) = lane(d.p(i, j), 0);
    }
  PivotedLU<double, dynamic> gram(k);
  gram.a = slope.lazyProduct(slope.transpose());
  if (const int pivot = gram.factor(); pivot >= 0)
    return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
  const auto lifted = s.template cast<Outer>();
  auto field = make_field(formulation, lifted);
  auto q = zero_vector(lifted), p = q, q_dot = q, p_dot = q;
  Vector<Inner, P::n> q2 = Vector<Inner, P::n>::Zero(n), p2 = q2;
  ResidualMatrix result{Eigen::MatrixXd::Zero(k, k)};
  Eigen::VectorXd unit(k), normal(2 * n);
  for (int j = 0; j < k; ++j) {
    unit = Eigen::VectorXd::Unit(k, j);
    gram.solve(unit);
    normal = slope.transpose().lazyProduct(unit);  // χ_x N = e_j
    for (int i = 0; i < n; ++i) {
      q[i] = Outer(lane(x.q[i], 0));
      q[i].tangent[0] = normal[i];
      p[i] = Outer(lane(x.p[i], 0));
      p[i].tangent[0] = normal[n + i];
    }
    if (!field(lifted, q, p, q_dot, p_dot))
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    double size = 0;
    for (int i = 0; i < n; ++i) {
      q2[i] = Inner(q[i]);
      q2[i].tangent[0] = q_dot[i];
      p2[i] = Inner(p[i]);
      p2[i].tangent[0] = p_dot[i];
      size = std::max({size, std::abs(q_dot[i].tangent[0]), std::abs(p_dot[i].tangent[0])});
    }
    const auto rate = ConstraintFunctions<P>{s}(q2, p2);
    for (int i = 0; i < k; ++i) result.K(i, j) = rate[i].tangent[0].tangent[0];
    result.scale = std::max(result.scale, size * slope.lpNorm<Eigen::Infinity>());
  }
  return result;
}

// Returns the rank, found by elimination with full pivoting; pivots up to `zero` count as none.
inline int rank_of(Eigen::MatrixXd a, double zero) {
  const Eigen::Index n = a.rows();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index row = 0, column = 0;
    if (a.bottomRightCorner(n - k, n - k).cwiseAbs().maxCoeff(&row, &column) <= zero)
      return static_cast<int>(k);
    a.row(k).swap(a.row(k + row));
    a.col(k).swap(a.col(k + column));
    for (Eigen::Index i = k + 1; i < n; ++i) a.row(i) -= (a(i, k) / a(k, k)) * a.row(k);
  }
  return static_cast<int>(n);
}

// Classifies K by its eigenvalues. Rounding turns an eigenvalue 0 with a Jordan block of size j into one of
// size ε^(1/j): below 1e-5 of the size of K it counts as 0.
inline ManifoldStability character_of(const ResidualMatrix& at) {
  ManifoldStability result;
  const double size = at.K.lpNorm<Eigen::Infinity>();
  const Eigen::VectorXcd values = at.K.eigenvalues();
  result.eigenvalues.assign(values.begin(), values.end());
  std::sort(result.eigenvalues.begin(), result.eigenvalues.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  const double zero = 1e-5 * size;
  int zeros = 0;
  bool grows = false, decays = true;
  for (const auto& value : result.eigenvalues) {
    zeros += std::abs(value) <= zero ? 1 : 0;
    grows = grows || value.real() > zero;
    decays = decays && value.real() < -zero;
  }
  if (size <= 1e-10 * std::max(at.scale, 1.0)) {
    result.character = ManifoldCharacter::neutral;
  } else if (grows) {
    result.character = ManifoldCharacter::saddle;
  } else if (decays) {
    result.character = ManifoldCharacter::attracting;
  } else {
    const int kernel = static_cast<int>(at.K.rows()) - rank_of(at.K, 1e-8 * size);
    result.character = zeros > kernel ? ManifoldCharacter::weakly_unstable : ManifoldCharacter::centre;
    if (zeros == static_cast<int>(at.K.rows()) && kernel == zeros)
      result.character = ManifoldCharacter::neutral;
  }
  return result;
}

// What happens to small residuals along a whole trajectory.
struct TrajectoryStability {
  std::vector<ManifoldStability> points;
  ManifoldCharacter worst = ManifoldCharacter::attracting;
  Eigen::MatrixXd transition;  // χ(end) = transition χ(start), to first order
  double growth = 1;           // the largest entry of the transition matrix met on the way
};

// Follows the residuals along `count` states that are h apart on a trajectory on M: solves Y' = K(t) Y,
// Y(0) = 1 by the implicit midpoint rule between them. matrix(i) returns K at state i.               (MS2)
template <class Matrix>
Expected<TrajectoryStability> followed_residuals(std::size_t count, double h, Matrix&& matrix) {
  TrajectoryStability result;
  Eigen::MatrixXd one, before;
  for (std::size_t i = 0; i < count; ++i) {
    const Expected<ResidualMatrix> at = matrix(i);
    if (!at) return at.error();
    const Eigen::Index k = at->K.rows();
    if (i == 0) result.transition = one = Eigen::MatrixXd::Identity(k, k);
    result.points.push_back(character_of(*at));
    result.worst = std::max(result.worst, result.points.back().character);
    if (before.size() > 0) {
      const Eigen::MatrixXd half = (h / 4) * (before + at->K);
      PivotedLU<double, dynamic> left(static_cast<int>(k));
      left.a = one - half;
      if (left.factor() >= 0) return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
      const Eigen::MatrixXd right = (one + half).lazyProduct(result.transition);
      for (Eigen::Index j = 0; j < k; ++j) {
        Eigen::VectorXd column = right.col(j);
        left.solve(column);
        result.transition.col(j) = column;
      }
      result.growth = std::max(result.growth, result.transition.lpNorm<Eigen::Infinity>());
    }
    before = at->K;
  }
  return result;
}

template <class Formulation, Smooth P>
Expected<TrajectoryStability> manifold_stability(const Formulation& formulation, const P& s,
                                                 std::span<const StateOf<P>> states, double h) {
  return followed_residuals(states.size(), h,
                            [&](std::size_t i) { return residual_matrix(formulation, s, states[i]); });
}

}  // namespace taut
