// Backward differentiation of order k on the constrained equations as they stand (index 3), with steps that
// are chosen by an estimate of their error, as in the code DASSL. A step of h is made of as many of them as
// it needs, and the last one ends at h. Labels: docs/theory/bdf-variable.md.
#pragma once

#include <taut/method/baselines/dae_runge_kutta.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/lobatto.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace taut {

struct BdfVariable {
  int k = 4;
  SolveOptions solve{};  // for every step, those of the start too; its error_tolerance chooses the steps

  MethodFacts facts() const {
    return {.name = "bdf-variable",
            .argument = k,
            .what = "backward differentiation with steps of at most h, chosen by their error: not symplectic",
            .source = "Leimkuhler-Skeel 6; Reich 5; DASSL",
            .theory = "bdf-variable",
            .order = k,
            .keeps = Keeps::position,
            .tier = Tier::hamiltonian,
            .work = 8,
            .solve_limit = stage_limit,
            .solves = 0};
  }
  static constexpr MethodNumber number() { return {"k", "steps", 1, 6}; }
  BdfVariable numbered(int steps) const { return {.k = steps, .solve = solve}; }
  Spelling spelling() const { return spelled("baselines/bdf_variable.hpp", "BdfVariable", "k", k); }

  template <class P>
  static constexpr bool fits = Hamiltonian<P> && is_float<typename P::Scalar>;

  // What the next step depends on beside x.
  template <class P, class X>
  struct Past {
    using T = typename P::Scalar;
    Past(const X& start, int k)
        : x(static_cast<std::size_t>(k), start), size(static_cast<std::size_t>(k), T(0)) {}
    std::vector<X> x;     // x_{n-1}, …, x_{n-k}
    std::vector<T> size;  // t_n - t_{n-1}, …, t_{n-k+1} - t_{n-k}
    int known = 0;        // how many of both are known
    T proposed{0};        // the size of the next step, without its sign; 0: not chosen yet
    int since_change = 0;
    T q_scale{0}, p_scale{0};  // the largest |q| and |p| so far
    T time{0};                 // the time in which the start turns into something else

    void take(const X& left, const T& h) {
      std::rotate(x.begin(), x.end() - 1, x.end());
      std::rotate(size.begin(), size.end() - 1, size.end());
      x.front() = left;
      size.front() = h;
      known = std::min(known + 1, static_cast<int>(x.size()));
      ++since_change;
    }
    template <class Carry>
    void carry(Carry& c) {
      c(x);
      c(size);
      c(known);
      c(proposed);
      c(since_change);
      c(q_scale);
      c(p_scale);
      c(time);
      known = std::clamp(known, 0, static_cast<int>(x.size()));
    }
  };

  template <Hamiltonian P, class X>
  struct Memory {
    using T = typename P::Scalar;
    Memory(const P& problem, const X& x, const BdfVariable& method)
        : starter{.s = 5, .solve = method.solve},
          start(make_memory(starter, problem, x)),
          stage(problem, collocation({Float128(1)})),
          G(problem.make_jacobian()),
          q_sum(zero_vector(problem)),
          p_sum(q_sum),
          before(x),
          next(x),
          past(x, method.k),
          past_before(past),
          tau(static_cast<std::size_t>(method.k) + 1, T(0)),
          share(tau) {
      start.stage.may_use_newton = false;
    }
    Lobatto<> starter;
    Lobatto<>::Memory<P, X> start;
    StageSolve<P, 0> stage;
    typename P::Jacobian G;
    typename P::Vec q_sum, p_sum;
    X before, next;
    Past<P, X> past, past_before;
    std::vector<T> tau;    // t_{n+1} - t_n, …, t_{n+1} - t_{n-k}
    std::vector<T> share;  // αᵢ of (BV1) for i = 1, …, k; then the weights of (BV5)
    double error = 0;      // the largest estimate of the last step of h

    template <class Carry>
    void carry(Carry& c) {
      past.carry(c);
      c(error);
    }
    std::optional<double> local_error(const T&) const { return error; }
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.before = x;
    at.past_before = at.past;
    if (at.past.size.front() * h < 0) at.past.known = 0;  // time has turned round
    const auto made = steps(problem, x, at, h);
    if (!made) {
      x = at.before;
      at.past = at.past_before;
    }
    return made;
  }

