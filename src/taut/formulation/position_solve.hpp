// Find the impulse μ along G(q₀)ᵀ that makes a step end on g = 0: the nonlinear system inside SHAKE, RATTLE and
// every projected map. Labels: docs/theory/position-solve.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/solve/iterate.hpp>

namespace taut {

template <Hamiltonian P, class K = ConstraintMatrix<P>>
class PositionSolve {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  explicit PositionSolve(const P& s)
      : mu(zero_multiplier(s)),
        matrix(s),
        residual_(mu),
        delta_(mu),
        unit_(Vector<Real<T>, P::m>::Zero(s.constraints())),
        reach_(Vector<Real<T>, P::n>::Zero(s.coordinates())),
        G1_(s.make_jacobian()),
        moved_(zero_vector(s)) {}

  PositionSolve()  // room to work in for one solve
    requires fixed_size<P> && std::default_initializable<K>
  {}

  Multiplier mu;  // the impulse found; which multiple of λ it is, its method says
  K matrix;       // its right factor, -∂q₁/∂μ, is set by the caller before solve()

  // `move(mu)` gives the end position q₁ for an impulse: p₀ - G₀ᵀμ at the start. Where it has a member look(mu) that does so too, the iteration
  // asks that, and move(mu) is called once, at the end.
  // `Options`: SolveOptions, or one of its rules.
  template <class Options, class Move>
  Expected<int> solve(const P& s, const Options& options, const Vec& q0, const typename P::Jacobian& G0,
                      Move&& move) {
    set_zero(mu);
    return solve_from_here(s, options, q0, G0, move, false);
  }

  // The same from the impulse that `mu` holds, with the rounding units of the last solve where they still hold.
  template <class Options, class Move>
  Expected<int> solve_from_here(const P& s, const Options& options, const Vec& q0,
                                const typename P::Jacobian& G0, Move&& move, bool units_known) {
    Progress progress;
    if constexpr (may_be_newton<Options> && requires {
                    matrix.rod_landing(move, 1.0, mu);
                    move.from;
                  })
      if (options.iteration == Iteration::full_newton) {
        const auto landed = matrix.rod_landing(move, options.tolerance, mu);
        if (landed.sound) return landed.corrections;
        progress.more = landed.corrections;
      }
    const Vec* q1 = &q0;
    const auto solved = drive_to_zero(
        options, residual_, unit_, Landing<Move>{s, move, mu, residual_, q1},
        Units{q0, q1, G0, reach_, units_known},
        Correction<Options, Move>{*this, s, options, move, q1, G0, progress},
        affine<Move> && options.iteration == Iteration::full_newton && !keeps_factor() ? Polish::quadratic
                                                                                       : Polish::yes);
    if (!solved) return solved;
    if constexpr (requires { matrix.minimum_norm(mu); }) matrix.minimum_norm(mu);
    if constexpr (requires { move.look(mu); }) move(mu);
    return *solved + progress.more;
  }

 private:
  // A move that offers shift() says that q₁ is affine in μ: R is then -∂q₁/∂μ at every μ, and the iteration Newton's. Of others R is that of the start of the step, and
  // convergence linear; one that does not say that it is affine pays with a look or two.
  template <class Move>
  static constexpr bool affine = requires(Move& move, const Multiplier& by, Vec& d) { move.shift(by, d); };

  template <class Move>
  struct Landing {
    const P& s;
    Move& move;
    const Multiplier& mu;
    Multiplier& residual;
    const Vec*& q1;

    void operator()() {
      last();
      s.g(*q1, residual);  // (C1)
    }
    void last() {
      if constexpr (requires { move.look(mu); })
        q1 = &move.look(mu);
      else
        q1 = &move(mu);
    }
  };

  struct Units {
    const Vec& q0;
    const Vec*& q1;
    const typename P::Jacobian& G0;
    Vector<Real<T>, P::n>& reach;
    bool known;

    void operator()(Vector<Real<T>, P::m>& unit) const {
      each_index(q0, [&](int j) { reach[j] = magnitude(q0[j]) + magnitude((*q1)[j]); });
      raise_vanishing(reach);
      G0.row_bounds(reach, unit);
      unit *= Real<T>(epsilon<T>() / 2);  // (C4): what rounding q₁ alone does to g
    }
  };

  // What an iteration knows of its past.
  struct Progress {
    bool factored = false;
    bool by_rods = true;
    double first = 0, before = 0;  // largest |g| at the first and at the last correction
    int more = 0;                  // corrections beyond one for each evaluation of g
  };

  struct None {};  // no lane keeps its factor
  // (C2), see newton_to_rounding().
  template <class Options, class Move>
  struct Correction {
    PositionSolve& at;
    const P& s;
    const Options& options;
    Move& move;
    const Vec*& q1;
    const typename P::Jacobian& G0;
    Progress& progress;
    static constexpr int keeps = kept_corrections<K>();
    static constexpr bool may_be_newton = taut::may_be_newton<Options> && affine<Move>;

