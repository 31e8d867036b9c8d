// Hamilton's equations of Dirac's Hamiltonian H_T = H + μᵀg + ηᵀψ, Leimkuhler-Reich (16)-(17), for any H(q,
// p) and m constraints. With η = C⁻¹(αg - ψ), μ = C⁻¹({ψ,H} + Sη), S = {ψ,ψ}, w = C⁻¹g and u = αw - C⁻¹Sw all
// held fixed,
//     dH_T = dH + (μ + α(u - η))ᵀdg + d[2ηᵀψ + ηᵀCη + wᵀ({ψ,H} + Sη) - wᵀCμ - uᵀψ - uᵀCη]:
// this is the gradient of one scalar function by dual numbers, with no tensor and no derivative of an
// inverse. Labels: docs/theory/dirac.md.
#pragma once

#include <taut/formulation/hidden_constraint.hpp>
#include <taut/formulation/phase_directions.hpp>

#include <array>

namespace taut {

template <Smooth P>
class DiracField {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  static constexpr bool reduced = false;
  static constexpr int width = P::n == dynamic ? 1 : 2 * P::n;  // directions differentiated at a time
  using Along = Dual<T, width>;
  using Twice = Dual<Along, 1>;
  using First = Cast<P, Along>;
  using Second = Cast<P, Twice>;

  explicit DiracField(const P& s, double alpha = 0)
      : alpha_(alpha),
        mu(zero_multiplier(s)),
        eta(mu),
        w_(mu),
        u_(mu),
        by_g_(mu),
        by_q_(zero_vector(s)),
        by_p_(by_q_),
        hidden_(s),
        first_(s.template cast<Along>()),
        second_(s.template cast<Twice>()),
        G1_(first_.make_jacobian()),
        G2_(second_.make_jacobian()),
        q1_(zero_vector(first_)),
        p1_(q1_),
        v1_(q1_),
        f1_(q1_),
        y_eta_(q1_),
        y_w_(q1_),
        y_mu_(q1_),
        y_u_(q1_),
        a_(q1_),
        c_(q1_),
        zero_(q1_),
        l1_(zero_multiplier(first_)),
        q2_(zero_vector(second_)),
        p2_(q2_),
        v2_(q2_),
        psi2_(zero_multiplier(second_)) {}

 private:
  double alpha_;