 private:
  static constexpr double safety = 0.9, least_change = 0.25, most_change = 2, worth_a_change = 1.2;
  static constexpr double least_part = 1e-10;  // times h: if not even such a step succeeds, there is none

  bool is_controlled() const { return solve.error_tolerance > 0; }

  // Makes steps until h has passed.
  template <Hamiltonian P, class X>
  Expected<int> steps(const P& problem, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    at.error = 0;
    if (is_controlled() && !(at.past.proposed > 0)) first_size(problem, x, at, h);
    int corrections = 0;
    T left = h;
    for (;;) {
      const double whole = is_controlled() ? std::ceil(lane(T(magnitude(left) / at.past.proposed), 0)) : 1;
      const T parts(std::max(1.0, whole));
      const T size = left / parts;
      at.next = x;
      const auto made = at.past.known < k ? start(problem, at, size) : difference(problem, x, at, size);
      if (!made || !is_accepted(x, at, size)) {
        if (!is_controlled() || magnitude(size) < T(least_part) * magnitude(h))
          return made ? collapsed(size, h) : made.error();
        if (!made) shrink(at, size, least_change);
        continue;
      }
      corrections += *made;
      at.past.take(x, size);
      x = at.next;
      if (parts == T(1)) return corrections;
      left -= size;
    }
  }

  // The steps that the estimate asks for have become too short.
  template <class T>
  static Failure collapsed(const T& size, const T& h) {
    return {.kind = FailureKind::step_size,
            .stage = SolveStage::inner,
            .residual = lane(magnitude(size), 0),
            .allowed = least_part * lane(magnitude(h), 0)};
  }

  // The time in which q turns into something else: |q|/|q'|, or √(|q|/|q''|) from rest.
  template <Hamiltonian P, class X>
  void first_size(const P& problem, const X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    typename P::Vec v = zero_vector(problem), f = v, a = v;
    H_p(problem, x.q, x.p, v);
    H_q(problem, x.q, x.p, f);
    H_pp_times(problem, x.q, x.p, f, a);
    const T q = largest_entry(x.q), fast = largest_entry(v), pushed = largest_entry(a);
    T time = fast > 0 ? T(q / fast) : T(0);
    if (pushed > 0 && (time == 0 || pushed * time * time > q)) time = sqrt(q / pushed);
    if (!(time > 0)) time = magnitude(h);  // nothing moves, or everything is at the origin
    at.past.time = time;
    at.past.q_scale = q > 0 ? q : T(1);
    at.past.p_scale = std::max(T(largest_entry(x.p)), T(time * largest_entry(f)));
    if (!(at.past.p_scale > 0)) at.past.p_scale = T(1);
    at.past.proposed =
        std::min(T(magnitude(h)), T(time * T(std::pow(solve.error_tolerance, 1.0 / (k + 1)))));  // (BV7)
  }

  // Makes a step of the start by lobatto(5), or, if the forces are too stiff for its iteration, by radau(5).
  template <Hamiltonian P, class X>
  Expected<int> start(const P& problem, Memory<P, X>& at, const typename P::Scalar& size) const {
    problem.G(at.next.q, at.start.G);
    const auto started = at.starter.step(problem, at.next, at.start, size);
    if (started) return started;
    const DaeRungeKutta<DaeFamily::radau, false> stiff{.s = 5, .solve = solve};
    auto memory = make_memory(stiff, problem, at.next);
    return stiff.step(problem, at.next, memory, size);
  }

