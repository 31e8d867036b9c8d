// The hidden constraint ψ = G H_p and its first derivatives, contracted with vectors, for any H(q, p). All
// underlying differential equations are made from it. Each contraction is one pass with dual numbers. Labels:
// docs/theory/hidden-constraint.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/formulation/formulation.hpp>
#include <taut/scalar/dual.hpp>

namespace taut {

template <Smooth P>
class HiddenConstraint {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  using Along = Dual<T, 1>;
  using Lifted = Cast<P, Along>;

  explicit HiddenConstraint(const P& s)
      : G(s.make_jacobian()),
        C(s),
        velocity(zero_vector(s)),
        force(velocity),
        psi(zero_multiplier(s)),
        lifted_(s.template cast<Along>()),
        G1_(lifted_.make_jacobian()),
        q1_(zero_vector(lifted_)),
        p1_(q1_),
        v1_(q1_),
        l1_(zero_multiplier(lifted_)),
        f1_(l1_),
        work_(velocity),
        minus_(psi) {}

  typename P::Jacobian G;
  ConstraintMatrix<P> C;  // {φ, ψ} = G H_pp Gᵀ, factored
  Vec velocity, force;    // H_p, H_q
  Multiplier psi;

  // Computes all of the above at (q, p); returns false if C is singular.
  bool evaluate(const P& s, const Vec& q, const Vec& p) {
    s.G(q, G);
    C.right(s, q, p, G, T(1));
    C.assemble(G);
    if (C.factor() >= 0) return false;
    H_p(s, q, p, velocity);
    H_q(s, q, p, force);
    G.times(velocity, psi);  // (HC1)
    return true;
  }

  // out = ψ_q dq + ψ_p dp                                                                              (HC2)
  void rate(const Vec& q, const Vec& p, const Vec& dq, const Vec& dp, Multiplier& out) {
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      q1_[i] = Along(q[i]);
      q1_[i].tangent[0] = dq[i];
      p1_[i] = Along(p[i]);
      p1_[i].tangent[0] = dp[i];
    }
    lifted_.G(q1_, G1_);
    H_p(lifted_, q1_, p1_, v1_);
    G1_.times(v1_, f1_);
    for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = f1_[i].tangent[0];
  }

  // Forms by_q = ψ_qᵀη and by_p = ψ_pᵀη; needs evaluate() before.
  void contract(const P& s, const Vec& q, const Vec& p, const Multiplier& eta, Vec& by_q, Vec& by_p) {
    minus_ = -eta;
    work_.setZero();
    G.subtract_transpose(minus_, work_);  // Gᵀη
    H_pp_times(s, q, p, work_, by_p);     // (HC3)
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      q1_[i] = Along(q[i]);
      q1_[i].tangent[0] = velocity[i];
    }
    lifted_.G(q1_, G1_);
    for (Eigen::Index i = 0; i < eta.size(); ++i) l1_[i] = Along(minus_[i]);
    v1_.setZero();
    G1_.subtract_transpose(l1_, v1_);  // its tangent is the derivative of G along H_p, transposed, times η
    for (Eigen::Index i = 0; i < q.size(); ++i) by_q[i] = v1_[i].tangent[0];  // (HC4)
    if (!is_natural(s)) {
      for (Eigen::Index i = 0; i < q.size(); ++i) {
        q1_[i] = Along(q[i]);
        p1_[i] = Along(p[i]);
        p1_[i].tangent[0] = work_[i];
      }
      H_q(lifted_, q1_, p1_, v1_);
      for (Eigen::Index i = 0; i < q.size(); ++i) by_q[i] += v1_[i].tangent[0];
    }
  }

 private:
  Lifted lifted_;
  typename Lifted::Jacobian G1_;
  typename Lifted::Vec q1_, p1_, v1_;
  typename Lifted::Multiplier l1_, f1_;
  Vec work_;
  Multiplier minus_;
};

}  // namespace taut
