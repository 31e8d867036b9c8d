// The constraint matrix of problems with a grouped Jacobian and diagonal W: systems of particles. Where all constraints are rods, in chains and small
// clusters, position and momentum solve go on in the space of the rods, and the matrix is made only if that fails.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/rods/newton.hpp>
#include <taut/solve/matrix/sparse_gram.hpp>

#include <optional>
#include <variant>

namespace taut {

template <class P>
class SparseConstraintMatrix {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Jacobian = typename P::Jacobian;
  using Multiplier = typename P::Multiplier;

  explicit SparseConstraintMatrix(const P& s) : SparseConstraintMatrix(s, s.make_jacobian()) {}

  // R = gain · W G₀ᵀ. G₀ stays where it is until the last solve with it.
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

  bool in_rod_space() const { return rods_.index() != 0; }

  // delta with g(q₁ - R delta) = 0 to the tolerance (0: to rounding); the number of corrections it took, 0 where it failed.
  [[gnu::noinline]] int rod_newton(const Vec& q1, double tolerance, Multiplier& delta) {
    int corrections = 0;
    if constexpr (on_rods)
      with_rods([&](auto& rods) {
        const RodStart from{G0_->entries.data(), q1.data(), nullptr};
        const RodSolve solved = rods.newton(from, tolerance / 4, 1 / gain_, delta.data());
        if (solved.sound) corrections = solved.corrections;
      });
    return corrections;
  }
  // mu and move.x with |g(move.x.q)| <= tolerance (0: at rounding) in one go through the system, `move` a KickAndDrift. Not sound: the general way is to go on from mu.
  template <class Move>
  [[gnu::noinline]] RodSolve rod_landing(const Move& move, double tolerance, Multiplier& mu) {
    RodSolve solved{0, false};
    if constexpr (on_rods)
      with_rods([&](auto& rods) {
        if (rods.goes_alone())
          solved = rods.land(
              {positions_of(move.from, move.x), momenta_of(move.from, move.x), move.h, mu.data()}, tolerance);
      });
    return solved;
  }
  // p ← p - Gᵀnu with |G W p| <= tolerance, likewise.
  template <class X>
  [[gnu::noinline]] RodSolve rod_projection(X& x, double tolerance, Multiplier& nu) {
    RodSolve solved{0, false};
    bool asked = false;
    if constexpr (on_rods)
      with_rods([&](auto& rods) {
        asked = rods.goes_alone();
        if (asked) solved = rods.project(x.q.data(), momenta_of(x, x), tolerance, nu.data());
      });
    if (!asked) set_zero(nu);
    return solved;
  }
  // x ← (G₀ R)⁻¹ x; false where a pivot vanished.
  [[gnu::noinline]] bool rod_solve(const Multiplier& demand, Multiplier& x) {
    bool sound = false;
    if constexpr (on_rods)
      with_rods(
          [&](auto& rods) { sound = rods.solve({G0_->entries.data(), nullptr, demand.data()}, x.data()); });
    return sound;
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

  template <class F>
  void with_rods(F&& f) {
    std::visit(
        [&](auto& rods) {
          if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(rods)>, std::monostate>) f(rods);
        },
        rods_);
  }

  SparseConstraintMatrix(const P& s, const Jacobian& G)
      : plan_(G.structure->template analysis<SparsePlan>(
            plan_kind(s.least_squares()), [&] { return plan_sparse<T>(G, !s.least_squares()); })) {
    if (s.least_squares()) return;
    if constexpr (on_rods)
      rods_ = make_rod_newton(G.structure->template analysis<RodLayout>(2, [&] { return rod_layout(s, G); }),
                              *plan_);
  }
  // Of plans with the same structure: batches or single numbers, chains cut or not. 2 is the layout of rods.
  static constexpr std::size_t plan_kind(bool least_squares) {
    if (batch_lanes<T> == 1) return 0;
    return least_squares ? 3 : 1;
  }
  // None where not all constraints are rods.
  static std::shared_ptr<const RodLayout> rod_layout(const P& s, const Jacobian& G) {
    std::vector<double> length = s.rod_lengths();
    if (length.empty()) return std::make_shared<const RodLayout>();
    RodLayout system;
    const int d = s.dimension(), count = s.coordinates() / d;
    system.rods = {d, count, {}, {}, std::move(length), std::vector<double>(count)};
    for (int i = 0; i < count; ++i) system.rods.weight[i] = s.W().weight(i);
    for (const auto& g : G.groups())
      for (int k = 0; k < g.rows; ++k) {
        system.rods.first.push_back(g.column[0][k]);
        system.rods.second.push_back(g.column[d][k]);
      }
    system.entries = rod_entries(G);
    return std::make_shared<const RodLayout>(std::move(system));
  }
  SparseGram<T>& gram() {
    if (!gram_) gram_.emplace(plan_, *G0_, problem_->W(), problem_->least_squares());
    if (!current_) gram_->right(*G0_, gain_);
    current_ = true;
    return *gram_;
  }

  std::shared_ptr<const SparsePlan> plan_;
  std::optional<SparseGram<T>> gram_;
  RodNewton rods_;
  const P* problem_ = nullptr;
  const Jacobian* G0_ = nullptr;
  T gain_ = T(1);
  bool current_ = false;
};

}  // namespace taut
