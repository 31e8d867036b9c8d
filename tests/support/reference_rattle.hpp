// RATTLE as docs/theory/rattle.md writes it, to be read beside the fast ways and compared with them. It uses
// dense matrices, plain sums, twelve corrections of Newton's iteration from μ = 0, and no tricks.
#pragma once

#include <taut/problem/tiers.hpp>

#include <taut/solve/decompositions.hpp>

namespace taut::test {

template <Natural P>
Eigen::MatrixXd plain_G(const P& s, const Eigen::VectorXd& q) {
  auto G = s.make_jacobian();
  s.G(typename P::Vec(q), G);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(s.constraints(), s.coordinates());
  G.for_each([&](int i, int j, double entry) { dense(i, j) = entry; });
  return dense;
}
template <Natural P>
Eigen::MatrixXd plain_W(const P& s) {
  Eigen::MatrixXd dense(s.coordinates(), s.coordinates());
  for (int j = 0; j < s.coordinates(); ++j) {
    typename P::Vec column = zero_vector(s);
    s.W().times(typename P::Vec(Eigen::VectorXd::Unit(s.coordinates(), j)), column);
    dense.col(j) = column;
  }
  return dense;
}

template <Natural P>
State<double, dynamic> reference_rattle(const P& s, const State<double, dynamic>& x, double h) {
  typename P::Vec grad_V = zero_vector(s);
  typename P::Multiplier g = zero_multiplier(s);
  const Eigen::MatrixXd W = plain_W(s), G0 = plain_G(s, x.q);
  s.grad_V(typename P::Vec(x.q), grad_V);
  const Eigen::VectorXd kicked = x.p - h / 2 * grad_V;
  Eigen::VectorXd mu = Eigen::VectorXd::Zero(s.constraints()), q, p;
  for (int correction = 0; correction <= 12; ++correction) {
    p = kicked - G0.transpose() * mu;  // (R1)
    q = x.q + h * (W * p);             // (R2)
    if (correction == 12) break;
    s.g(typename P::Vec(q), g);                                          // (R3): g(q₁) = 0
    const Eigen::MatrixXd K = h * (plain_G(s, q) * W * G0.transpose());  // -∂g/∂μ
    mu += Eigen::PartialPivLU<Eigen::MatrixXd>(K).solve(Eigen::VectorXd(g));
  }
  s.grad_V(typename P::Vec(q), grad_V);
  p -= h / 2 * grad_V;  // (R4)
  const Eigen::MatrixXd G1 = plain_G(s, q);
  p -= G1.transpose() * Eigen::PartialPivLU<Eigen::MatrixXd>(G1 * W * G1.transpose())
                            .solve(Eigen::VectorXd(G1 * (W * p)));  // (R5)
  return {q, p};
}

}  // namespace taut::test