  // Makes a step by differences from x to at.next.
  template <Hamiltonian P, class X>
  Expected<int> difference(const P& problem, const X& x, Memory<P, X>& at,
                           const typename P::Scalar& size) const {
    using T = typename P::Scalar;
    at.tau[0] = size;
    for (std::size_t i = 0; i + 1 < at.tau.size(); ++i) at.tau[i + 1] = at.tau[i] + at.past.size[i];
    T alpha(0);  // α₀
    for (std::size_t i = 0; i < steps_back(); ++i) {
      alpha += T(1) / at.tau[i];  // (BV1)
      at.share[i] = T(-1) / at.tau[i];
      for (std::size_t j = 0; j < steps_back(); ++j)
        if (j != i) at.share[i] *= at.tau[j] / (at.tau[j] - at.tau[i]);
    }
    at.q_sum = -at.share[0] / alpha * x.q;
    at.p_sum = -at.share[0] / alpha * x.p;
    for (std::size_t i = 1; i < steps_back(); ++i) {
      at.q_sum -= at.share[i] / alpha * at.past.x[i - 1].q;
      at.p_sum -= at.share[i] / alpha * at.past.x[i - 1].p;
    }
    problem.G(x.q, at.G);
    const auto solved =
        at.stage.solve(problem, at.q_sum, at.p_sum, at.G, T(T(1) / alpha), solve);  // (BV2), (BV3), (BV4)
    if (!solved) return solved;
    at.next = X(StateOf<P>{at.stage.Q[0], at.stage.P_[0]});
    error_weights(at, alpha);
    return solved;
  }
  std::size_t steps_back() const { return static_cast<std::size_t>(k); }

  // Replaces the shares by the weights of x_{n+1}, x_n, …, x_{n-k} in the estimate; that of x_{n+1} is minus
  // the sum of the others.                                                                             (BV5)
  template <class M>
  void error_weights(M& at, const typename M::T& alpha) const {
    using T = typename M::T;
    T factor = T(1) / alpha;
    for (std::size_t i = 0; i < steps_back(); ++i) factor *= at.tau[i];
    for (std::size_t i = 0; i < at.tau.size(); ++i) {
      at.share[i] = -factor / at.tau[i];
      for (std::size_t j = 0; j < at.tau.size(); ++j)
        if (j != i) at.share[i] /= at.tau[j] - at.tau[i];
    }
  }

  // Estimates the error of the step from x to at.next, says whether it is small enough, and proposes how
  // long the next one is.
  template <class X, class M>
  bool is_accepted(const X& x, M& at, const typename M::T& size) const {
    using T = typename M::T;
    if (at.past.known < k) return true;
    T sum(0);
    for (const T& weight : at.share) sum -= weight;
    at.q_sum = sum * at.next.q + at.share[0] * x.q;
    at.p_sum = sum * at.next.p + at.share[0] * x.p;
    for (std::size_t i = 1; i < at.share.size(); ++i) {
      at.q_sum += at.share[i] * at.past.x[i - 1].q;
      at.p_sum += at.share[i] * at.past.x[i - 1].p;
    }
    const T q = largest_entry(at.q_sum), p = largest_entry(at.p_sum);
    const double estimate = lane(T(sqrt(at.q_sum.squaredNorm() + at.p_sum.squaredNorm())), 0);
    if (!is_controlled()) {
      at.error = std::max(at.error, estimate);
      return true;
    }
    at.past.q_scale = std::max(at.past.q_scale, T(largest_entry(at.next.q)));
    at.past.p_scale = std::max(at.past.p_scale, T(largest_entry(at.next.p)));
    // A change of the step disturbs p by more than its error; the steps would follow that.
    const T weight = std::min(T(1), T(magnitude(size) / at.past.time));
    const double relative =
        lane(std::max(T(q / at.past.q_scale), T(weight * p / at.past.p_scale)), 0) / solve.error_tolerance;
    const double change = safety * std::pow(std::max(relative, 1e-30), -1.0 / (k + 1));  // (BV6)
    if (!(relative <= 1)) {
      shrink(at, size, std::isfinite(change) ? std::clamp(change, least_change, safety) : least_change);
      return false;
    }
    at.error = std::max(at.error, estimate);
    if (at.past.since_change >= k && change >= worth_a_change) {
      at.past.proposed = magnitude(size) * T(std::min(change, most_change));
      at.past.since_change = 0;
    }
    return true;
  }

  template <class M>
  static void shrink(M& at, const typename M::T& size, double change) {
    at.past.proposed = magnitude(size) * typename M::T(change);
    at.past.since_change = 0;
  }
};

}  // namespace taut
