// The matrix K = gain · G₁ H_pp G₀ᵀ, in the storage that the problem's type asks for. A constraint matrix
// offers
//     right(s, q, p, G₀, gain)   forms R = gain · H_pp(q, p) G₀ᵀ
//     assemble(G₁)               forms K = G₁ R
//     factor()                   returns -1, or the constraint whose pivot vanished
//     solve(b)                   does b ← K⁻¹ b
//     sweep(b)                   makes one Gauss-Seidel sweep in place of factor() and solve()
//     keeps_factor               is true if factoring is so much work that Newton's iteration keeps an old
//                                factor
#pragma once

#include <taut/formulation/either_matrix.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/matrix/dense_gram.hpp>
#include <taut/solve/matrix/envelope_gram.hpp>
#include <taut/solve/matrix/pattern_gram.hpp>

namespace taut {

template <class J>
inline constexpr bool has_pattern = requires { typename J::Pattern; };
template <class J>
inline constexpr bool has_rows = requires(const J& G) { G.begin; };
template <class J>
inline constexpr bool has_groups = requires(const J& G) { G.groups(); };

template <class P>
inline constexpr bool has_diagonal_mass = false;
template <Natural P>
inline constexpr bool has_diagonal_mass<P> =
    std::remove_cvref_t<decltype(std::declval<const P&>().W())>::diagonal;

template <class P>
struct DenseConstraintMatrix : DenseGram<typename P::Scalar, P::m, P::n> {
  using Gram = DenseGram<typename P::Scalar, P::m, P::n>;
  static constexpr bool keeps_factor = false;
  explicit DenseConstraintMatrix(const P& s)
      : Gram(s.constraints(), s.coordinates()), row_(zero_vector(s)), product_(zero_vector(s)) {}

  // Forms R one constraint after the other.
  void right(const P& s, const typename P::Vec& q, const typename P::Vec& p, const typename P::Jacobian& G0,
             const typename P::Scalar& gain) {
    if constexpr (P::m != 0)  // a matrix without columns has none that could be named
      Gram::right([&](auto& R) {
        R.setZero();
        G0.for_each([&](int i, int j, const auto& entry) { R(j, i) = gain * entry; });
        for (int i = 0; i < s.constraints(); ++i) {
          row_ = R.col(i);
          H_pp_times(s, q, p, row_, product_);
          R.col(i) = product_;
        }
      });
  }
  using Gram::right;

 private:
  typename P::Vec row_, product_;
};

template <class P>
struct PatternConstraintMatrix : PatternGram<typename P::Jacobian> {
  using Gram = PatternGram<typename P::Jacobian>;
  static constexpr bool keeps_factor = false;
  PatternConstraintMatrix() = default;
  explicit PatternConstraintMatrix(const P&) {}
  void right(const P& s, const typename P::Vec&, const typename P::Vec&, const typename P::Jacobian& G0,
             const typename P::Scalar& gain) {
    Gram::right(G0, s.W(), gain);
  }
};

template <class P>
struct EnvelopeConstraintMatrix : EnvelopeGram<typename P::Scalar> {
  using Gram = EnvelopeGram<typename P::Scalar>;
  static constexpr bool keeps_factor = false;
  explicit EnvelopeConstraintMatrix(const P& s) : Gram(made_for(s)) {}
  void right(const P& s, const typename P::Vec&, const typename P::Vec&, const typename P::Jacobian& G0,
             const typename P::Scalar& gain) {
    Gram::right(G0, s.W(), gain);
  }

 private:
  // A problem may have a plan at hand: to make one costs far more than a solve by it.
  static Gram made_for(const P& s) {
    if constexpr (requires { s.elimination(); })
      if (s.elimination()) return Gram(s.elimination());
    return Gram(s.make_jacobian());
  }
};

// This one is defined in sparse_constraint_matrix.hpp, which every solver for a problem with a grouped
// Jacobian includes.
template <class P>
class SparseConstraintMatrix;

template <class P>
constexpr auto pick_constraint_matrix() {
  if constexpr (Graded<P>)
    return std::type_identity<EitherMatrix<P, EnvelopeConstraintMatrix<P>, DenseConstraintMatrix<P>>>{};
  else if constexpr (has_diagonal_mass<P> && has_pattern<typename P::Jacobian>)
    return std::type_identity<PatternConstraintMatrix<P>>{};
  else if constexpr (has_diagonal_mass<P> && has_rows<typename P::Jacobian>)
    return std::type_identity<EnvelopeConstraintMatrix<P>>{};
  else if constexpr (has_diagonal_mass<P> && has_groups<typename P::Jacobian>)
    return std::type_identity<SparseConstraintMatrix<P>>{};
  else
    return std::type_identity<DenseConstraintMatrix<P>>{};
}

template <class P>
using ConstraintMatrix = typename decltype(pick_constraint_matrix<P>())::type;

}  // namespace taut
