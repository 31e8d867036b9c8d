// The gradient of Dirac's Hamiltonian H_M = H + gᵀλ(q, p), Reich (20). With w = C⁻¹g and λ = C⁻¹b frozen,
//     d(gᵀλ) = λᵀdg + wᵀdb - wᵀdC λ,
// so that beside Gᵀλ only the gradient of the scalar function wᵀb - wᵀCλ is needed: no tensor and no
// derivative of an inverse is formed. The gradient comes from dual numbers. Labels:
// docs/theory/dirac-gauss.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/formulation/phase_directions.hpp>

namespace taut {

template <Hamiltonian P>
  requires Castable<P>
class DiracGradient {
 public:
  using T = typename P::Scalar;
  static constexpr int width = P::n == dynamic ? 1 : 2 * P::n;  // directions differentiated at a time
  using Along = Dual<T, width>;
  using Twice = Dual<Along, 1>;
  using First = decltype(std::declval<const P&>().template cast<Along>());
  using Second = decltype(std::declval<const P&>().template cast<Twice>());

  explicit DiracGradient(const P& s)
      : lambda(zero_multiplier(s)),
        w(lambda),
        first_(s.template cast<Along>()),
        second_(s.template cast<Twice>()),
        C_(s),
        G_(s.make_jacobian()),
        G1_(first_.make_jacobian()),
        G2_(second_.make_jacobian()),
        q1_(zero_vector(first_)),
        p1_(q1_),
        a1_(q1_),
        b1_(q1_),
        q2_(zero_vector(second_)),
        p2_(q2_),
        v2_(q2_),
        f1_(zero_multiplier(first_)),
        l1_(f1_),
        f2_(zero_multiplier(second_)),
        column_(lambda),
        slopes_(Matrix<Base<T>, P::m, size2>::Zero(s.constraints(), 2 * s.coordinates())) {}

  typename P::Multiplier lambda, w;
  static constexpr int size2 = P::n == dynamic ? dynamic : 2 * P::n;
  using Hessian = Matrix<Base<T>, size2, size2>;

  // Computes slope_q = ∂H_M/∂q and slope_p = ∂H_M/∂p. Returns -1, or the constraint whose pivot in C = G H_pp
  // Gᵀ vanished.
  int operator()(const P& s, const typename P::Vec& q, const typename P::Vec& p, typename P::Vec& slope_q,
                 typename P::Vec& slope_p) {
    return evaluate(s, q, p, slope_q, slope_p, [](auto&&...) {});
  }

  // Does the same, and forms the second derivatives of H_M by (q, p) from what the gradient needs in any
  // case: H'' + λ·g'' + GᵀL + LᵀG with L = λ'. They are exact on g = 0; what is left out is O(g).      (D7)
  int operator()(const P& s, const typename P::Vec& q, const typename P::Vec& p, typename P::Vec& slope_q,
                 typename P::Vec& slope_p, Hessian& second) {
    const int n = s.coordinates();
    slopes_.setZero();
    const int pivot = evaluate(s, q, p, slope_q, slope_p, [&](int column, std::size_t k, bool bent) {
      if (!bent) {  // H''
        for (int i = 0; i < n; ++i) {
          second(i, column) = base(b1_[i].tangent[k]);
          second(n + i, column) = base(a1_[i].tangent[k]);
        }
        return;
      }
      for (int i = 0; i < n; ++i) second(i, column) += base(a1_[i].tangent[k]);  // λ·g''
      for (Eigen::Index i = 0; i < column_.size(); ++i)
        column_[i] = f2_[i].tangent[0].tangent[k] - f1_[i].tangent[k];  // b' - (Cλ)' with λ frozen
      C_.solve(column_);
      for (Eigen::Index i = 0; i < column_.size(); ++i) slopes_(i, column) = base(column_[i]);
    });
    G_.for_each([&](int i, int j, const T& entry) {
      second.row(j) += base(entry) * slopes_.row(i);
      second.col(j) += base(entry) * slopes_.row(i).transpose();
    });
    return pivot;
  }

