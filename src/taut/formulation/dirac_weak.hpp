// The weakly Hamiltonian Dirac equations: Dirac's multipliers μ and η without their derivatives.
// Leimkuhler-Reich (30)-(31), for any H(q, p) and m constraints, with the term {ψ, ψ}η in μ. Labels:
// docs/theory/dirac-weak.md.
#pragma once

#include <taut/formulation/hidden_constraint.hpp>

namespace taut {

template <Smooth P>
class DiracWeakField {
 public:
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  explicit DiracWeakField(const P& s)
      : mu(zero_multiplier(s)), eta(mu), hidden_(s), by_q_(zero_vector(s)), by_p_(by_q_) {}

  typename P::Multiplier mu, eta;

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!hidden_.evaluate(s, q, p)) return false;
    eta = -hidden_.psi;
    hidden_.C.solve(eta);  // (DW1)
    hidden_.contract(s, q, p, eta, by_q_, by_p_);
    q_dot = hidden_.velocity + by_p_;  // (DW3)
    p_dot = -hidden_.force - by_q_;
    hidden_.rate(q, p, q_dot, p_dot, mu);     // {ψ, H} + {ψ, ψ}η
    hidden_.C.solve(mu);                      // (DW2)
    hidden_.G.subtract_transpose(mu, p_dot);  // (DW4)
    return true;
  }

 private:
  HiddenConstraint<P> hidden_;
  Vec by_q_, by_p_;
};

struct DiracWeak {
  static constexpr FormulationFacts facts{
      .name = "dirac-weak",
      .what = "Dirac's multipliers without their derivatives: H, g and G H_p are first integrals everywhere",
      .hypothesis = "G of full row rank, H_pp positive definite",
      .source = "Leimkuhler-Reich (30)-(31)",
      .theory = "dirac-weak",
      .keeps_residuals = true};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = DiracWeakField<P>;
};

}  // namespace taut
