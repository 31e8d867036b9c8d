// A damped Newton iteration for the stages of a step and its landing on g = 0
// together. It is for steps in which the solves for one after the other do not
// contract. Labels: docs/theory/implicit-midpoint.md.
#pragma once

#include <taut/problem/tiers.hpp>
#include <taut/solve/line_search.hpp>
#include <taut/solve/residual_size.hpp>

namespace taut {

// The stages (Q₁, P₁, Q₂, P₂, …) of a step from (q₀, p₀) after an impulse have
// the residual r, with derivative A, and lead to q₁. They offer
//     look(impulse)     evaluates r and q₁ at the stages as they are
//     residual(), end() give r and q₁
//     linearise()       forms and factors A there; returns a Failure if that is
//     impossible solve(v)          does v ← A⁻¹ v shift(v, d)       gives the
//     change d of q₁ if the stages change by v response(G, K)    gives
//     (∂q₁/∂p₀) Gᵀ to K keep(), go(v)     keep the stages; and put the stages
//     that are kept, changed by v, in their place
// K is a matrix of type `LandingMatrix`.
template <class P, class LandingMatrix, int size>
class DampedLanding {
 public:
  using T = typename P::Scalar;
  using B = Base<T>;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  using Long = Vector<T, size>;

  DampedLanding(const P& s, int stages)
      : n_(s.coordinates()),
        impulse_(zero_vector(s)),
        push_(impulse_),
        way_(impulse_),
        corrections_{Long::Zero(2 * stages * n_), zero_multiplier(s)},
        part_of_it_(corrections_.of_stages),
        landing_(zero_multiplier(s)),
        row_(Vector<B, P::m>::Zero(s.constraints())),
        G1_(s.make_jacobian()),
        K_(s) {}

  // Brings the stages and μ so close to r = 0, g(q₁) = 0 that Newton's
  // iteration contracts by itself, and leaves A as it is there. It starts at
  // the stages as they are, with μ = 0. Returns the number of corrections.
  template <class Stages>
  Expected<int> approach(const P& s, Stages& stages, const Vec& q0, const Vec& p0,
                         const typename P::Jacobian& G0, const T& h, Multiplier& mu) {
    set_zero(mu);
    return approach_from(s, stages, q0, p0, G0, h, mu);
  }
  // Does the same from the μ that is given.
  template <class Stages>
  Expected<int> approach_from(const P& s, Stages& stages, const Vec& q0, const Vec& p0,
                              const typename P::Jacobian& G0, const T& h, Multiplier& mu) {
    lengths_of(G0);
    const auto look = [&] {
      this->look(s, stages, G0, mu);
      return size_of(s, stages.residual(), q0, p0, h);
    };
    const auto failed = [&](FailureKind kind, int k) { return failure(kind, stages.residual(), k); };
    B now = look();
    bool contracted = false;
    for (int k = 1; k <= most_damped_corrections; ++k) {
      if (!finite(now)) return failed(FailureKind::not_finite, k);
      if (const auto ready = stages.linearise(); !ready) return ready;
      if (!correction(s, stages, G0)) return failed(FailureKind::singular, k);
      stages.keep();
      const Multiplier mu_kept = mu;
      const auto step = line_search<B>(now, [&](const B& part) {
        part_of_it_ = T(part) * corrections_.of_stages;
        stages.go(part_of_it_);
        mu = mu_kept + T(part) * corrections_.of_mu;
        return look();
      });
      const bool contracts = step.contracts(now);
      if (contracted && (contracts || !step.found)) {  // twice, or as far as rounding lets it
        if (const auto ready = stages.linearise(); !ready) return ready;
        return k;
      }
      if (!step.found) return failed(FailureKind::not_converged, k);
      contracted = contracts;
      now = step.size;
    }
    return failed(FailureKind::not_converged, most_damped_corrections);
  }

  // What the next correction adds to the stages and to μ.
  struct Corrections {
    Long of_stages;
    Multiplier of_mu;
  };
  Corrections& corrections() { return corrections_; }
  const Multiplier& landing() const { return landing_; }  // g(q₁)
  LandingMatrix& matrix() { return K_; }

  // Evaluates the stages and g(q₁) after the impulse μ.
  template <class Stages>
  void look(const P& s, Stages& stages, const typename P::Jacobian& G0, const Multiplier& mu) {
    impulse_of(G0, mu);
    stages.look(impulse_);
    s.g(stages.end(), landing_);
  }
  // Returns -G₀ᵀμ.
  const Vec& impulse_of(const typename P::Jacobian& G0, const Multiplier& mu) {
    set_zero(impulse_);
    G0.subtract_transpose(mu, impulse_);
    return impulse_;
  }

  // Finds the correction, with A factored. Returns false if there is none.                            (N5)
  template <class Stages>
  bool correction(const P& s, Stages& stages, const typename P::Jacobian& G0) {
    stages.response(G0, K_);
    s.G(stages.end(), G1_);
    K_.assemble(G1_);
    if (K_.factor() >= 0) return false;
    auto& [change, mu_change] = corrections_;
    change = stages.residual();
    stages.solve(change);
    stages.shift(change, way_);
    G1_.times(way_, mu_change);
    mu_change = landing_ - mu_change;
    K_.solve(mu_change);
    impulse_of(G0, mu_change);
    change = -stages.residual();
    for (Eigen::Index from = n_; from < change.size(); from += 2 * n_) change.segment(from, n_) += impulse_;
    stages.solve(change);
    return true;
  }

 private:
  // Returns the size of all residuals as a length: one of momenta counts with
  // the way that it makes in h/2, and one of g with the way that takes it off.
  B size_of(const P& s, const Long& r, const Vec& q0, const Vec& p0, const T& h) {
    B sum(0);
    const auto add = [&](const B& length) { sum += length * length; };
    for (Eigen::Index from = 0; from < r.size(); from += 2 * n_) {
      push_ = h / 2 * r.segment(from + n_, n_);
      H_pp_times(s, q0, p0, push_, way_);
      for (int i = 0; i < n_; ++i) {
        add(base(r[from + i]));
        add(base(way_[i]));
      }
    }
    for (Eigen::Index i = 0; i < landing_.size(); ++i) add(base(landing_[i]) / row_[i]);
    return sqrt(sum);
  }

  void lengths_of(const typename P::Jacobian& G0) {
    row_.setZero();
    G0.for_each([&](int i, int, const T& entry) { row_[i] += base(entry) * base(entry); });
    for (Eigen::Index i = 0; i < row_.size(); ++i) row_[i] = row_[i] > B(0) ? B(sqrt(row_[i])) : B(1);
  }

  static Failure failure(FailureKind kind, const Long& residual, int corrections) {
    Failure failure = describe(kind, residual, corrections, Mask<T>(true));
    failure.stage = SolveStage::inner;
    failure.corrections = taut::Corrections::damped_newton;
    failure.constraint = -1;
    return failure;
  }

  int n_;
  Vec impulse_, push_, way_;
  Corrections corrections_;
  Long part_of_it_;
  Multiplier landing_;
  Vector<B, P::m> row_;  // ‖G₀ᵢ‖
  typename P::Jacobian G1_;
  LandingMatrix K_;
};

}  // namespace taut
