// The constraint matrix of problems with a grouped Jacobian and diagonal W: systems of particles.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/solve/matrix/sparse_gram.hpp>

#include <optional>

namespace taut {

template <class P>
class SparseConstraintMatrix {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Jacobian = typename P::Jacobian;
  using Multiplier = typename P::Multiplier;
  static constexpr bool keeps_factor = true;

  explicit SparseConstraintMatrix(const P& s) : SparseConstraintMatrix(s, s.make_jacobian()) {}

  // R = gain · W G₀ᵀ. The problem and G₀ stay where they are until the last solve with them.
  void right(const P& s, const Vec&, const Vec&, const Jacobian& G0, const T& gain) {
    problem_ = &s;
    G0_ = &G0;
    gain_ = gain;
    current_ = false;
  }
  void assemble(const Jacobian& G1) { gram().assemble(G1); }
  int factor() { return gram_->factor(); }
  void solve(Multiplier& b) const { gram_->solve(b); }
  int sweep(Multiplier& b) const { return gram_->sweep(b); }

  // The constraints that are coupled to this one.
  std::vector<int> component_with(int constraint) const { return plan_->component_with(constraint); }

  // For constraints that depend on each other: makes mu the shortest multipliers with the same impulse G₀ᵀmu.
  void minimum_norm(Multiplier& mu) {
    if constexpr (std::is_floating_point_v<T>) {  // nobody asks for it with other scalars
      if (!problem_->least_squares()) return;
      gram().assemble(*G0_);
      if (gram().factor() < 0) gram().minimum_norm(mu);
    }
  }

 private:
  SparseConstraintMatrix(const P& s, const Jacobian& G)
      : plan_(G.structure->template analysis<SparsePlan>(
            plan_kind(s.least_squares()), [&] { return plan_sparse<T>(G, !s.least_squares()); })) {}
  // Plans of one structure differ: for batches or single numbers, with chains cut or not.
  static constexpr std::size_t plan_kind(bool least_squares) {
    if (batch_lanes<T> == 1) return 0;
    return least_squares ? 3 : 1;
  }
  SparseGram<T>& gram() {
    if (!gram_) gram_.emplace(plan_, *G0_, problem_->W(), problem_->least_squares());
    if (!current_) gram_->right(*G0_, gain_);
    current_ = true;
    return *gram_;
  }

  std::shared_ptr<const SparsePlan> plan_;
  std::optional<SparseGram<T>> gram_;
  const P* problem_ = nullptr;
  const Jacobian* G0_ = nullptr;
  T gain_ = T(1);
  bool current_ = false;
};

}  // namespace taut
