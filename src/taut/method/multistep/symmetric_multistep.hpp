// Symmetric multistep methods of Console, Hairer & Lubich (2013): order k for one gradient and one position
// solve a step, and an energy that stays near its first value for long times.
// Labels: docs/theory/multistep.md.
//
// The formula is carried in summed form. Then a step is one of SHAKE, with a force that is filtered by σ/ρ:
// every solver that SHAKE has is this method's, and compensated sums keep its rounding error a random walk.
// The sequence runs l = k/2 steps ahead of the mesh point that is put out, because the momentum there is a
// symmetric difference.
#pragma once

#include <taut/formulation/multiplier.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/multistep/start.hpp>
#include <taut/method/multistep/table.hpp>
#include <taut/method/shake.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace taut {

inline namespace TAUT_STEPS {  // flatten.hpp

struct SymmetricMultistep {
  int k = 8;
  SolveOptions solve{};

  MethodFacts facts() const {
    return {.name = k == 4   ? "multistep4"
                    : k == 6 ? "multistep6"
                    : k == 8 ? "multistep8"
                             : "multistep10",
            .what = "symmetric multistep of high order: one gradient and one position solve a step",
            .source = "Console-Hairer-Lubich",
            .theory = "multistep",
            .order = k,
            .symmetric = true,
            .past = k - 1};
  }
  Spelling spelling() const {
    return spelled("multistep/symmetric_multistep.hpp", "SymmetricMultistep", "k", k);
  }

  template <class P>
  static constexpr bool fits = Natural<P> && Castable<P>;

  // A solve begins at a polynomial through so many impulses at most. An oscillation of the impulses by ω is
  // missed by (2 sin ½hω)^7 of itself, and their rounding errors count 2^7 times.
  static constexpr int most_remembered = 7;

  template <Natural P, class X>
  struct Memory : ShakeMemory<P, X> {
    using T = typename P::Scalar;
    Memory(const P& s, const X& x, const SymmetricMultistep& method)
        : ShakeMemory<P, X>(s, x, {.first_guess = FirstGuess::quadratic},
                            std::min(method.k - 1, most_remembered)),
          l(method.k / 2),
          start(s, x, l, method.solve),
          begin_at(x),
          momenta(static_cast<std::size_t>(method.k - 1), x.p),
          positions(static_cast<std::size_t>(l), x.q),
          sums(static_cast<std::size_t>(method.k - 2), this->grad_V),
          force(this->grad_V),
          filtered(force),
          momentum(force),
          G_behind(s.make_jacobian()) {
      const MultistepTable& table = multistep_table(method.k);
      const auto bar = parasitic<Float128>(table);
      const auto beta = [&](int j) {
        return coefficient<T>(Float128(table.beta[static_cast<std::size_t>(std::abs(j - l))]) /
                              table.divisor);
      };
      top = beta(method.k - 1);
      for (int j = method.k - 2; j >= 1; --j) {
        beta_down.push_back(beta(j));
        alpha_down.push_back(coefficient<T>(bar[static_cast<std::size_t>(j - 1)]));
      }
      difference.assign(static_cast<std::size_t>(l), T(0));
      for (int j = l; j >= 1; --j)
        for (int i = 0; i < j; ++i) difference[static_cast<std::size_t>(i)] += coefficient<T>(central(j, l));
    }
    int l;
    MultistepStart<P> start;
    X begin_at;                                    // the state before the first step
    std::vector<typename P::Vec> momenta;          // p_{N-3/2}, p_{N-5/2}, …: a ring
    std::vector<typename P::Vec> positions;        // q_{N-1}, …, q_n: a ring
    int newest_momentum = 0, newest_position = 0;  // the places of the first of them
    std::vector<typename P::Vec> sums;             // what later φ know of the forces so far: (CL5)
    typename P::Vec force, filtered, momentum;
    typename P::Jacobian G_behind;
    T top;                                 // β_{k-1}
    std::vector<T> beta_down, alpha_down;  // β_{k-2}, …, β_1; the coefficients of ζ^{k-3}, …, 1 in ρ/(ζ - 1)²
    std::vector<T> difference;             // the weights of half-step momenta in (CL6)

    const typename P::Vec& past_momentum(int j) const { return momenta[place(newest_momentum + j, momenta)]; }
    const typename P::Vec& past_position(int j) const {
      return positions[place(newest_position + j, positions)];
    }
    void remember(const X& x) {
      push(momenta, newest_momentum, x.p);
      push(positions, newest_position, x.q);
    }
    // Takes F_N and φ_N into the sums. This is direct form II of the filter, transposed: it keeps half as
    // many vectors as there are forces and φ in the formula.
    void take(const typename P::Vec& F, const typename P::Vec& phi) {
      const std::size_t last = sums.size() - 1;
      for (std::size_t i = 0; i < last; ++i)
        sums[i] = sums[i + 1] + beta_down[i] * F - alpha_down[i] * phi;  // (CL5)
      sums[last] = beta_down[last] * F - alpha_down[last] * phi;
    }

    template <class Carry>
    void carry(Carry& c) {
      ShakeMemory<P, X>::carry(c);
      c(momenta);
      c(positions);
      c(newest_momentum);
      c(newest_position);
      c(sums);
      newest_momentum = std::clamp(newest_momentum, 0, static_cast<int>(momenta.size()) - 1);
      newest_position = std::clamp(newest_position, 0, static_cast<int>(positions.size()) - 1);
    }

    // The weight of (q_j - q_{-j})/h in the central difference of order 2l.
    static Float128 central(int j, int l) {
      Float128 weight = Float128(j % 2 == 1 ? 1 : -1) / j;
      for (int i = 0; i < j; ++i) weight = weight * (l - i) / (l + 1 + i);
      return weight;
    }

   private:
    using Ring = std::vector<typename P::Vec>;
    // Returns the place of entry i of a ring, i being less than twice its size: a remainder would take longer
    // than what is done with the entry.
    static std::size_t place(int i, const Ring& ring) {
      const std::size_t at = static_cast<std::size_t>(i);
      return at < ring.size() ? at : at - ring.size();
    }
    static void push(Ring& ring, int& newest, const typename P::Vec& x) {
      newest = (newest == 0 ? static_cast<int>(ring.size()) : newest) - 1;
      by_segments([](auto&& to, const auto& from) { to = from; }, ring[static_cast<std::size_t>(newest)], x);
    }
  };

  // Makes a step. Between steps x holds the front of the sequence, (q_N, p_{N-1/2}) with N = n + l; before
  // the first one it holds (q_0, p_0).
  template <Natural P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    int corrections = 0;
    const bool first = !at.started;
    if (first) [[unlikely]] {
      const auto begun = begin(s, x, at, h);
      if (!begun) return begun;
      corrections = *begun;
    }
    const auto moved = advance(s, x, at, h);
    if (!moved && first) {
      x = at.begin_at;
      at.started = false;
      at.refresh(s, x.q);
    }
    if (!moved) return moved;
    return corrections + *moved;
  }

  // Puts out (q_n, p_n) from the points on both sides of it. A run does so after every step, to see the
  // energy there.
  template <Natural P, class X>
  TAUT_FLATTEN Expected<int> output(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar&) const {
    using T = typename P::Scalar;
    if (!at.started) return 0;
    const int l = at.l;
    auto&& momentum = room(s, at.momentum);
    momentum = at.difference[static_cast<std::size_t>(l - 1)] * (x.p + at.past_momentum(k - 2));
    for (int i = 0; i < l - 1; ++i) {
      const T& weight = at.difference[static_cast<std::size_t>(i)];
      momentum += weight * (at.past_momentum(l - 2 - i) + at.past_momentum(l - 1 + i));  // (CL6)
    }
    x = X(StateOf<P>{at.past_position(l - 1), momentum});
    auto&& G = room(s, at.G_behind);
    s.G(x.q, G);
    return at.solver.project(s, solve, x, G, at.nu);  // (CL7)
  }

 private:
  // Moves the front by one step.
  template <Natural P, class X>
  TAUT_FLATTEN Expected<int> advance(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    const auto& W = s.W();
    const T& top = at.top;
    auto&& next = room(s, at.next);
    // (CL2), (CL3): p_{N+½} = p_{N-½} + hφ_N with φ_N = β_{k-1}F_N + sums, F_N = -∇V(q_N) - G(q_N)ᵀλ_N;
    // the drift adds the last term, μ = hβ_{k-1}λ_N.
    at.filtered = at.sums[0] - top * at.grad_V;
    auto&& kicked = kicked_state(x, h * at.filtered, at.kicked);
    typename Memory<P, X>::Drift drift(next, kicked, at.G, W, h,
                                       at.moved);  // (CL3): q_{N+1} = q_N + hW p_{N+½}
    const auto solved = at.solver.land(s, solve, x.q, at.G, drift, at.mu, at.begin(at.mu));  // (CL4)
    if (!solved) return solved;
    if (const auto missed = at.solver.missed_landing(s, x.q, next.q, h, at.mu)) return *missed;
    at.keep(at.mu);
    at.force = -at.grad_V;
    at.G.subtract_transpose(typename P::Multiplier(typename P::Scalar(1 / (h * top)) * at.mu), at.force);
    at.filtered = at.sums[0] + top * at.force;
    at.take(at.force, at.filtered);
    at.remember(x);
    assign(x, next);
    at.refresh(s, x.q);
    return solved;
  }

  // Makes the points around the start, and what the formula knows of them; x becomes the front.
  template <Natural P, class X>
  [[gnu::cold, gnu::noinline]] Expected<int> begin(const P& s, X& x, Memory<P, X>& at,
                                                   const typename P::Scalar& h) const {
    using Fine = typename MultistepStart<P>::X;
    const auto computed = at.start.compute(s, Fine(StateOf<P>{x.q, x.p}), h);
    if (!computed) return computed;
    at.begin_at = x;
    const int l = at.l;
    const auto momentum_before = [&](int j) -> const typename P::Vec& {  // p_{j-½} = M (q_j - q_{j-1})/h
      const Fine &to = at.start.at(j), &from = at.start.at(j - 1);
      at.work = ((to.q - from.q) + (to.q_low - from.q_low)) / h;
      s.W().mass_times(at.work, at.momentum);
      return at.momentum;
    };
    typename P::Vec before = momentum_before(-l + 2);
    for (int j = -l + 2; j < l; ++j) {
      at.remember(X(StateOf<P>{at.start.at(j).q, before}));
      const auto lambda = multiplier(s, at.start.at(j).q, at.start.at(j).p);
      if (!lambda) return lambda.error();
      s.grad_V(at.start.at(j).q, at.force);
      s.G(at.start.at(j).q, at.G_behind);
      at.force = -at.force;
      at.G_behind.subtract_transpose(*lambda, at.force);
      const auto& after = momentum_before(j + 1);
      at.filtered = (after - before) / h;
      at.take(at.force, at.filtered);
      before = after;
    }
    x = X(StateOf<P>{at.start.at(l).q, before});
    at.refresh(s, x.q);
    at.started = true;
    return computed;
  }
};

}  // namespace TAUT_STEPS

}  // namespace taut
