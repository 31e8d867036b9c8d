// Baumgarte's stabilisation: λ(q, p) makes the residuals decay, g'' + 2g' + g = 0. The underlying ODE lets
// them grow. Labels: docs/theory/baumgarte.md.
#pragma once

#include <taut/formulation/hidden_constraint.hpp>

namespace taut {

template <Smooth P>
class BaumgarteField {
 public:
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  explicit BaumgarteField(const P& s)
      : lambda(zero_multiplier(s)), residual_(lambda), hidden_(s), minus_force_(zero_vector(s)) {}

  typename P::Multiplier lambda;

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!hidden_.evaluate(s, q, p)) return false;
    minus_force_ = -hidden_.force;
    hidden_.rate(q, p, hidden_.velocity, minus_force_, lambda);
    s.g(q, residual_);
    lambda += residual_ + typename P::Scalar(2) * hidden_.psi;
    hidden_.C.solve(lambda);   // (BG1)
    q_dot = hidden_.velocity;  // (BG2)
    p_dot = minus_force_;
    hidden_.G.subtract_transpose(lambda, p_dot);  // (BG3)
    return true;
  }

 private:
  typename P::Multiplier residual_;
  HiddenConstraint<P> hidden_;
  Vec minus_force_;
};

struct Baumgarte {
  static constexpr FormulationFacts facts{
      .name = "baumgarte",
      .what = "q' = H_p, p' = -H_q - G'lambda(q,p): residuals of g decay like exp(-t) off M",
      .hypothesis = "G of full row rank, H_pp positive definite",
      .source = "Baumgarte 1972",
      .theory = "baumgarte"};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = BaumgarteField<P>;
};

}  // namespace taut
