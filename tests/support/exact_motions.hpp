// Exact motions in 128-bit floats, and the orders of methods in q, p and λ against them.
#pragma once

#include <taut/formulation/multiplier.hpp>
#include <taut/measure/flow.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace taut::test {

using Real = Float128;

// Taylor series of a polynomial vector field, 40 terms, 64 steps per unit of time: the exact solution to the
// digits of 128 bits. `field(y, k)` returns coefficient k of y' from the coefficients 0 … k of y.
template <std::size_t n>
using Series = std::array<std::vector<Real>, n>;

inline Real product(const std::vector<Real>& a, const std::vector<Real>& b, int k) {
  Real sum = 0;
  for (int i = 0; i <= k; ++i) sum += a[static_cast<std::size_t>(i)] * b[static_cast<std::size_t>(k - i)];
  return sum;
}

template <std::size_t n, class Field>
std::array<Real, n> taylor(std::array<Real, n> y, Real time, Field&& field) {
  constexpr int terms = 40, steps = 128;
  const Real h = time / steps;
  for (int step = 0; step < steps; ++step) {
    Series<n> series;
    for (std::size_t i = 0; i < n; ++i) series[i].push_back(y[i]);
    for (int k = 0; k < terms; ++k) {
      const std::array<Real, n> rate = field(series, k);
      for (std::size_t i = 0; i < n; ++i) series[i].push_back(rate[i] / (k + 1));
    }
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = 0;
      for (int k = terms; k >= 0; --k) y[i] = y[i] * h + series[i][static_cast<std::size_t>(k)];
    }
  }
  return y;
}

template <int n, int m, class T = Real>
struct Motion {
  State<T, n> x;
  Vector<T, m> lambda;

  template <class U>
  Motion<n, m, U> cast() const {
    return {{x.q.template cast<U>(), x.p.template cast<U>()}, lambda.template cast<U>()};
  }
};

// On M, λ = p² - y, so that λ' = -3 p_y and every right side is a polynomial of degree 2.
inline Motion<2, 1> pendulum_at(Real time) {
  const auto y = taylor<5>({1, 0, 0, 0, 0}, time, [](const Series<5>& s, int k) {
    const auto& at = [&](std::size_t i) { return s[i][static_cast<std::size_t>(k)]; };
    return std::array<Real, 5>{at(2), at(3), -product(s[0], s[4], k),
                               -product(s[1], s[4], k) - (k == 0 ? 1 : 0), -3 * at(3)};
  });
  return {{{y[0], y[1]}, {y[2], y[3]}}, Vector<Real, 1>(y[4])};
}

// On M with v = H_p, v' = (2 v_y, -2 v_x, 1) - λ q and λ = v² + 2 (x v_y - y v_x) + z.
inline Motion<3, 1> charged_particle_at(Real time) {
  const ChargedParticle<Real> problem;
  const auto start = problem.start();
  Vector<Real, 3> v;
  problem.H_p(start.q, start.p, v);
  std::vector<Real> lambda;  // coefficients, as far as they are known
  const auto next = [&](const Series<6>& s, int k) {
    if (k == 0) lambda.clear();
    Real sum = s[2][static_cast<std::size_t>(k)] + 2 * product(s[0], s[4], k) - 2 * product(s[1], s[3], k);
    for (std::size_t a = 3; a < 6; ++a) sum += product(s[a], s[a], k);
    lambda.push_back(sum);
    const auto& at = [&](std::size_t i) { return s[i][static_cast<std::size_t>(k)]; };
    return std::array<Real, 6>{at(3),
                               at(4),
                               at(5),
                               2 * at(4) - product(s[0], lambda, k),
                               -2 * at(3) - product(s[1], lambda, k),
                               (k == 0 ? 1 : 0) - product(s[2], lambda, k)};
  };
  const auto y = taylor<6>({start.q[0], start.q[1], start.q[2], v[0], v[1], v[2]}, time, next);
  const Real l = y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + 2 * (y[0] * y[4] - y[1] * y[3]) + y[2];
  return {{{y[0], y[1], y[2]}, {y[3] - y[1], y[4] + y[0], y[5]}}, Vector<Real, 1>(l)};
}

template <class V>
double length(const V& v) {
  return lane(sqrt(v.dot(v)), 0);
}

struct Errors {
  double q, p, lambda;
};

template <class Method, class P, class Exact>
Errors errors_of(const Method& method, const P& s, const Exact& exact, typename P::Scalar time, int steps) {
  StateOf<P> x = s.start();
  const auto moved = flow(method, s, x, typename P::Scalar(time / steps), steps);
  EXPECT_TRUE(moved) << label(facts_of(method)) << " in " << steps << " steps";
  const auto lambda = multiplier(s, x.q, x.p);
  EXPECT_TRUE(lambda);
  return {length(typename P::Vec(x.q - exact.x.q)), length(typename P::Vec(x.p - exact.x.p)),
          length(typename P::Multiplier(*lambda - exact.lambda))};
}

inline double slope(double coarse, double fine, double ratio = 2) {
  return std::log(coarse / fine) / std::log(ratio);
}
inline Errors slopes(const Errors& coarse, const Errors& fine, double ratio = 2) {
  return {slope(coarse.q, fine.q, ratio), slope(coarse.p, fine.p, ratio),
          slope(coarse.lambda, fine.lambda, ratio)};
}

inline void expect_slopes(const Errors& found, double q, double p, double lambda, double slack,
                          const std::string& name) {
  EXPECT_NEAR(found.q, q, slack) << name;
  EXPECT_NEAR(found.p, p, slack) << name;
  EXPECT_NEAR(found.lambda, lambda, slack) << name;
}

template <class Method, class P, class Exact>
void expect_order(const Method& method, const P& s, const Exact& exact, typename P::Scalar time, int steps,
                  double slack, int ratio = 2) {
  const Errors coarse = errors_of(method, s, exact, time, steps),
               fine = errors_of(method, s, exact, time, ratio * steps);
  const double order = facts_of(method).order;
  const Errors found = slopes(coarse, fine, ratio);
  expect_slopes(found, order, order, order, slack, label(facts_of(method)));
}

}  // namespace taut::test
