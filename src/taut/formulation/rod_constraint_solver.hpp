// The constraint solver of systems of particles. If all constraints are rods, in chains and small clusters,
// it lands and projects in the space of the rods. Otherwise, and if the rods refuse, it goes on by Newton's
// iteration on a sparse matrix, from where the rods ended.
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/formulation/sparse_constraint_matrix.hpp>
#include <taut/problem/kick_and_drift.hpp>
#include <taut/rods/rod_solver.hpp>

#include <algorithm>
#include <optional>

namespace taut {

// The rods of a problem; none if the problem has other constraints, or dependent ones.
template <class P>
class RodsOf {
 public:
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  explicit RodsOf(const P& s) {
    if constexpr (has_rods) {
      if (s.least_squares()) return;
      const auto G = s.make_jacobian();
      auto plan = G.structure->template analysis<RodPlan>(2, [&] { return plan_rods(rod_list(s, G)); });
      if (!taut::serves(*plan)) return;
      rods_.emplace(std::move(plan));
      find_harmless_kick(s);
    }
  }

  bool serve() const { return rods_.has_value(); }

  // Asks whether impulses of this size, in steps of length h, may cancel more than the system is large. The
  // rods themselves excuse any rounding of what they cancel.
  template <class Size, class T>
  bool may_cancel_all(const Size& nu, const T& h) const {
    return serve() && !(lane(nu, 0) * lane(magnitude(h), 0) <= harmless_);
  }

  // Finds mu and drift.x with |g| <= tolerance there, or with g at rounding if the tolerance is 0. If the
  // result is not sound, the caller goes on from mu by the general way.
  template <class Drift>
  RodSolve land(const Drift& drift, double tolerance, Multiplier& mu) {
    if constexpr (has_rods)
      if (rods_)
        return rods_->land(
            {positions_of(drift.from, drift.x), momenta_of(drift.from, drift.x), drift.h, mu.data()},
            tolerance);
    return {0, false};
  }
  // Finds nu with |G W p| <= tolerance at p - Gᵀnu in the same way.
  template <class X>
  RodSolve project(X& x, double tolerance, Multiplier& nu) {
    if constexpr (has_rods)
      if (rods_) return rods_->project(x.q.data(), momenta_of(x, x), tolerance, nu.data());
    set_zero(nu);
    return {0, false};
  }

  // Finds delta with g(q₁ - gain · W G₀ᵀdelta) = 0 to the tolerance, or to rounding if the tolerance is 0;
  // G₀ = G(q₀). Returns the number of corrections, or 0 if it failed.
  int newton(const Vec& q0, const Vec& q1, double tolerance, double gain, Multiplier& delta) {
    if constexpr (has_rods) {
      const RodSolve solved = rods_->newton(q0.data(), q1.data(), tolerance, 1 / gain, delta.data());
      if (solved.sound) return solved.corrections;
    }
    return 0;
  }

 private:
  static constexpr bool has_rods =
      std::is_same_v<typename P::Scalar, double> && requires(const P& s) { s.rod_lengths(); };

  template <class X>
  static RodSums positions_of(const X& from, X& to) {
    if constexpr (compensated<X>)
      return {from.q.data(), from.q_low.data(), to.q.data(), to.q_low.data()};
    else
      return {from.q.data(), nullptr, to.q.data(), nullptr};
  }
  template <class X>
  static RodSums momenta_of(const X& from, X& to) {
    if constexpr (compensated<X>)
      return {from.p.data(), from.p_low.data(), to.p.data(), to.p_low.data()};
    else
      return {from.p.data(), nullptr, to.p.data(), nullptr};
  }
  // The list is empty unless all constraints are rods.
  static RodList rod_list(const P& s, const typename P::Jacobian& G) {
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

  // An impulse moves no particle by more than a quarter of the shortest rod if it is no more than this in a
  // unit of time. The system is as large as that rod.
  void find_harmless_kick(const P& s) {
    const auto& lengths = s.rod_lengths();
    const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
    double lightest = 0;
    for (int i = 0; i < s.coordinates() / s.dimension(); ++i)
      lightest = std::max(lightest, static_cast<double>(s.W().weight(i)));
    harmless_ = *shortest / (4 * *longest * lightest);
  }

  std::optional<RodSolver> rods_;
  double harmless_ = 0;
};

// The shortcut of a landing whose move has R = gain · W G₀ᵀ but is not a kick and a drift. It makes the
// corrections in the space of the rods.
template <class P>
struct RodShortcut {
  static constexpr bool may_serve = true;
  RodsOf<P>* rods;
  const typename P::Vec* q0 = nullptr;
  typename P::Scalar gain{};

