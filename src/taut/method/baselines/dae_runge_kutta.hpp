// Runge-Kutta methods applied to the constrained equations as they stand, with and without a projection onto
// M after each step: the baselines that are not symplectic on M. Radau IIA keeps g = 0; Gauss keeps nothing
// and generally diverges without projections. Labels: docs/theory/dae-runge-kutta.md.
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/method/stage_solve.hpp>

namespace taut {

enum class DaeFamily { radau, gauss };

template <DaeFamily family, bool projected>
struct DaeRungeKutta {
  int s = 2;
  SolveOptions solve{};  // for stages and projections

  MethodFacts facts() const {
    if constexpr (family == DaeFamily::radau)
      return {.name = projected ? "radau-projected" : "radau",
              .argument = s,
              .what = projected ? "Radau IIA and a projection onto M: not symplectic"
                                : "Radau IIA: not symplectic, p of order s",
              .source = "Jay 5",
              .theory = "dae-runge-kutta",
              .order = projected ? 2 * s - 1 : s,
              .keeps = projected ? Keeps::position_and_momentum : Keeps::position,
              .tier = Tier::hamiltonian,
              .work = 5 * s,
              .solve_limit = stage_limit};
    else
      return {.name = projected ? "gauss-projected" : "gauss-unprojected",
              .argument = s,
              .what = projected ? "Gauss and a projection onto M: not symplectic on it"
                                : "Gauss as it stands: generally diverges",
              .source = "Jay 5",
              .theory = "dae-runge-kutta",
              .order = projected ? s : 0,
              .keeps = projected ? Keeps::position_and_momentum : Keeps::nothing,
              .tier = Tier::hamiltonian,
              .work = 5 * s,
              .solve_limit = stage_limit};
  }
  static constexpr MethodNumber number() { return {"s", "stages", family == DaeFamily::radau ? 2 : 1, 16}; }
  DaeRungeKutta numbered(int stages) const { return {.s = stages}; }
  Spelling spelling() const {
    return spelled("baselines/dae_runge_kutta.hpp",
                   std::string("DaeRungeKutta<DaeFamily::") +
                       (family == DaeFamily::radau ? "radau" : "gauss") +
                       (projected ? ", true>" : ", false>"),
                   "s", s);
  }

  template <class P>
  static constexpr bool fits = Hamiltonian<P>;

  template <Hamiltonian P, class X>
  struct Memory {
    Memory(const P& problem, const X& x, const DaeRungeKutta& method)
        : stage(problem, family == DaeFamily::radau ? radau_tableau(method.s) : gauss_tableau(method.s)),
          solver(problem),
          impulse(zero_multiplier(problem)),
          G(problem.make_jacobian()),
          along(zero_vector(problem)),
          move(along),
          before(x),
          end(x.q) {
      problem.G(x.q, G);
    }
    StageSolve<P, 0> stage;
    SolverOf<P> solver;
    typename P::Multiplier impulse;
    typename P::Jacobian G;  // at the present q
    typename P::Vec along, move;
    X before;
    typename P::Vec end;

    // Returns the multiplier of the last stage. For Radau IIA that is the end of the step, where it
    // approximates λ to order s - 1.
    typename P::Multiplier last_multiplier(const typename P::Scalar& h) const { return stage.L.back() / h; }
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.stage.take_low_parts(x);
    const auto solved = at.stage.solve(problem, x.q, x.p, at.G, h, solve);  // (K1), (K2), (K3)
    if (!solved) return solved;
    at.before = x;
    at.stage.b.sum(at.stage.stages(), at.stage.velocity, at.move);
    drift(x, h * at.move);  // (K4)
    at.stage.b.sum(at.stage.stages(), at.stage.force, at.move);
    kick(x, -at.move);  // (K5)
    problem.G(x.q, at.G);
    if constexpr (!projected) return solved;
    const auto given_up = [&](const Failure& failure) {
      x = at.before;
      problem.G(x.q, at.G);
      return failure;
    };
    if (const auto landed = project(problem, x, at); !landed) return given_up(landed.error());
    if (const auto missed = at.solver.missed(problem, at.before, x, h, at.impulse, at.impulse))
      return given_up(*missed);
    return solved;
  }

 private:
  // Moves q along H_pp Gᵀ, both taken at the unprojected point, then p along Gᵀ.
  template <Hamiltonian P, class X>
  Expected<int> project(const P& problem, X& x, Memory<P, X>& at) const {
    using T = typename P::Scalar;
    auto move = move_with_gain(problem, x.q, x.p, at.G, T(1), [&](const auto& mu) -> const auto& {
      at.along.setZero();
      at.G.subtract_transpose(mu, at.along);
      H_pp_times(problem, x.q, x.p, at.along, at.move);
      at.end = x.q + at.move;  // (K6)
      return at.end;
    });
    const auto landed = at.solver.land(problem, solve, x.q, at.G, move, at.impulse);
    if (!landed) return landed;
    drift(x, at.move);
    problem.G(x.q, at.G);
    return at.solver.project(problem, solve, x, at.G, at.impulse);  // (K7)
  }
};

}  // namespace taut
