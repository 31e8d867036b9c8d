// The linear algebra of the midpoint rule for systems of particles: V'' is sparse there, and so is all that
// is factored. Labels: docs/theory/implicit-midpoint.md.
#pragma once

#include <taut/formulation/sparse_constraint_matrix.hpp>
#include <taut/method/implicit_midpoint.hpp>
#include <taut/solve/matrix/saddle_factor.hpp>

#include <Eigen/SparseCholesky>

#include <cmath>
#include <optional>

namespace taut {

// The matrix K = h G₁ S⁻¹ G₀ᵀ, S = M + (h²/4) V'': ∂q₁/∂μ of the midpoint rule.
template <class P>
class MidpointConstraintMatrix {
 public:
  // The position solve keeps its factor, because a new one is most of the work.
  static constexpr bool keeps_factor = true;
  using Jacobian = typename P::Jacobian;
  using Multiplier = typename P::Multiplier;

  explicit MidpointConstraintMatrix(const P& s) : problem_(s), plain_(s) {}

  // Refers to S and G0, which must stay where they are until the last solve with them.
  void right(const SparseMatrix& S, const Jacobian& G0, double h) {
    S_ = &S;
    G0_ = &G0;
    h_ = h;
  }
  void assemble(const Jacobian& G1) { G1_ = &G1; }
  // Factors K. Returns -1, or a constraint that depends on others.
  int factor() {
    if (saddle_.compute(*S_, *G0_, *G1_, problem_.constraints())) return -1;
    assemble_plain();
    return std::max(0, plain_.factor());
  }
  void solve(Multiplier& b) const {
    saddle_.solve(b);
    b /= h_;
  }
  // Sweeps with K for h → 0, because rows of the full matrix are never formed.
  int sweep(Multiplier& b) {
    assemble_plain();
    return plain_.sweep(b);
  }

 private:
  void assemble_plain() {
    const typename P::Vec none = zero_vector(problem_);
    plain_.right(problem_, none, none, *G0_, h_);
    plain_.assemble(*G1_);
  }

  P problem_;
  SaddleFactor saddle_;
  ConstraintMatrix<P> plain_;
  const SparseMatrix* S_ = nullptr;
  const Jacobian *G0_ = nullptr, *G1_ = nullptr;
  double h_ = 1;
};

// The matrix A = I - (h/2) J H'' for H = ½ pᵀWp + V, by way of S.
template <class P>
class SparseMidpointMatrix {
 public:
  using Tangent = Dual<double, 3>;  // along each direction of space
  using Cast = decltype(std::declval<const P&>().template cast<Tangent>());

  explicit SparseMidpointMatrix(const P& s)
      : mass_(zero_vector(s)), tangent_(s.template cast<Tangent>()), q_(zero_vector(tangent_)) {
    for (Eigen::Index j = 0; j < mass_.size(); ++j) mass_[j] = 1 / s.W().weight(static_cast<int>(j));
  }

  template <class X>
  Expected<int> prepare(const X& x, double h) {
    h_ = h;
    for (Eigen::Index j = 0; j < q_.size(); ++j) q_[j] = Tangent(x.q[j]);
    entries_.clear();
    bool sound = true;
    for (Eigen::Index j = 0; j < mass_.size(); ++j) entries_.emplace_back(j, j, mass_[j]);
    tangent_.curvature(q_, [&](int i, int j, double second) {
      sound = sound && std::isfinite(second);
      entries_.emplace_back(i, j, h * h / 4 * second);
    });
    if (!sound) return Failure{.kind = FailureKind::not_finite, .stage = SolveStage::inner};
    S_.resize(mass_.size(), mass_.size());
    S_.setFromTriplets(entries_.begin(), entries_.end());
    if (!ldlt_.compute(S_)) return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    return 0;
  }

  // Solves r ← A⁻¹ r with r = (a, b): S x = M a + (h/2) b, y = (2/h) M (x - a).
  template <class Residual>
  void solve(Residual& r) const {
    const Eigen::Index n = mass_.size();
    const Eigen::VectorXd x = ldlt_.solve(mass_.cwiseProduct(r.head(n)) + h_ / 2 * r.tail(n));
    r.tail(n) = 2 / h_ * mass_.cwiseProduct(x - r.head(n));
    r.head(n) = x;
  }

  template <class Jacobian, class Matrix>
  void response(const Jacobian& G, Matrix& K) const {
    K.right(S_, G, h_);
  }

 private:
  Eigen::VectorXd mass_;
  Cast tangent_;
  typename Cast::Vec q_;
  double h_ = 1;
  SparseEntries entries_;
  SparseMatrix S_;
  PatternKept<Eigen::SimplicialLDLT<SparseMatrix>> ldlt_;
};

}  // namespace taut
