// The constraint matrix of a problem whose kind is data: an envelope if W is diagonal; the sparse system of
// velocities and multipliers if M is sparse and that is less work; dense otherwise.
#pragma once

#include <taut/problem/tiers.hpp>
#include <taut/solve/matrix/envelope_saddle.hpp>

#include <optional>

namespace taut {

// True if H_pp is a diagonal matrix W, for a problem whose kind is data.
template <Graded P>
bool has_diagonal_W(const P& s) {
  return is_natural(s) && s.W().is_diagonal;
}

template <class P, class Envelope, class Dense>
class EitherMatrix {
 public:
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  using Jacobian = typename P::Jacobian;
  using Saddle = EnvelopeSaddle<typename P::Scalar, SparseMass<typename P::Scalar>>;

  static constexpr bool keeps_factor = false;

  explicit EitherMatrix(const P& s) {
    if (has_diagonal_W(s))
      envelope_.emplace(s);
    else if (is_natural(s) && s.W().sparse && Saddle::pays(s.make_jacobian(), *s.W().sparse, s.coordinates()))
      saddle_.emplace(s.make_jacobian(), *s.W().sparse, s.coordinates());
    else
      dense_.emplace(s);
  }

  void right(const P& s, const Vec& q, const Vec& p, const Jacobian& G0, const typename P::Scalar& gain) {
    if (envelope_)
      envelope_->right(s, q, p, G0, gain);
    else
      saddle_ ? saddle_->right(G0, gain) : dense_->right(s, q, p, G0, gain);
  }
  void assemble(const Jacobian& G1) {
    if (envelope_)
      envelope_->assemble(G1);
    else
      saddle_ ? saddle_->assemble(G1) : dense_->assemble(G1);
  }
  int factor() { return envelope_ ? envelope_->factor() : saddle_ ? saddle_->factor() : dense_->factor(); }
  void solve(Multiplier& b) const {
    if (envelope_)
      envelope_->solve(b);
    else
      saddle_ ? saddle_->solve(b) : dense_->solve(b);
  }
  int sweep(Multiplier& b) const {
    return envelope_ ? envelope_->sweep(b) : saddle_ ? saddle_->sweep(b) : dense_->sweep(b);
  }

 private:
  std::optional<Envelope> envelope_;
  std::optional<Saddle> saddle_;
  std::optional<Dense> dense_;
};

}  // namespace taut
