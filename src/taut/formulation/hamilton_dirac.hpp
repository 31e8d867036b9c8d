// The Hamilton-Dirac equations q' = {q, H}*, p' = {p, H}* with Dirac's bracket of the constraints χ = (g, G
// H_p): Seiler (6)-(7). This is the same vector field as dirac-weak, here from the brackets themselves.
// Labels: docs/theory/hamilton-dirac.md.
#pragma once

#include <taut/formulation/bracket.hpp>

namespace taut {

template <Smooth P>
class HamiltonDiracField {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;
  static constexpr int k = ConstraintFunctions<P>::k;

  explicit HamiltonDiracField(const P& s)
      : chi_{s}, multipliers(Vector<T, k>::Zero(2 * s.constraints())), minus_force_(zero_vector(s)) {}

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    const auto d = derivative(chi_, q, p);
    const Matrix<T, k, k> omega = bracket_matrix(d, d);  // (HD1)
    H_p(s, q, p, q_dot);
    H_q(s, q, p, minus_force_);
    minus_force_ = -minus_force_;
    p_dot = minus_force_;
    multipliers = d.q.lazyProduct(q_dot) + d.p.lazyProduct(minus_force_);    // {χ, H}
    if (!solve_constraint_brackets<T, k>(omega, multipliers)) return false;  // (HD2)
    q_dot -= d.p.transpose().lazyProduct(multipliers);                       // (HD3)
    p_dot += d.q.transpose().lazyProduct(multipliers);                       // (HD4)
    return true;
  }

 private:
  ConstraintFunctions<P> chi_;

 public:
  Vector<T, k> multipliers;  // Ω⁻¹{χ, H} = (-μ, -η)

 private:
  Vec minus_force_;
};

struct HamiltonDirac {
  static constexpr FormulationFacts facts{
      .name = "hamilton-dirac",
      .what = "q' = {q,H}*, p' = {p,H}* by the Dirac bracket: H, g and G H_p are first integrals everywhere",
      .hypothesis = "the matrix of brackets of all constraints regular",
      .source = "Seiler (6)-(7)",
      .theory = "hamilton-dirac",
      .keeps_residuals = true};
  template <class P>
  static constexpr bool fits = Smooth<P> && one_trajectory<P>;
  template <class P>
  using Field = HamiltonDiracField<P>;
};

}  // namespace taut
