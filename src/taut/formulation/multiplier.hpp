// The multiplier λ(q, p) of the continuous equations, with the sign p' = -H_q - Gᵀλ. It keeps G H_p = 0 along
// the motion, and a method's own multiplier approximates it. Labels: docs/theory/multiplier.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/failure.hpp>

#include <vector>

namespace taut {

template <Hamiltonian P>
  requires Castable<P>
Expected<typename P::Multiplier> multiplier(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  using T = typename P::Scalar;
  using Tangent = Dual<T, 1>;
  const auto lifted = s.template cast<Tangent>();
  using Lifted = std::remove_cvref_t<decltype(lifted)>;

  typename P::Vec q_dot = zero_vector(s), H_q_here = q_dot;
  H_p(s, q, p, q_dot);
  H_q(s, q, p, H_q_here);
  typename Lifted::Vec Q = zero_vector(lifted), P_ = Q, v = Q;
  for (Eigen::Index j = 0; j < Q.size(); ++j) {
    Q[j] = Tangent(q[j]);
    Q[j].tangent[0] = q_dot[j];
    P_[j] = Tangent(p[j]);
    P_[j].tangent[0] = -H_q_here[j];
  }
  typename Lifted::Jacobian lifted_G = lifted.make_jacobian();
  typename Lifted::Multiplier f = zero_multiplier(lifted);
  lifted.G(Q, lifted_G);
  H_p(lifted, Q, P_, v);
  lifted_G.times(v, f);  // (L1), and (L2) in its tangent

  typename P::Jacobian G = s.make_jacobian();
  s.G(q, G);
  ConstraintMatrix<P> C(s);
  C.right(s, q, p, G, T(1));
  C.assemble(G);
  if (const int pivot = C.factor(); pivot >= 0)
    return Failure{.kind = FailureKind::singular, .stage = SolveStage::momentum, .constraint = pivot};
  typename P::Multiplier lambda = zero_multiplier(s);
  for (Eigen::Index i = 0; i < lambda.size(); ++i) lambda[i] = f[i].tangent[0];
  C.solve(lambda);  // (L3)
  if constexpr (requires { C.minimum_norm(lambda); }) C.minimum_norm(lambda);
  return lambda;
}

// λ as numbers, and the force -Gᵀλ of all constraints; nothing where λ is not determined.
template <Hamiltonian P>
std::vector<double> multiplier_in_doubles(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  const auto lambda = multiplier(s, q, p);
  return lambda ? std::vector<double>(lambda->begin(), lambda->end()) : std::vector<double>{};
}
template <Hamiltonian P>
std::vector<double> constraint_force(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  const auto lambda = multiplier(s, q, p);
  if (!lambda) return {};
  typename P::Jacobian G = s.make_jacobian();
  s.G(q, G);
  typename P::Vec force = zero_vector(s);
  G.subtract_transpose(*lambda, force);
  return {force.begin(), force.end()};
}

}  // namespace taut
