// Lobatto IIIA-IIIB, Jay 1996: symplectic on M, symmetric, of order 2s-2, for any H(q, p). Labels:
// docs/theory/lobatto.md.
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/formulation/multiplier.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/made/given_tableau.hpp>
#include <taut/method/spelling.hpp>
#include <taut/method/stage_solve.hpp>
#include <taut/method/tableau_conditions.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace taut {

// The source of the multiplier at the end of a step.
enum class MultiplierFrom {
  equations,  // (3.3e): λ(q₁, p₁) of the continuous equations, as accurate as q and p; needs Castable
  last_stage  // Λₛ, which costs nothing more, of order s-1
};

// If stages is dynamic, their number is set at run time.
template <int stages = dynamic>
struct Lobatto {
  int s = stages == dynamic ? 3 : stages;
  SolveOptions solve{};  // for the stages and for the momentum constraint
  MultiplierFrom multiplier_from = MultiplierFrom::equations;
  // A user's own tableau in place of Lobatto's. If violated_condition() names a condition, binding it to a
  // problem throws std::invalid_argument.
  const Tableau<Float128>* own = nullptr;
  std::string_view own_name = {};  // what people call it; empty: lobatto(s)

  MethodFacts facts() const {
    return {.name = own_name.empty() ? "lobatto" : own_name,
            .argument = own_name.empty() ? s : 0,
            .what = own ? "symplectic pair of a user's own tableau, any H(q, p)"
                    : multiplier_from == MultiplierFrom::equations
                        ? "s-stage Lobatto IIIA-IIIB, any H(q, p)"
                        : "s-stage Lobatto IIIA-IIIB, any H(q, p); multiplier of order s-1",
            .source = "Jay (3.3), (3.11), (3.3d)",
            .theory = "lobatto",
            .order = own ? order_of(*own) : 2 * s - 2,
            .symmetric = !own || is_symmetric(*own),
            .symplectic = !own || tableau_conditions::symplectic(*own),
            .tier = Tier::hamiltonian,
            .work = 5 * s,
            .solve_limit = stage_limit};
  }
  static constexpr MethodNumber number() { return {"s", "stages", 2, 32}; }
  Lobatto numbered(int n) const { return {.s = n}; }
  // If the problem is small, the compiler knows a small number of stages: a step of the double pendulum is
  // 1.5 times faster for it. A step of the chains of six and seven bodies is not, and takes a tenth longer
  // to compile.
  Spelling spelling() const {
    if (own)
      return {{"lobatto.hpp", "made/given_tableau.hpp"},
              "Lobatto<>",
              "Lobatto<>{.s = " + std::to_string(s) + ", .own = " + given_text(*own) + "}"};
    if (s > most_known) return spelled("lobatto.hpp", "Lobatto<>", "s", s);
    return spelled("lobatto.hpp", "Lobatto<P::n <= 8 ? " + std::to_string(s) + " : dynamic>", "s", s);
  }

  template <class P>
  static constexpr bool fits = Hamiltonian<P>;

  static constexpr int most_known = 6;

  // Calls f(method) with the number of stages known to the compiler if they are few; the steps are the same
  // to the last bit.
  template <class F>
    requires(stages == dynamic)
  auto with_stages_known(F&& f) const {
    switch (s) {
      case 2:
        return f(known<2>());
      case 3:
        return f(known<3>());
      case 4:
        return f(known<4>());
      case 5:
        return f(known<5>());
      case most_known:
        return f(known<most_known>());
      default:
        return f(*this);
    }
  }

