// Hamilton's equations of H + gᵀμ(q, p): Leimkuhler-Reich (18)-(19), Seiler's total Hamiltonian (5), Reich's
// H_M (20). M is a saddle of its residuals. Labels: docs/theory/dirac-simplified.md.
#pragma once

#include <taut/formulation/dirac_gradient.hpp>
#include <taut/formulation/formulation.hpp>

namespace taut {

template <Smooth P>
class DiracSimplifiedField {
 public:
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  explicit DiracSimplifiedField(const P& s) : gradient_(s) {}

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (gradient_(s, q, p, p_dot, q_dot) >= 0) return false;  // (DS1), (DS2)
    p_dot = -p_dot;
    return true;
  }

 private:
  DiracGradient<P> gradient_;
};

struct DiracSimplified {
  static constexpr FormulationFacts facts{
      .name = "dirac-simplified",
      .what = "Hamilton's equations of H + g'mu(q,p): residuals grow exponentially",
      .hypothesis = "G of full row rank, H_pp positive definite; third derivatives of g, second of H",
      .source = "Leimkuhler-Reich (18)-(19); Seiler (5); Reich (20)",
      .theory = "dirac-simplified",
      .hamiltonian = true};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = DiracSimplifiedField<P>;
};

}  // namespace taut
