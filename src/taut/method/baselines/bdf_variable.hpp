// Backward differentiation of order k on the constrained equations as they stand (index 3), with steps that
// are chosen by an estimate of their error, as in the code DASSL. A step of h is made of as many of them as
// it needs, and the last one ends at h. The order may be chosen too. Labels: docs/theory/bdf-variable.md.
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
  bool chooses_order = false;  // then k is the highest

  MethodFacts facts() const {
    return {
        .name = chooses_order ? "bdf-variable-order" : "bdf-variable",
        .argument = k,
        .what =
            chooses_order
                ? "backward differentiation, steps of at most h and orders to k by their error: not "
                  "symplectic"
                : "backward differentiation with steps of at most h, chosen by their error: not symplectic",
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
  BdfVariable numbered(int steps) const {
    return {.k = steps, .solve = solve, .chooses_order = chooses_order};
  }
  BdfVariable without_number() const { return {.k = chooses_order ? 5 : 4, .chooses_order = chooses_order}; }
  Spelling spelling() const {
    Spelling text = spelled("baselines/bdf_variable.hpp", "BdfVariable", "k", k);
    if (chooses_order) text.value.insert(text.value.size() - 1, ", .chooses_order = true");
    return text;
  }

  template <class P>
  static constexpr bool fits = Hamiltonian<P> && is_float<typename P::Scalar>;

  // What the next step depends on beside x.
  template <class P, class X>
  struct Past {
    using T = typename P::Scalar;
    Past(const X& start, const BdfVariable& method)
        : x(static_cast<std::size_t>(method.k), start),
          size(x.size(), T(0)),
          order(method.k),
          chooses_order(method.chooses_order) {}
    std::vector<X> x;     // x_{n-1}, …, x_{n-k}
    std::vector<T> size;  // t_n - t_{n-1}, …, t_{n-k+1} - t_{n-k}
    int known = 0;        // how many of both are known
    T proposed{0};        // the size of the next step, without its sign; 0: not chosen yet
    int since_change = 0;
    T q_scale{0}, p_scale{0};  // the largest |q| and |p| so far
    T time{0};                 // the time in which the start turns into something else
    int order;                 // the order of the next step
    bool chooses_order;

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
      const int most = static_cast<int>(x.size());
      known = std::clamp(known, 0, most);
      if (!chooses_order) return;
      c(order);
      order = std::clamp(order, 1, most);
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
          past(x, method),
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
    std::vector<T> share;  // αᵢ of (BV1) for i = 1, …, order; then the weights of (BV5)
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
    if (at.past.size.front() * h < 0) {  // time has turned round
      at.past.known = 0;
      at.past.order = k;
    }
    const auto made = steps(problem, x, at, h);
    if (!made) {
      x = at.before;
      at.past = at.past_before;
    }
    return made;
  }

 private:
  static constexpr double safety = 0.9, least_change = 0.25, most_change = 2, worth_a_change = 1.2,
                          worth_another_order = 1.1;
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
    const std::size_t back = steps_back(at);
    T alpha(0);  // α₀
    for (std::size_t i = 0; i < back; ++i) {
      alpha += T(1) / at.tau[i];  // (BV1)
      at.share[i] = T(-1) / at.tau[i];
      for (std::size_t j = 0; j < back; ++j)
        if (j != i) at.share[i] *= at.tau[j] / (at.tau[j] - at.tau[i]);
    }
    at.q_sum = -at.share[0] / alpha * x.q;
    at.p_sum = -at.share[0] / alpha * x.p;
    for (std::size_t i = 1; i < back; ++i) {
      at.q_sum -= at.share[i] / alpha * at.past.x[i - 1].q;
      at.p_sum -= at.share[i] / alpha * at.past.x[i - 1].p;
    }
    problem.G(x.q, at.G);
    const auto solved =
        at.stage.solve(problem, at.q_sum, at.p_sum, at.G, T(T(1) / alpha), solve);  // (BV2), (BV3), (BV4)
    if (solved) at.next = X(StateOf<P>{at.stage.Q[0], at.stage.P_[0]});
    return solved;
  }
  template <class M>
  static std::size_t steps_back(const M& at) {
    return static_cast<std::size_t>(at.past.order);
  }

  // Estimates the error that a step of this order would have from x to at.next; fills q_sum and p_sum.
  template <class X, class M>
  void estimate(const X& x, M& at, std::size_t order) const {
    using T = typename M::T;
    // The weights of x_n, …, x_{n-order}; that of x_{n+1} is minus the sum of the others.             (BV5)
    T factor(1), alpha(0), sum(0);
    for (std::size_t i = 0; i < order; ++i) alpha += T(1) / at.tau[i];
    factor /= alpha;
    for (std::size_t i = 0; i < order; ++i) factor *= at.tau[i];
    for (std::size_t i = 0; i <= order; ++i) {
      at.share[i] = -factor / at.tau[i];
      for (std::size_t j = 0; j <= order; ++j)
        if (j != i) at.share[i] /= at.tau[j] - at.tau[i];
      sum -= at.share[i];
    }
    at.q_sum = sum * at.next.q + at.share[0] * x.q;
    at.p_sum = sum * at.next.p + at.share[0] * x.p;
    for (std::size_t i = 1; i <= order; ++i) {
      at.q_sum += at.share[i] * at.past.x[i - 1].q;
      at.p_sum += at.share[i] * at.past.x[i - 1].p;
    }
  }
  // The error in q_sum and p_sum in units of the tolerance.
  template <class M>
  double in_tolerances(const M& at, const typename M::T& size) const {
    using T = typename M::T;
    const T q = largest_entry(at.q_sum), p = largest_entry(at.p_sum);
    // A change of the step disturbs p by more than its error; the steps would follow that.
    const T weight = std::min(T(1), T(magnitude(size) / at.past.time));
    return lane(std::max(T(q / at.past.q_scale), T(weight * p / at.past.p_scale)), 0) / solve.error_tolerance;
  }
  // How much longer a step of this order may be.
  static double change_of(double relative, std::size_t order) {
    return safety * std::pow(std::max(relative, 1e-30), -1.0 / (static_cast<double>(order) + 1));  // (BV6)
  }

  // Estimates the error of the step from x to at.next, says whether it is small enough, and proposes how
  // long the next one is, and of which order.
  template <class X, class M>
  bool is_accepted(const X& x, M& at, const typename M::T& size) const {
    using T = typename M::T;
    if (at.past.known < k) return true;
    const std::size_t order = steps_back(at);
    estimate(x, at, order);
    const double error = lane(T(sqrt(at.q_sum.squaredNorm() + at.p_sum.squaredNorm())), 0);
    if (!is_controlled()) {
      at.error = std::max(at.error, error);
      return true;
    }
    at.past.q_scale = std::max(at.past.q_scale, T(largest_entry(at.next.q)));
    at.past.p_scale = std::max(at.past.p_scale, T(largest_entry(at.next.p)));
    const double relative = in_tolerances(at, size);
    double change = change_of(relative, order);
    const bool accepted = relative <= 1;
    if (accepted) at.error = std::max(at.error, error);
    if (chooses_order && (!accepted || at.past.since_change >= at.past.order))
      change = choose_order(x, at, size, change, accepted);
    if (!accepted) {
      shrink(at, size, std::isfinite(change) ? std::clamp(change, least_change, safety) : least_change);
      return false;
    }
    const bool other_order = steps_back(at) != order;
    if (other_order) at.past.since_change = 0;
    if ((other_order || at.past.since_change >= at.past.order) && change >= worth_a_change) {
      at.past.proposed = magnitude(size) * T(std::min(change, most_change));
      at.past.since_change = 0;
    }
    return true;
  }

  // Takes the neighbouring order that allows the longest step, if it is clearly longer; after a step that
  // failed only a lower one. Returns how much longer the step may be.                                 (BV8)
  template <class X, class M>
  double choose_order(const X& x, M& at, const typename M::T& size, double change, bool accepted) const {
    const int order = at.past.order;
    int best = order;
    double longest = change;
    for (const int other : {order - 1, order + 1}) {
      if (other < 1 || other > k || (!accepted && other > order)) continue;
      estimate(x, at, static_cast<std::size_t>(other));
      const double so_much = change_of(in_tolerances(at, size), static_cast<std::size_t>(other));
      if (!(so_much > (best == order ? worth_another_order : 1) * longest)) continue;
      best = other;
      longest = so_much;
    }
    at.past.order = best;
    return longest;
  }

  template <class M>
  static void shrink(M& at, const typename M::T& size, double change) {
    at.past.proposed = magnitude(size) * typename M::T(change);
    at.past.since_change = 0;
  }
};

}  // namespace taut