    int operator()(const Mask<T>& active) { return in_lanes(active, None{}); }
    int operator()(const Mask<T>& active, const Mask<T>& kept) {
      if constexpr (keeps > 0 && !std::is_same_v<Mask<T>, bool>)
        return in_lanes(active, kept);
      else
        return in_lanes(active, None{});
    }
    void again(const Mask<T>& active) {
      at.delta_ = at.residual_;
      at.matrix.solve(at.delta_);
      add(active);
    }
    // (C5), d what the last correction has moved q₁ by.
    void bend()
      requires Quadratic<P> && affine<Move>
    {
      auto&& d = room(s, at.moved_);
      if constexpr (P::m == 1) {  // bend(δ d) = δ² bend(d), and bend(d) need not wait for δ
        Multiplier one;
        one[0] = T(1);
        move.shift(one, d);
        s.bend(d, at.residual_);
        at.residual_[0] *= at.delta_[0] * at.delta_[0];
        return;
      }
      move.shift(at.delta_, d);
      s.bend(d, at.residual_);
    }
    template <class Kept>
    int in_lanes(const Mask<T>& active, const Kept& kept) {
      const int pivot = at.newton_correction(s, options, *q1, G0, progress, kept);
      if (pivot < 0) add(active);
      return pivot;
    }
    void add(const Mask<T>& active) {
      each_index(at.mu, [&](int i) { add_where(active, at.mu[i], at.delta_[i]); });
    }
  };

  // A factor of K that still takes this much off the residual at once is worth more than a new one; so is one that has taken this much off in all.
  static constexpr double worth_keeping = 1.0 / 64, nearly_all = 1e-9;

  // Full Newton keeps its factor while it serves: large systems, where factoring is most of the work.
  bool keeps_factor() const {
    if constexpr (requires { matrix.in_rod_space(); })
      return !matrix.in_rod_space();
    else
      return requires { K::keeps_factor; };
  }

  // delta = K⁻¹ g by the chosen iteration; -1, or the constraint whose pivot vanished.
  template <class Options, class Kept>
  int newton_correction(const P& s, const Options& options, const Vec& q1, const typename P::Jacobian& G0,
                        Progress& progress, const Kept& kept) {
    if constexpr (requires { matrix.in_rod_space(); })
      if (options.iteration == Iteration::full_newton && matrix.in_rod_space() && progress.by_rods) {
        const int corrections = matrix.rod_newton(q1, options.tolerance, delta_);
        if (corrections > 0) {
          progress.more += corrections - 1;
          return -1;
        }
        progress.by_rods = false;  // from here on by the matrix, which names what fails
      }
    delta_ = residual_;
    if (options.iteration == Iteration::symmetric) {
      if (!progress.factored) {
        matrix.assemble(G0);
        if (const int pivot = matrix.factor(); pivot >= 0) return pivot;
        progress.factored = true;
      }
      matrix.solve(delta_);
      return -1;
    }
    if (options.iteration == Iteration::full_newton && keeps_factor() && still_serves(progress)) {
      matrix.solve(delta_);
      return -1;
    }
    refresh(s, q1, kept);
    matrix.assemble(G1_);  // (C3)
    if (!may_be_newton<Options> || options.iteration == Iteration::sweep) return matrix.sweep(delta_);
    if (const int pivot = matrix.factor(); pivot >= 0) return pivot;
    progress.factored = true;
    matrix.solve(delta_);
    return -1;
  }

  void refresh(const P& s, const Vec& q1, const None&) { s.G(q1, G1_); }
  // In the lanes of `kept` G₁ stays as it is.
  void refresh(const P& s, const Vec& q1, const Mask<T>& kept) {
    const typename P::Jacobian before = G1_;
    s.G(q1, G1_);
    for (std::size_t i = 0; i < before.entries.size(); ++i)
      G1_.entries[i] = select(kept, before.entries[i], G1_.entries[i]);
  }

  bool still_serves(Progress& progress) const {
    if constexpr (std::is_floating_point_v<T>) {
      const double now = static_cast<double>(largest_entry(residual_));
      const bool serves =
          progress.factored && (now <= worth_keeping * progress.before || now <= nearly_all * progress.first);
      if (!progress.factored) progress.first = now;
      progress.before = now;
      return serves;
    } else {
      return false;
    }
  }

  Multiplier residual_, delta_;
  Vector<Real<T>, P::m> unit_;
  Vector<Real<T>, P::n> reach_;
  typename P::Jacobian G1_;
  Vec moved_;
};

}  // namespace taut
