// Backward differentiation on the constrained equations as they stand (index 3), with a fixed step,
// Leimkuhler-Skeel (35)-(37): the damped baseline. Its first k-1 steps are taken by lobatto(5), which is
// accurate enough for every k <= 6, or by radau(5) if the forces are too stiff for that. Labels:
// docs/theory/bdf.md.
#pragma once

#include <taut/method/baselines/dae_runge_kutta.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/lobatto.hpp>

#include <algorithm>
#include <vector>

namespace taut {

struct Bdf {
  int k = 2;
  SolveOptions solve{};  // for every step, those of the start too

  MethodFacts facts() const {
    return {.name = "bdf",
            .argument = k,
            .what = "backward differentiation, k = 1 ... 6: not symplectic, damps (k = 3, 4: gains) energy",
            .source = "Leimkuhler-Skeel (35)-(37)",
            .theory = "bdf",
            .order = k,
            .keeps = Keeps::position,
            .tier = Tier::hamiltonian,
            .work = 4,
            .solve_limit = stage_limit};
  }
  static constexpr MethodNumber number() { return {"k", "steps", 1, 6}; }
  Bdf numbered(int steps) const { return {.k = steps, .solve = solve}; }
  Spelling spelling() const { return spelled("baselines/bdf.hpp", "Bdf", "k", k); }

  template <class P>
  static constexpr bool fits = Hamiltonian<P>;

  using StiffStarter = DaeRungeKutta<DaeFamily::radau, false>;

  template <Hamiltonian P, class X>
  struct Memory {
    Memory(const P& problem, const X& x, const Bdf& method)
        : starter{.s = 5, .solve = method.solve},
          start(make_memory(starter, problem, x)),
          stage(problem, backward_euler()),
          G(problem.make_jacobian()),
          q_sum(zero_vector(problem)),
          p_sum(q_sum),
          before(x),
          past(static_cast<std::size_t>(method.k) - 1, x) {
      const std::vector<Float128> alpha = coefficients(method.k);
      for (const Float128& a : alpha) share.push_back(coefficient<typename P::Scalar>(a / alpha[0]));
      beta = coefficient<typename P::Scalar>(1 / alpha[0]);
      start.stage.may_use_newton = false;
    }
    Lobatto<> starter;
    Lobatto<>::Memory<P, X> start;
    StageSolve<P, 0> stage;
    typename P::Jacobian G;
    typename P::Vec q_sum, p_sum;
    X before;
    std::vector<X> past;                    // x_{n-1}, x_{n-2}, …, x_{n-k+1}
    int known = 0;                          // how many of them are known
    std::vector<typename P::Scalar> share;  // αᵢ/α₀
    typename P::Scalar beta;                // 1/α₀

    template <class Carry>
    void carry(Carry& c) {
      c(past);
      c(known);
    }
    void remember() {
      std::rotate(past.begin(), past.end() - (past.empty() ? 0 : 1), past.end());
      if (!past.empty()) past.front() = before;
      if (known < static_cast<int>(past.size())) ++known;
    }
  };

  // Returns α₀ … α_k of Σ αᵢ y_{n+1-i} = h y', which come from
  // Σ_{j=1..k} (1/j) ∇ʲ y_{n+1} = h y'                                                                 (B1)
  static std::vector<Float128> coefficients(int k) {
    std::vector<Float128> alpha(static_cast<std::size_t>(k) + 1, 0);
    for (int j = 1; j <= k; ++j) {
      Float128 binomial = 1;
      for (int i = 0; i <= j; ++i) {
        alpha[static_cast<std::size_t>(i)] += (i % 2 == 0 ? binomial : -binomial) / j;
        binomial = binomial * (j - i) / (i + 1);
      }
    }
    return alpha;
  }

  template <Hamiltonian P, class X>
  Expected<int> step(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.before = x;
    if (at.known < k - 1) {
      const auto started = start(problem, x, at, h);
      if (started) at.remember();
      return started;
    }
    at.q_sum = -at.share[1] * x.q;
    at.p_sum = -at.share[1] * x.p;
    for (std::size_t i = 0; i < at.past.size(); ++i) {
      at.q_sum -= at.share[i + 2] * at.past[i].q;
      at.p_sum -= at.share[i + 2] * at.past[i].p;
    }
    problem.G(x.q, at.G);
    const auto solved = at.stage.solve(problem, at.q_sum, at.p_sum, at.G, typename P::Scalar(h * at.beta),
                                       solve);  // (B2), (B3), (B4)
    if (!solved) return solved;
    x = X(StateOf<P>{at.stage.Q[0], at.stage.P_[0]});
    at.remember();
    return solved;
  }

 private:
  template <Hamiltonian P, class X>
  Expected<int> start(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    const auto started = at.starter.step(problem, x, at.start, h);
    return started ? started : start_stiffly(problem, x, at, h);
  }
  // Lobatto is not stable where its simplified iteration diverges; Radau is.
  template <Hamiltonian P, class X>
  [[gnu::cold, gnu::noinline]] Expected<int> start_stiffly(const P& problem, X& x, Memory<P, X>& at,
                                                           const typename P::Scalar& h) const {
    const StiffStarter stiff{.s = 5, .solve = solve};
    auto memory = make_memory(stiff, problem, x);
    const auto started = stiff.step(problem, x, memory, h);
    problem.G(x.q, at.start.G);
    return started;
  }
  static Tableau<Float128> backward_euler() { return collocation({Float128(1)}); }
};

}  // namespace taut
