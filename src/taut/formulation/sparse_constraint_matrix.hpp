// The constraint matrix of problems with a grouped Jacobian and diagonal W: systems of particles. Where all
// constraints are rods, in chains and small clusters, position and momentum solve go on in the space of the
// rods, and the matrix is made only if that fails.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/rods/rod_solver.hpp>
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

  explicit SparseConstraintMatrix(const P& s) : SparseConstraintMatrix(s, s.make_jacobian()) {}

  // R = gain · W G₀ᵀ, with G₀ that of q₀. Both stay where they are until the last solve with them.
  void right(const P& s, const Vec& q0, const Vec&, const Jacobian& G0, const T& gain) {
    problem_ = &s;
    q0_ = &q0;
    G0_ = &G0;
    gain_ = gain;
    current_ = false;
  }
  void assemble(const Jacobian& G1) { gram().assemble(G1); }
  int factor() { return gram_->factor(); }
  void solve(Multiplier& b) const { gram_->solve(b); }
  int sweep(Multiplier& b) const { return gram_->sweep(b); }
  std::vector<int> component_with(int constraint) const { return plan_->component_with(constraint); }

  // mu ← the shortest multipliers with the same impulse G₀ᵀmu, where dependent constraints are left out.
  void minimum_norm(Multiplier& mu) {
    if constexpr (std::is_floating_point_v<T>) {  // of other scalars nobody asks for it
      if (!problem_->least_squares()) return;
      gram().assemble(*G0_);
      gram().factor();
      gram().minimum_norm(mu);
    }
  }

  bool in_rod_space() const { return rods_.has_value(); }

  // Finds delta with g(q₁ - R delta) = 0 to the tolerance, or to rounding if that is 0. Returns the number of
  // corrections, 0 if it failed.
  int rod_newton(const Vec& q1, double tolerance, Multiplier& delta) {
    if constexpr (on_rods) {
      const RodSolve solved = rods_->newton(q0_->data(), q1.data(), tolerance, 1 / gain_, delta.data());
      if (solved.sound) return solved.corrections;
    }
    return 0;
  }
  // Finds mu and move.x with |g(move.x.q)| <= tolerance, or g at rounding if that is 0, in one go through the
  // system; `move` is a KickAndDrift. If the result is not sound, the general way is to go on from mu.
  template <class Move>
  RodSolve rod_landing(const Move& move, double tolerance, Multiplier& mu) {
    if constexpr (on_rods)
      if (rods_)
        return rods_->land(
            {positions_of(move.from, move.x), momenta_of(move.from, move.x), move.h, mu.data()}, tolerance);
    return {0, false};
  }
  // p ← p - Gᵀnu with |G W p| <= tolerance, likewise.
  template <class X>
  RodSolve rod_projection(X& x, double tolerance, Multiplier& nu) {
    if constexpr (on_rods)
      if (rods_) return rods_->project(x.q.data(), momenta_of(x, x), tolerance, nu.data());
    set_zero(nu);
    return {0, false};
  }
  // x ← (G₀ R)⁻¹ demand, with gain 1. Returns false if a pivot vanished.
  bool rod_solve(const Multiplier& demand, Multiplier& x) {
    if constexpr (on_rods) return rods_->solve(q0_->data(), demand.data(), x.data());
    return false;
  }

 private:
  template <class X>
  static RodSums positions_of(const X& from, X& to) {
    if constexpr (requires { to.q_low; })
      return {from.q.data(), from.q_low.data(), to.q.data(), to.q_low.data()};
    else
      return {from.q.data(), nullptr, to.q.data(), nullptr};
  }
  template <class X>
  static RodSums momenta_of(const X& from, X& to) {
    if constexpr (requires { to.p_low; })
      return {from.p.data(), from.p_low.data(), to.p.data(), to.p_low.data()};
    else
      return {from.p.data(), nullptr, to.p.data(), nullptr};
  }

  static constexpr bool on_rods = std::is_same_v<T, double> && requires(const P& s) { s.rod_lengths(); };

  SparseConstraintMatrix(const P& s, const Jacobian& G)
      : plan_(G.structure->template analysis<SparsePlan>(
            plan_kind(s.least_squares()), [&] { return plan_sparse<T>(G, !s.least_squares()); })) {
    if (s.least_squares()) return;
    if constexpr (on_rods) {
      auto plan = G.structure->template analysis<RodPlan>(2, [&] { return plan_rods(rod_list(s, G)); });
      if (serves(*plan)) rods_.emplace(std::move(plan));
    }
  }
  // Of plans with the same structure: batches or single numbers, chains cut or not. 2 is the plan of rods.
  static constexpr std::size_t plan_kind(bool least_squares) {
    if (batch_lanes<T> == 1) return 0;
    return least_squares ? 3 : 1;
  }
  // The list is empty unless all constraints are rods.
  static RodList rod_list(const P& s, const Jacobian& G) {
    RodList rods;
    rods.length = s.rod_lengths();
    if (rods.length.empty()) return rods;
    const int d = rods.dimension = s.dimension();
    rods.particles = s.coordinates() / d;
    for (int i = 0; i < rods.particles; ++i) rods.weight.push_back(s.W().weight(i));
    for (const auto& g : G.groups())
      for (int k = 0; k < g.rows; ++k) {
        rods.first.push_back(g.column[0][k]);
        rods.second.push_back(g.column[d][k]);
      }
    return rods;
  }
  SparseGram<T>& gram() {
    if (!gram_) gram_.emplace(plan_, *G0_, problem_->W(), problem_->least_squares());
    if (!current_) gram_->right(*G0_, gain_);
    current_ = true;
    return *gram_;
  }

  std::shared_ptr<const SparsePlan> plan_;
  std::optional<SparseGram<T>> gram_;
  std::optional<RodSolver> rods_;
  const P* problem_ = nullptr;
  const Vec* q0_ = nullptr;
  const Jacobian* G0_ = nullptr;
  T gain_ = T(1);
  bool current_ = false;
};

}  // namespace taut
