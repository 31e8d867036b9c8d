// Baumgarte's stabilisation: the underlying ODE with a λ(q, p) that lets the residuals decay, g'' + 2α g' +
// β² g = 0. Labels: docs/theory/baumgarte.md.
#pragma once

#include <taut/formulation/hidden_constraint.hpp>

#include <array>

namespace taut {

template <Smooth P>
class BaumgarteField {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  BaumgarteField(const P& s, double alpha, double beta)
      : lambda(zero_multiplier(s)),
        twice_alpha_(2 * alpha),
        beta_squared_(beta * beta),
        residual_(lambda),
        hidden_(s),
        minus_force_(zero_vector(s)) {}

  typename P::Multiplier lambda;

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!hidden_.evaluate(s, q, p)) return false;
    minus_force_ = -hidden_.force;
    hidden_.rate(q, p, hidden_.velocity, minus_force_, lambda);
    s.g(q, residual_);
    lambda += T(twice_alpha_) * hidden_.psi + T(beta_squared_) * residual_;
    hidden_.C.solve(lambda);   // (BG1)
    q_dot = hidden_.velocity;  // (BG2)
    p_dot = minus_force_;
    hidden_.G.subtract_transpose(lambda, p_dot);  // (BG3)
    return true;
  }

 private:
  double twice_alpha_, beta_squared_;
  typename P::Multiplier residual_;
  HiddenConstraint<P> hidden_;
  Vec minus_force_;
};

struct Baumgarte {
  double alpha = facts.numbers[0].usual, beta = facts.numbers[1].usual;
  static constexpr FormulationFacts facts{
      .name = "baumgarte",
      .what = "the underlying ODE with g'' + 2 alpha g' + beta^2 g = 0: residuals of g decay off M",
      .hypothesis = "G of full row rank, H_pp positive definite; alpha, beta >= 0",
      .source = "Baumgarte 1972",
      .theory = "baumgarte",
      .numbers = {{{"alpha", 5, NumberRange::not_negative}, {"beta", 5, NumberRange::not_negative}}}};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = BaumgarteField<P>;
  template <class P>
  Field<P> make_field(const P& s) const {
    return {s, alpha, beta};
  }
  static Baumgarte with(const std::array<double, 2>& numbers) { return {numbers[0], numbers[1]}; }
};

}  // namespace taut