  template <Hamiltonian P, class X>
  struct Memory {
    Memory(const P& problem, const X& x, const Lobatto& method)
        : stage(problem, method.coefficients()),
          solver(problem),
          nu(zero_multiplier(problem)),
          G(problem.make_jacobian()),
          increment(zero_vector(problem)),
          before(x),
          embedded(embedded_weights(method.coefficients())) {
      problem.G(x.q, G);
    }
    void refresh(const P& problem, const typename P::Vec& q) { problem.G(q, G); }
    typename P::Multiplier last_multiplier(const typename P::Scalar& h) const {
      return stage_multiplier(*this, h);
    }
    // Returns the distance between the end of the last step and that of the embedded method.
    std::optional<double> local_error(const typename P::Scalar& h) const {
      if (embedded.empty()) return std::nullopt;
      using T = typename P::Scalar;
      typename P::Vec of_q = T(embedded[0]) * stage.velocity[0], of_p = T(embedded[0]) * stage.force[0];
      for (std::size_t i = 1; i < embedded.size(); ++i) {
        of_q += T(embedded[i]) * stage.velocity[i];
        of_p += T(embedded[i]) * stage.force[i];
      }
      of_p = -of_p;
      G.subtract_transpose(nu, of_p);                                    // what the last stage lacks
      const T square = h * h * of_q.squaredNorm() + of_p.squaredNorm();  // (J12)
      return std::sqrt(std::max(0.0, lane(square, 0)));
    }
    StageSolve<P, 1, stages> stage;
    SolverOf<P> solver;
    typename P::Multiplier nu;  // h bₛ Λₛ
    typename P::Jacobian G;     // at the present q
    typename P::Vec increment;
    X before;
    std::vector<double> embedded;  // b - b̂; empty if two nodes are the same
  };
  // Returns b - b̂; b̂ is the quadrature formula on the first s-1 nodes.                                (J13)
  static std::vector<double> embedded_weights(const Tableau<Float128>& t) {
    std::vector<Float128> weight;
    for (int i = 0; i < t.stages(); ++i) {
      Float128 product = 1;
      for (int j = 0; j < t.stages(); ++j)
        if (j != i) product *= t.c[i] - t.c[j];
      if (product == 0) return {};
      weight.push_back(1 / product);
    }
    const Float128 scale = t.b[t.stages() - 1] / weight.back();
    std::vector<double> rounded;
    for (const Float128& w : weight) rounded.push_back(static_cast<double>(scale * w));
    return rounded;
  }
  Tableau<Float128> coefficients() const {
    if (!own) return lobatto_tableau(s);
    if (const auto violated = violated_condition(*own))
      throw std::invalid_argument("lobatto: a tableau of one's own is refused: " + *violated);
    if (own->stages() != s)
      throw std::invalid_argument("lobatto: s = " + std::to_string(s) + ", but the tableau has " +
                                  std::to_string(own->stages()) + " stages");
    return *own;
  }

  template <Hamiltonian P, class X>
  Expected<int> step(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    auto& stage = at.stage;
    stage.take_low_parts(x);
    const auto solved = stage.solve(problem, x.q, x.p, at.G, h, solve);
    if (!solved) return solved;
    at.before = x;
    stage.b.sum(stage.stages(), stage.velocity, at.increment);
    drift(x, h * at.increment);  // (J7): q₁ = Qₛ
    stage.b.sum(stage.stages(), stage.force, at.increment);
    kick(x, -at.increment);  // (J8), except for GᵀΛₛ
    problem.G(x.q, at.G);
    const auto given_up = [&](const Failure& failure) {
      x = at.before;
      problem.G(x.q, at.G);
      return failure;
    };
    if (const auto projected = at.solver.project(problem, solve, x, at.G, at.nu); !projected)  // (J9)
      return given_up(projected.error());
    if (const auto missed = at.solver.missed(problem, at.before, x, h, at.nu, at.nu))
      return given_up(*missed);
    return solved;
  }

  // Returns λ at x, the end of the last step of length h.
  template <Hamiltonian P, class X>
    requires Castable<P>
  Expected<typename P::Multiplier> multiplier(const P& problem, const X& x, const Memory<P, X>& at,
                                              const typename P::Scalar& h) const {
    if (multiplier_from == MultiplierFrom::last_stage) return stage_multiplier(at, h);
    return taut::multiplier(problem, x.q, x.p);
  }

  // Returns Λₛ of the last step, for any problem.
  template <Hamiltonian P, class X>
  static typename P::Multiplier stage_multiplier(const Memory<P, X>& at, const typename P::Scalar& h) {
    using T = typename P::Scalar;
    return at.nu / T(h * T(at.stage.b.whole(0, at.stage.stages() - 1)));
  }

 private:
  template <int number>
  Lobatto<number> known() const {
    return {.s = s, .solve = solve, .multiplier_from = multiplier_from, .own = own, .own_name = own_name};
  }
};

}  // namespace taut
