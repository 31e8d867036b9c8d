// Residuals that come back to M: λ(q, p) makes them decay, g'' + 2g' + g = 0. The underlying ODE lets
// them grow. Labels: docs/theory/restoring.md.
#pragma once

#include <taut/formulation/hidden_constraint.hpp>

namespace taut {

template <Smooth P>
class RestoringField {
 public:
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  explicit RestoringField(const P& s)
      : lambda(zero_multiplier(s)), residual_(lambda), hidden_(s), minus_force_(zero_vector(s)) {}

  typename P::Multiplier lambda;

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!hidden_.evaluate(s, q, p)) return false;
    minus_force_ = -hidden_.force;
    hidden_.rate(q, p, hidden_.velocity, minus_force_, lambda);
    s.g(q, residual_);
    lambda += residual_ + typename P::Scalar(2) * hidden_.psi;
    hidden_.C.solve(lambda);   // (RS1)
    q_dot = hidden_.velocity;  // (RS2)
    p_dot = minus_force_;
    hidden_.G.subtract_transpose(lambda, p_dot);  // (RS3)
    return true;
  }

 private:
  typename P::Multiplier residual_;
  HiddenConstraint<P> hidden_;
  Vec minus_force_;
};

struct Restoring {
  static constexpr FormulationFacts facts{
      .name = "restoring",
      .what = "q' = H_p, p' = -H_q - G'lambda(q,p): residuals of g decay like exp(-t) off M",
      .hypothesis = "G of full row rank, H_pp positive definite",
      .source = "Baumgarte 1972, with alpha = beta = 1",
      .theory = "restoring"};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = RestoringField<P>;
};

}  // namespace taut
