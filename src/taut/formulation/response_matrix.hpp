// The matrix of a landing whose response ∂q₁/∂p₀ may be known column by column: then K = G₁ (∂q₁/∂p₀) G₀ᵀ is
// dense. If it is not, K is what the drift of the kinetic energy alone makes of it.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>

#include <optional>
#include <utility>

namespace taut {

template <class P>
class PlainOrResponse {
 public:
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  using Jacobian = typename P::Jacobian;
  static constexpr bool keeps_factor = false;

  explicit PlainOrResponse(const P& s) : problem_(s), plain_(s) {}

  void right(const P& s, const Vec& q, const Vec& p, const Jacobian& G0, const typename P::Scalar& gain) {
    knows_response_ = false;
    plain_.right(s, q, p, G0, gain);
  }
  // Takes the response: `fill(R)` writes R = (∂q₁/∂p₀) G₀ᵀ.
  template <class Fill>
  void right(Fill&& fill) {
    if (!response_) response_.emplace(problem_);
    knows_response_ = true;
    response_->right(std::forward<Fill>(fill));
  }
  void assemble(const Jacobian& G1) { knows_response_ ? response_->assemble(G1) : plain_.assemble(G1); }
  int factor() { return knows_response_ ? response_->factor() : plain_.factor(); }
  void solve(Multiplier& b) const { knows_response_ ? response_->solve(b) : plain_.solve(b); }
  int sweep(Multiplier& b) { return knows_response_ ? response_->sweep(b) : plain_.sweep(b); }

 private:
  P problem_;
  ConstraintMatrix<P> plain_;
  std::optional<DenseConstraintMatrix<P>> response_;
  bool knows_response_ = false;
};

}  // namespace taut
