// Hamilton's equations of ½pᵀWp + V(Πq) for linear constraints g = Gq - c of a natural system, with Π the
// mass-orthogonal projection onto g = 0. This underlying ODE is Hamiltonian without Dirac's machinery;
// Leimkuhler-Reich, section 3. Labels: docs/theory/linear.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/formulation/formulation.hpp>

#include <vector>

namespace taut {

template <Natural P>
class LinearField {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  explicit LinearField(const P& s)
      : G_(s.make_jacobian()),
        here_(G_),
        C_(s),
        g_(zero_multiplier(s)),
        work_(zero_vector(s)),
        foot_(work_),
        force_(work_) {}

  // Returns false also if G differs from the G of the first call: then the constraints are not linear.
  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    if (!known_) {
      s.G(q, G_);
      C_.right(s, q, p, G_, T(1));
      C_.assemble(G_);
      if (C_.factor() >= 0) return false;
      G_.for_each([&](int, int, const T& entry) { entries_.push_back(entry); });
      known_ = true;
    }
    s.G(q, here_);
    if (!same_entries()) return false;
    s.g(q, g_);
    C_.solve(g_);
    work_.setZero();
    G_.subtract_transpose(g_, work_);
    s.W().times(work_, foot_);
    foot_ += q;  // (LC1)
    s.grad_V(foot_, force_);
    s.W().times(force_, work_);
    G_.times(work_, g_);
    C_.solve(g_);
    s.W().times(p, q_dot);  // (LC2)
    p_dot = -force_;
    g_ = -g_;
    G_.subtract_transpose(g_, p_dot);  // (LC3)
    return true;
  }

 private:
  // The pattern is the same, so the entries come in the same order.
  bool same_entries() const {
    Real<T> largest(0), change(0);
    std::size_t i = 0;
    here_.for_each([&](int, int, const T& entry) {
      change = larger(change, magnitude(T(entry - entries_[i])));
      largest = larger(largest, magnitude(entries_[i++]));
    });
    return all(change <= largest * Real<T>(1000 * epsilon<T>()));
  }

  std::vector<T> entries_;  // the entries of G at the first call
  typename P::Jacobian G_, here_;
  ConstraintMatrix<P> C_;
  typename P::Multiplier g_;
  Vec work_, foot_, force_;
  bool known_ = false;
};

struct Linear {
  static constexpr FormulationFacts facts{
      .name = "linear",
      .what = "linear constraints: Hamilton's equations of p'Wp/2 + V(projection of q)",
      .hypothesis = "natural system, G constant and of full row rank",
      .source = "Leimkuhler-Reich 3",
      .theory = "linear",
      .hamiltonian = true};
  template <class P>
  static constexpr bool fits = Natural<P>;
  template <class P>
  using Field = LinearField<P>;

  // Says why this problem cannot use the formulation.
  template <Natural P>
  static std::optional<std::string> refusal(const P& s, const StateOf<P>& x) {
    if (!is_natural(s)) return needs_natural_system(facts.name);
    LinearField<P> field(s);
    typename P::Vec q = x.q, a = zero_vector(s), b = a;
    if (!field(s, q, x.p, a, b))
      return "the formulation 'linear': the constraints depend on each other at the start";
    q *= typename P::Scalar(2);
    q += P::Vec::Ones(q.size());
    if (!field(s, q, x.p, a, b))
      return "the formulation 'linear' needs constraints that are linear in q; here G(q) changes with q. Use "
             "dirac or "
             "dirac-weak";
    return std::nullopt;
  }
};

}  // namespace taut
