// The constraint matrix of a problem whose kind is data: an envelope if W is diagonal; the sparse system of
// velocities and multipliers if M is sparse and that is less work; dense otherwise. If redundant constraints
// are to be solved, it is dense, and leaves out the rows that follow from others.
#pragma once

#include <taut/problem/tiers.hpp>
#include <taut/solve/matrix/envelope_saddle.hpp>
#include <taut/solve/matrix/pivoted_gram.hpp>

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
    if (is_redundant(s))
      pivoted_.emplace(s.constraints(), s.coordinates());
    else if (has_diagonal_W(s))
      envelope_.emplace(s);
    else if (is_natural(s) && s.W().sparse && Saddle::pays(s.make_jacobian(), *s.W().sparse, s.coordinates()))
      saddle_.emplace(s.make_jacobian(), *s.W().sparse, s.coordinates());
    else
      dense_.emplace(s);
  }

  void right(const P& s, const Vec& q, const Vec& p, const Jacobian& G0, const typename P::Scalar& gain) {
    if (envelope_)
      envelope_->right(s, q, p, G0, gain);
    else if (pivoted_)
      pivoted_->right([&](auto& R) {
        R.setZero();
        G0.for_each([&](int i, int j, const auto& entry) { R(j, i) = gain * entry; });
        Vec row = q, product = q;
        for (int i = 0; i < s.constraints(); ++i) {
          row = R.col(i);
          H_pp_times(s, q, p, row, product);
          R.col(i) = product;
        }
      });
    else
      saddle_ ? saddle_->right(G0, gain) : dense_->right(s, q, p, G0, gain);
  }
  void assemble(const Jacobian& G1) {
    if (envelope_)
      envelope_->assemble(G1);
    else if (pivoted_)
      pivoted_->assemble(G1);
    else
      saddle_ ? saddle_->assemble(G1) : dense_->assemble(G1);
  }
  int factor() {
    if (pivoted_) return pivoted_->factor();
    return envelope_ ? envelope_->factor() : saddle_ ? saddle_->factor() : dense_->factor();
  }
  void solve(Multiplier& b) const {
    if (envelope_)
      envelope_->solve(b);
    else if (pivoted_)
      pivoted_->solve(b);
    else
      saddle_ ? saddle_->solve(b) : dense_->solve(b);
  }
  // If constraints follow from others, those that factor() left out are met with these, but only on M: takes
  // them out of a residual that no correction could make 0 elsewhere.
  void leave_out(Multiplier& residual) const {
    if (pivoted_) pivoted_->leave_out(residual);
  }
  // If constraints follow from others, the multiplier is not unique: leaves the shortest.
  void minimum_norm(Multiplier& lambda) const {
    if (pivoted_) pivoted_->minimum_norm(lambda);
  }
  int sweep(Multiplier& b) const {
    if (pivoted_) return pivoted_->sweep(b);
    return envelope_ ? envelope_->sweep(b) : saddle_ ? saddle_->sweep(b) : dense_->sweep(b);
  }

 private:
  std::optional<PivotedGram<typename P::Scalar>> pivoted_;
  std::optional<Envelope> envelope_;
  std::optional<Saddle> saddle_;
  std::optional<Dense> dense_;
};

}  // namespace taut