 private:
  // Evaluates the gradient. Calls note(column, k, false) for each axis of (q, p) when a1_ and b1_ have H_p
  // and H_q with the tangent k along it, and note(column, k, true) when a1_ has Gᵀλ and f1_ has Cλ.
  template <class Note>
  int evaluate(const P& s, const typename P::Vec& q, const typename P::Vec& p, typename P::Vec& slope_q,
               typename P::Vec& slope_p, Note&& note) {
    s.G(q, G_);
    C_.right(s, q, p, G_, T(1));
    C_.assemble(G_);
    if (const int pivot = C_.factor(); pivot >= 0) return pivot;
    const int n = s.coordinates();
    H_q(s, q, p, slope_q);
    H_p(s, q, p, slope_p);
    for (int from = 0; from < 2 * n; from += width) {
      seed_axes(q, p, from, q1_, p1_);
      rate_of_f();
      for (int k = 0; k < width; ++k) note(from + k, static_cast<std::size_t>(k), false);
      if (from == 0) {  // the values, free of tangents
        for (Eigen::Index i = 0; i < lambda.size(); ++i) lambda[i] = f2_[i].tangent[0].value;
        C_.solve(lambda);  // λ = C⁻¹ b
        s.g(q, w);
        C_.solve(w);  // w = C⁻¹ g
        subtract_reaction(slope_q);
      }
      const Along phi = frozen_function();  // (D2)
      for (int k = 0; k < width; ++k) note(from + k, static_cast<std::size_t>(k), true);
      for (int k = 0; k < width; ++k) {
        if (from + k < n)
          slope_q[from + k] += phi.tangent[static_cast<std::size_t>(k)];
        else
          slope_p[from + k - n] += phi.tangent[static_cast<std::size_t>(k)];
      }
    }
    return -1;
  }

  void subtract_reaction(typename P::Vec& slope_q) {
    const typename P::Multiplier minus = -lambda;
    G_.subtract_transpose(minus, slope_q);  // (D1): + Gᵀλ
  }

  // Forms b = {f, H}, f = G H_p: the rate of f along the unconstrained flow, as the tangent of f2_.
  void rate_of_f() {
    H_p(first_, q1_, p1_, a1_);
    H_q(first_, q1_, p1_, b1_);
    for (Eigen::Index i = 0; i < q1_.size(); ++i) {
      q2_[i] = Twice(q1_[i]);
      q2_[i].tangent[0] = a1_[i];
      p2_[i] = Twice(p1_[i]);
      p2_[i].tangent[0] = -b1_[i];
    }
    second_.G(q2_, G2_);
    H_p(second_, q2_, p2_, v2_);
    G2_.times(v2_, f2_);
  }

  // Evaluates wᵀb - wᵀCλ with w and λ constant.
  Along frozen_function() {
    first_.G(q1_, G1_);
    for (Eigen::Index i = 0; i < lambda.size(); ++i) l1_[i] = Along(-lambda[i]);
    a1_.setZero();
    G1_.subtract_transpose(l1_, a1_);  // Gᵀλ
    H_pp_times(first_, q1_, p1_, a1_, b1_);
    G1_.times(b1_, f1_);  // Cλ
    Along phi(T(0));
    for (Eigen::Index i = 0; i < w.size(); ++i) phi += Along(w[i]) * (f2_[i].tangent[0] - f1_[i]);
    return phi;
  }

  First first_;
  Second second_;
  ConstraintMatrix<P> C_;
  typename P::Jacobian G_;
  typename First::Jacobian G1_;
  typename Second::Jacobian G2_;
  typename First::Vec q1_, p1_, a1_, b1_;
  typename Second::Vec q2_, p2_, v2_;
  typename First::Multiplier f1_, l1_;
  typename Second::Multiplier f2_;
  typename P::Multiplier column_;
  Matrix<Base<T>, P::m, size2> slopes_;  // L
};

}  // namespace taut
