// The penalty system, Reich (7): the constraints are replaced by stiff springs, H + gᵀg/(2ε), and nothing is
// constrained. It is another system than the constrained one, to which it tends as ε → 0. Labels:
// docs/theory/penalty.md.
#pragma once

#include <taut/formulation/formulation.hpp>

#include <array>

namespace taut {

template <Hamiltonian P>
class PenaltyField {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  PenaltyField(const P& s, double epsilon)
      : lambda(zero_multiplier(s)), stiffness_(1 / epsilon), G_(s.make_jacobian()) {}

  typename P::Multiplier lambda;  // g/ε

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    s.g(q, lambda);
    lambda *= T(stiffness_);  // (PN1)
    s.G(q, G_);
    H_p(s, q, p, q_dot);  // (PN2)
    H_q(s, q, p, p_dot);
    p_dot = -p_dot;
    G_.subtract_transpose(lambda, p_dot);  // (PN3)
    return true;
  }

 private:
  double stiffness_;
  typename P::Jacobian G_;
};

struct Penalty {
  double epsilon = facts.numbers[0].usual;
  static constexpr FormulationFacts facts{
      .name = "penalty",
      .what = "no constraints: Hamilton's equations of H + g'g/(2 epsilon), which vibrate about M",
      .hypothesis =
          "epsilon > 0; the step resolves vibrations of period 2 pi sqrt(epsilon)/|G|, or is damped",
      .source = "Reich (7)",
      .theory = "penalty",
      .hamiltonian = true,
      .exact = false,
      .numbers = {{{"epsilon", 1e-4, NumberRange::positive}}}};
  template <class P>
  static constexpr bool fits = Hamiltonian<P>;
  template <class P>
  using Field = PenaltyField<P>;
  template <class P>
  Field<P> make_field(const P& s) const {
    return {s, epsilon};
  }
  static Penalty with(const std::array<double, 2>& numbers) { return {numbers[0]}; }
};

}  // namespace taut
