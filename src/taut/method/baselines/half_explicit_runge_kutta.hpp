// Half-explicit Runge-Kutta methods of Brasey and Hairer on the equations of index 2: explicit in q and p,
// and each stage takes the λ of the stage before it from 0 = G H_p. They keep G H_p = 0; g drifts with the
// error. Labels: docs/theory/half-explicit-runge-kutta.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/spelling.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/drive_to_zero.hpp>
#include <taut/solve/options.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <vector>

namespace taut {

// The rows of A below the diagonal, and b as the last row.
inline std::vector<std::vector<Float128>> half_explicit_rows(int order) {
  using R = Float128;
  const R w = sqrt(R(6));
  switch (order) {
    case 1:
      return {{1}};
    case 2:
      return {{R(1) / 2}, {0, 1}};
    case 3:
      return {{R(1) / 3}, {-1, 2}, {0, R(3) / 4, R(1) / 4}};
    default:
      return {{R(3) / 10},
              {(1 + w) / 30, (11 - 4 * w) / 30},
              {(-79 - 31 * w) / 150, (-1 - 4 * w) / 30, (24 + 11 * w) / 25},
              {(14 + 5 * w) / 6, (-8 + 7 * w) / 6, (-9 - 7 * w) / 4, (9 - w) / 4},
              {0, 0, (16 - w) / 36, (16 + w) / 36, R(1) / 9}};
  }
}

struct HalfExplicitRungeKutta {
  int order = 4;
  const std::vector<std::vector<Float128>>* own = nullptr;  // rows of another tableau of that order
  SolveOptions solve{};

  MethodFacts facts() const {
    return {
        .name = "half-explicit",
        .argument = order,
        .what = "half-explicit Runge-Kutta of order p on the equations of index 2: not symplectic, g drifts",
        .source = "Seiler 7; Brasey and Hairer 1993",
        .theory = "half-explicit-runge-kutta",
        .order = order,
        .keeps = Keeps::momentum,
        .tier = Tier::hamiltonian,
        .work = 2 * order,
        .solves = order < 4 ? order : 5};
  }
  static constexpr MethodNumber number() { return {"p", "order", 1, 4}; }
  HalfExplicitRungeKutta numbered(int p) const { return {.order = p, .own = nullptr, .solve = solve}; }
  Spelling spelling() const {
    return spelled("baselines/half_explicit_runge_kutta.hpp", "HalfExplicitRungeKutta", "order", order);
  }

  template <class P>
  static constexpr bool fits = Hamiltonian<P>;

  template <Hamiltonian P, class X>
  struct Memory {
    using T = typename P::Scalar;
    Memory(const P& s, const X& x, const HalfExplicitRungeKutta& method)
        : lambda(zero_multiplier(s)),
          psi(lambda),
          change(lambda),
          G(s.make_jacobian()),
          G_next(G),
          lu(s.constraints()),
          q(x.q),
          p(x.p),
          base(x.p),
          work(zero_vector(s)),
          turned(work),
          bound(Vector<Real<T>, P::m>::Zero(s.constraints())),
          reach(Vector<Real<T>, P::n>::Zero(s.coordinates())) {
      const auto rows = method.own != nullptr ? *method.own : half_explicit_rows(method.order);
      for (const auto& row : rows) {
        a.emplace_back();
        for (const Float128& entry : row) a.back().push_back(coefficient<T>(entry));
      }
      velocity.assign(a.size(), work);
      force.assign(a.size(), work);
    }
    std::vector<std::vector<T>> a;
    typename P::Multiplier lambda, psi, change;  // h λ of the stage before
    typename P::Jacobian G, G_next;
    PivotedLU<Base<T>, P::m> lu;
    typename P::Vec q, p, base, work, turned;
    std::vector<typename P::Vec> velocity, force;  // H_p and -(H_q + Gᵀλ) at the stages
    Vector<Real<T>, P::m> bound;
    Vector<Real<T>, P::n> reach;

    typename P::Multiplier last_multiplier(const T& h) const { return lambda / h; }
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    int corrections = 0;
    at.q = x.q;
    at.p = x.p;
    for (std::size_t i = 0; i < at.a.size(); ++i) {
      H_p(s, at.q, at.p, at.velocity[i]);
      H_q(s, at.q, at.p, at.force[i]);
      at.force[i] = -at.force[i];
      s.G(at.q, at.G);
      const auto& row = at.a[i];
      sum(row, at.velocity, at.work);
      at.q = x.q + h * at.work;  // (HX1)
      sum(row, at.force, at.work);
      at.base = x.p + h * at.work;  // (HX2), without λ of this stage
      s.G(at.q, at.G_next);
      const auto solved = find_multiplier(s, at, row.back());  // (HX3)
      if (!solved) return solved;
      corrections += *solved;
      at.G.subtract_transpose(typename P::Multiplier(at.lambda / h), at.force[i]);
    }
    sum(at.a.back(), at.velocity, at.work);
    drift(x, h * at.work);
    sum(at.a.back(), at.force, at.work);
    kick(x, h * at.work);
    return corrections;
  }

 private:
  template <class Row, class Vectors, class Vec>
  static void sum(const Row& row, const Vectors& f, Vec& out) {
    out = row[0] * f[0];
    for (std::size_t j = 1; j < row.size(); ++j) out += row[j] * f[j];
  }

  template <class T, class P>
  static auto forecast([[maybe_unused]] const P& s) {
    if constexpr (Graded<P>)
      return EitherForecast<LinearSystem<T>, SeenRateToAUnit<T>>{is_natural(s)};
    else if constexpr (Natural<P>)
      return LinearSystem<T>();
    else
      return SeenRateToAUnit<T>();
  }

  // Finds λ with G(Q) H_p(Q, P) = 0 at the next stage, P = base - a G(stage before)ᵀ hλ. If H is quadratic in
  // p, the first correction is exact.
  template <Hamiltonian P, class X>
  Expected<int> find_multiplier(const P& s, Memory<P, X>& at, const typename P::Scalar& a) const {
    using T = typename P::Scalar;
    at.lambda.setZero();
    const auto rule = [&](const auto& stop) {
      return drive_to_zero(
          stop, at.psi, at.bound,
          [&] {
            at.work.setZero();
            at.G.subtract_transpose(at.lambda, at.work);
            at.p = at.base + a * at.work;
            H_p(s, at.q, at.p, at.turned);
            at.G_next.times(at.turned, at.psi);
          },
          [&](auto& unit) {
            at.reach.setConstant(larger(largest_entry(at.turned), Real<T>(0x1p-1000)));
            at.G_next.row_bounds(at.reach, unit);
            unit *= Real<T>(epsilon<T>());
          },
          [&](const Mask<T>& active) {
            for (int k = 0; k < s.constraints(); ++k) {
              at.change.setZero();
              at.change[k] = T(-1);
              at.work.setZero();
              at.G.subtract_transpose(at.change, at.work);
              H_pp_times(s, at.q, at.p, at.work, at.turned);
              at.G_next.times(at.turned, at.change);
              for (int i = 0; i < s.constraints(); ++i) at.lu.a(i, k) = base(at.change[i]);
            }
            if (const int pivot = at.lu.factor(); pivot >= 0) return pivot;
            at.lu.solve(at.psi);
            for (Eigen::Index i = 0; i < at.psi.size(); ++i)
              add_where<T>(active, at.lambda[i], T(at.psi[i] / a));
            return -1;
          },
          forecast<T>(s));
    };
    return with_stop_rule(solve, rule);
  }
};

}  // namespace taut
