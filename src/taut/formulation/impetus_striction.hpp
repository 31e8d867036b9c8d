// Hamilton's equations of H(q, p - Gᵀμ), in which the velocity p - Gᵀμ is always tangent: the impetus p and
// the striction μ of Seiler's section 7. Labels: docs/theory/impetus-striction.md.
#pragma once

#include <taut/formulation/formulation.hpp>
#include <taut/formulation/momentum_solve.hpp>
#include <taut/scalar/dual.hpp>

namespace taut {

template <Smooth P>
class ImpetusStrictionField {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  // p is an impetus inside a step, and a momentum of the problem outside.
  static constexpr bool reduced = true;

  explicit ImpetusStrictionField(const P& s)
      : mu(zero_multiplier(s)),
        size_(s.coordinates()),
        G_(s.make_jacobian()),
        momentum_(s),
        at_{zero_vector(s), zero_vector(s)},
        lifted_(s.template cast<Along>()),
        G1_(lifted_.make_jacobian()),
        q1_(zero_vector(lifted_)),
        turn_(q1_),
        mu1_(zero_multiplier(lifted_)) {}

  typename P::Multiplier mu;

  int parameters() const { return size_; }

  Expected<int> enter(const P&, const Vec& q, const Vec& p, Vec& position, Vec& impetus) const {
    position = q;
    impetus = p;  // μ = 0
    return 0;
  }
  Expected<int> leave(const P& s, const Vec& position, const Vec& impetus, Vec& q, Vec& p) {
    const auto found = find_striction(s, position, impetus);
    q = position;
    p = at_.p;  // (IS1)
    return found;
  }

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!find_striction(s, q, p)) return false;
    H_p(s, q, at_.p, q_dot);  // (IS2)
    H_q(s, q, at_.p, p_dot);
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      q1_[i] = Along(q[i]);
      q1_[i].tangent[0] = q_dot[i];
    }
    lifted_.G(q1_, G1_);
    for (Eigen::Index i = 0; i < mu.size(); ++i) mu1_[i] = Along(mu[i]);
    turn_.setZero();
    G1_.subtract_transpose(mu1_, turn_);  // its tangent is -(G')ᵀμ along q'
    for (Eigen::Index i = 0; i < q.size(); ++i) p_dot[i] = -p_dot[i] - turn_[i].tangent[0];  // (IS3)
    return true;
  }

 private:
  using Along = Dual<T, 1>;
  using Lifted = Cast<P, Along>;

  // Finds μ with G H_p(q, p - Gᵀμ) = 0, and puts that point into at_.                                  (IS1)
  Expected<int> find_striction(const P& s, const Vec& q, const Vec& p) {
    at_.q = q;
    at_.p = p;
    s.G(q, G_);
    mu.setZero();
    return momentum_.project(s, SolveOptions{}, at_, G_, mu);
  }

  int size_;
  typename P::Jacobian G_;
  MomentumSolve<P> momentum_;
  StateOf<P> at_;
  Lifted lifted_;
  typename Lifted::Jacobian G1_;
  typename Lifted::Vec q1_, turn_;
  typename Lifted::Multiplier mu1_;
};

struct ImpetusStriction {
  static constexpr FormulationFacts facts{
      .name = "impetus-striction",
      .what = "Hamilton's equations of H(q, p - G'mu), G H_p = 0: g is a first integral for every p",
      .hypothesis = "G of full row rank, H_pp positive definite",
      .source = "Seiler 7; Dichmann-Maddocks",
      .theory = "impetus-striction"};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = ImpetusStrictionField<P>;
};

}  // namespace taut