 public:
  Multiplier mu, eta;

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!hidden_.evaluate(s, q, p)) return false;
    find_multipliers(s, q, p, q_dot, p_dot);
    q_dot = hidden_.velocity;
    p_dot = -hidden_.force;
    by_g_ = mu;
    if (alpha_ != 0) by_g_ += T(alpha_) * (u_ - eta);
    hidden_.G.subtract_transpose(by_g_, p_dot);
    const int n = s.coordinates();
    for (int from = 0; from < 2 * n; from += width) {
      seed_axes(q, p, from, q1_, p1_);
      const Along frozen = frozen_function();  // (DF5)
      for (int k = 0; k < width; ++k) {
        if (from + k < n)
          p_dot[from + k] -= frozen.tangent[static_cast<std::size_t>(k)];  // (DF4)
        else
          q_dot[from + k - n] += frozen.tangent[static_cast<std::size_t>(k)];  // (DF3)
      }
    }
    return true;
  }

 private:
  // Finds η, μ, w and u at (q, p); dq and dp are room to work in.
  void find_multipliers(const P& s, const Vec& q, const Vec& p, Vec& dq, Vec& dp) {
    s.g(q, w_);
    eta = -hidden_.psi;
    if (alpha_ != 0) eta += T(alpha_) * w_;
    hidden_.C.solve(eta);  // (DF1)
    hidden_.contract(s, q, p, eta, by_q_, by_p_);
    dq = hidden_.velocity + by_p_;
    dp = -hidden_.force - by_q_;
    hidden_.rate(q, p, dq, dp, mu);
    hidden_.C.solve(mu);  // (DF2)
    hidden_.C.solve(w_);
    hidden_.contract(s, q, p, w_, by_q_, by_p_);
    by_q_ = -by_q_;
    hidden_.rate(q, p, by_p_, by_q_, u_);  // S w
    u_ = -u_;
    hidden_.C.solve(u_);
    if (alpha_ != 0) u_ += T(alpha_) * w_;
  }

  // Forms Gᵀl with l held fixed.
  void pull_back(const Multiplier& l, typename First::Vec& out) {
    for (Eigen::Index i = 0; i < l.size(); ++i) l1_[i] = Along(-l[i]);
    out.setZero();
    G1_.subtract_transpose(l1_, out);
  }

  // Forms l·(ψ_q dq + ψ_p dp) with l held fixed.
  Along rate_of_psi(const Multiplier& l, const typename First::Vec& dq, const typename First::Vec& dp) {
    for (Eigen::Index i = 0; i < q1_.size(); ++i) {
      q2_[i] = Twice(q1_[i]);
      q2_[i].tangent[0] = dq[i];
      p2_[i] = Twice(p1_[i]);
      p2_[i].tangent[0] = dp[i];
    }
    second_.G(q2_, G2_);
    H_p(second_, q2_, p2_, v2_);
    G2_.times(v2_, psi2_);
    Along sum(T(0));
    for (Eigen::Index i = 0; i < l.size(); ++i) sum += Along(l[i]) * psi2_[i].tangent[0];
    return sum;
  }

  static Along product(const typename First::Vec& x, const typename First::Vec& y) {
    Along sum(T(0));
    for (Eigen::Index i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  }

  // Evaluates the function whose gradient is wanted. wᵀSη needs no gradient of ψ: with a = H_pp Gᵀη and c =
  // H_pp Gᵀw it is ∂(wᵀψ)/∂q·a - ∂(ηᵀψ)/∂q·c.
  Along frozen_function() {
    first_.G(q1_, G1_);
    H_p(first_, q1_, p1_, v1_);
    H_q(first_, q1_, p1_, f1_);
    pull_back(eta, y_eta_);
    pull_back(w_, y_w_);
    pull_back(mu, y_mu_);
    pull_back(u_, y_u_);
    H_pp_times(first_, q1_, p1_, y_eta_, a_);
    H_pp_times(first_, q1_, p1_, y_w_, c_);
    Along sum = product(y_eta_, v1_) * Along(T(2)) + product(y_eta_, a_) - product(c_, y_mu_) -
                product(y_u_, v1_) - product(y_u_, a_);
    f1_ = -f1_;
    a_ += v1_;
    sum += rate_of_psi(w_, a_, f1_);
    sum -= rate_of_psi(eta, c_, zero_);
    return sum;
  }

  Multiplier w_, u_, by_g_;
  Vec by_q_, by_p_;
  HiddenConstraint<P> hidden_;
  First first_;
  Second second_;
  typename First::Jacobian G1_;
  typename Second::Jacobian G2_;
  typename First::Vec q1_, p1_, v1_, f1_, y_eta_, y_w_, y_mu_, y_u_, a_, c_, zero_;
  typename First::Multiplier l1_;
  typename Second::Vec q2_, p2_, v2_;
  typename Second::Multiplier psi2_;
};

struct Dirac {
  double alpha = 0;  // the freedom of η off M, Leimkuhler-Reich 3.2
  static constexpr FormulationFacts facts{
      .name = "dirac",
      .what = "Hamilton's equations of H + mu'g + eta'G H_p: residuals oscillate about M",
      .hypothesis = "G of full row rank, H_pp positive definite; third derivatives of g, second of H",
      .source = "Leimkuhler-Reich (16)-(17)",
      .theory = "dirac",
      .hamiltonian = true,
      .numbers = {{{"alpha", 0}}}};
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = DiracField<P>;
  template <class P>
  Field<P> make_field(const P& s) const {
    return Field<P>(s, alpha);
  }
  static Dirac with(const std::array<double, 2>& numbers) { return {numbers[0]}; }
};

}  // namespace taut
