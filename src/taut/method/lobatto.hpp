// Lobatto IIIA-IIIB, Jay 1996: symplectic on M, symmetric, of order 2s-2, for any H(q, p). Labels: docs/theory/lobatto.md.
#pragma once

#include <taut/formulation/momentum_solve.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/stage_solve.hpp>

namespace taut {

// stages = dynamic: their number is set at run time.
template <int stages = dynamic>
struct Lobatto {
  int s = stages == dynamic ? 3 : stages;
  SolveOptions solve{};  // of the momentum constraint; the stages are always solved to rounding

  MethodFacts facts() const {
    return {.name = "lobatto",
            .argument = s,
            .what = "s-stage Lobatto IIIA-IIIB, any H(q, p)",
            .source = "Jay (3.3), (3.11), (3.3d)",
            .theory = "lobatto",
            .order = 2 * s - 2,
            .symmetric = true,
            .symplectic = true,
            .tier = Tier::hamiltonian};
  }

  template <class P>
  static constexpr bool fits = Hamiltonian<P>;

  template <Hamiltonian P, class X>
  struct Memory {
    Memory(const P& problem, const X& x, const Lobatto& method)
        : stage(problem, method.coefficients()),
          momentum(problem),
          G(problem.make_jacobian()),
          increment(zero_vector(problem)),
          before(x) {
      problem.G(x.q, G);
    }
    StageSolve<P, 1, stages> stage;
    MomentumSolve<P> momentum;  // ν = h bₛ Λₛ
    typename P::Jacobian G;     // at the present q
    typename P::Vec increment;
    X before;
  };
  // A user's own tableau in place of Lobatto's; check it with violated_condition() first.
  const Tableau<Float128>* own = nullptr;
  Tableau<Float128> coefficients() const { return own ? *own : lobatto_tableau(s); }

  template <Hamiltonian P, class X>
  Expected<int> step(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    auto& stage = at.stage;
    const auto solved = stage.solve(problem, x.q, x.p, at.G, h);
    if (!solved) return solved;
    at.before = x;
    stage.b.sum(stage.stages(), stage.velocity, at.increment);
    drift(x, h * at.increment);  // (J7): q₁ = Qₛ
    stage.b.sum(stage.stages(), stage.force, at.increment);
    kick(x, -at.increment);  // (J8), but for GᵀΛₛ
    problem.G(x.q, at.G);
    if (const auto projected = at.momentum.solve(problem, solve, x, at.G); !projected) {  // (J9)
      x = at.before;
      problem.G(x.q, at.G);
      return projected;
    }
    return solved;
  }
};

}  // namespace taut
