// The standard underlying ODE: λ(q, p) comes from differentiating g twice and is put back into the equations.
// Leimkuhler-Reich (3), (6); Seiler (1), (3). Labels: docs/theory/underlying.md.
#pragma once

#include <taut/formulation/hidden_constraint.hpp>

namespace taut {

template <Smooth P>
class UnderlyingField {
 public:
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  explicit UnderlyingField(const P& s)
      : lambda(zero_multiplier(s)), hidden_(s), minus_force_(zero_vector(s)) {}

  typename P::Multiplier lambda;

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!hidden_.evaluate(s, q, p)) return false;
    minus_force_ = -hidden_.force;
    hidden_.rate(q, p, hidden_.velocity, minus_force_, lambda);
    hidden_.C.solve(lambda);   // (UO1)
    q_dot = hidden_.velocity;  // (UO2)
    p_dot = minus_force_;
    hidden_.G.subtract_transpose(lambda, p_dot);  // (UO3)
    return true;
  }

 private:
  HiddenConstraint<P> hidden_;
  Vec minus_force_;
};

struct Underlying {
  static constexpr FormulationFacts facts{
      .name = "underlying",
      .what = "q' = H_p, p' = -H_q - G'lambda(q,p): residuals of g grow linearly off M",
      .hypothesis = "G of full row rank, H_pp positive definite",
      .source = "Leimkuhler-Reich (3), (6); Seiler (1), (3)",
      .theory = "underlying"};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = UnderlyingField<P>;
};

}  // namespace taut