  bool serves() const { return rods->serve(); }
  // Takes what a move tells a matrix.
  void right(const P&, const typename P::Vec& q, const typename P::Vec&, const typename P::Jacobian&,
             const typename P::Scalar& by) {
    q0 = &q;
    gain = by;
  }
  int correct(const typename P::Vec& q1, double tolerance, typename P::Multiplier& delta) const {
    if constexpr (std::is_same_v<typename P::Scalar, double>)
      return rods->newton(*q0, q1, tolerance, gain, delta);
    else
      return 0;
  }
};

template <Hamiltonian P, class K>
class RodsOrNewton {
 public:
  using Vec = typename P::Vec;
  using Jacobian = typename P::Jacobian;
  using Multiplier = typename P::Multiplier;

  explicit RodsOrNewton(const P& s) : rods_(s), position_(s), momentum_(s) {}

  template <class Rule, LandingMove<P> M>
  Expected<int> land(const P& s, const Rule& rule, const Vec& q0, const Jacobian& G0, M& move, Multiplier& mu,
                     const LandFrom& from = {}) {
    if (!from.guess) set_zero(mu);
    RodSolve by_rods{0, false};
    if (may_be_newton<Rule> && rule.iteration == Iteration::full_newton) by_rods = in_one_go(move, rule, mu);
    if (by_rods.sound) return by_rods.corrections;
    LandFrom here{.guess = true, .units_known = from.units_known};
    auto landed = go_on(s, rule, q0, G0, move, mu, here);
    if (!landed && rule.tolerance <= 0 && position_.raise_units_to_noise(s, q0, landed.error())) {
      here = {.units_known = true};
      landed = go_on(s, rule, q0, G0, move, mu, here);
    }
    if constexpr (ScalarTraits<typename P::Scalar>::lanes == 1)
      if (!landed)
        if (const int near = position_.approach(s, rule, G0, move, mu, landed.error()); near > 0) {
          here = {.guess = true, .units_known = here.units_known};
          if (const auto again = go_on(s, rule, q0, G0, move, mu, here)) landed = *again + near;
        }
    if (rule.tolerance <= 0)
      suspicion_.add(position_.suspect() || Mask<typename P::Scalar>(came_from_afar(landed)));
    if (!landed) return landed;
    if constexpr (std::is_same_v<K, SparseConstraintMatrix<P>>) position_.matrix().minimum_norm(mu);
    return *landed + by_rods.corrections;
  }

  template <class Rule, class X>
  Expected<int> project(const P& s, const Rule& rule, X& x, const Jacobian& G, Multiplier& nu) {
    const RodSolve by_rods = rods_.project(x, rule.tolerance, nu);
    largest_ = largest_entry(nu);
    if (by_rods.sound) return by_rods.corrections;
    const auto projected = momentum_.project(s, rule, x, G, nu);
    if (rule.tolerance <= 0) suspicion_.add_rate(momentum_.rate());
    if (!projected) return projected;
    if (*projected > 0) momentum_.matrix().minimum_norm(nu);
    return *projected + by_rods.corrections;
  }

  bool in_doubt(const typename P::Scalar& h) const {
    return suspicion_.exists(h) || rods_.may_cancel_all(largest_, h);
  }
  template <class X>
  std::optional<Failure> missed(const P& s, const X& x0, const X& x1, const typename P::Scalar& h,
                                const Multiplier& mu, const Multiplier& nu) {
    if (rods_.may_cancel_all(largest_, h)) suspicion_.add(Mask<typename P::Scalar>(true));
    return suspicion_.judge(s, x0, x1, h, mu, nu);
  }
  std::optional<Failure> missed_landing(const P& s, const Vec& q0, const Vec& q1, const typename P::Scalar& h,
                                        const Multiplier& mu) {
    return suspicion_.judge_landing(s, q0, q1, h, mu);
  }

 private:
  // Rods can make the whole step if it is a kick and a drift.
  template <class X, class Mass, class Rule>
  RodSolve in_one_go(KickAndDrift<X, Jacobian, Mass>& drift, const Rule& rule, Multiplier& mu) {
    return rods_.land(drift, rule.tolerance, mu);
  }
  template <class M, class Rule>
  RodSolve in_one_go(M&, const Rule&, Multiplier&) {
    return {0, false};
  }

  template <class Rule, class M>
  Expected<int> go_on(const P& s, const Rule& rule, const Vec& q0, const Jacobian& G0, M& move,
                      Multiplier& mu, const LandFrom& from) {
    if constexpr (std::is_same_v<K, SparseConstraintMatrix<P>>) {
      RodShortcut<P> shortcut{&rods_};
      move.respond(s, shortcut);
      return position_.land(s, rule, q0, G0, move, mu, from, shortcut);
    } else {
      return position_.land(s, rule, q0, G0, move, mu, from);
    }
  }

  RodsOf<P> rods_;
  PositionSolve<P, K> position_;
  MomentumSolve<P> momentum_;
  Suspicion<P> suspicion_;
  Real<typename P::Scalar> largest_{0};  // impulse of the last projection
};

}  // namespace taut
