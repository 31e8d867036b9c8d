// Seiler's experiment, section 6: the pendulum by the classical Runge-Kutta method with h = 0.025, 40920
// steps, on the standard underlying equations; no projection, position projections, momentum projections,
// each done when its residual exceeds a tolerance. Start (1, 0, 0, -2).

#include <taut/formulation/underlying.hpp>
#include <taut/measure/growth.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace {

using namespace taut;

constexpr double h = 0.025;
constexpr int steps = 40920;  // t = 1023

// Integrates the state-space form, x = sin a, y = cos a, a' = w, w' = sin a, with a tenth of the step; the
// integration error is taken against it.
const std::vector<State<double, 2>>& reference() {
  static const std::vector<State<double, 2>> states = [] {
    std::vector<State<double, 2>> list;
    // p = w (cos a, -sin a), which is (0, -2) at the start.
    long double a = std::numbers::pi_v<long double> / 2, w = 2;
    for (int i = 0; i < steps; ++i) {
      for (int j = 0; j < 10; ++j) {
        const long double k = h / 10;
        const long double a1 = w, w1 = std::sin(a);
        const long double a2 = w + k / 2 * w1, w2 = std::sin(a + k / 2 * a1);
        const long double a3 = w + k / 2 * w2, w3 = std::sin(a + k / 2 * a2);
        const long double a4 = w + k * w3, w4 = std::sin(a + k * a3);
        a += k / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        w += k / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
      }
      const auto sine = static_cast<double>(std::sin(a)), cosine = static_cast<double>(std::cos(a));
      const auto speed = static_cast<double>(w);
      list.push_back({{sine, cosine}, {speed * cosine, -speed * sine}});
    }
    return list;
  }();
  return states;
}

struct Outcome {
  std::vector<double> error, energy, position, momentum;  // after each step
  std::vector<double> x;                                  // at t = 0, 1, ..., 1023
  ProjectionCount count;
};

Outcome run(const Projection& projection) {
  const PlanarPendulum<> s;
  const OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit("rk4")},
                                                         .projection = projection};
  State<double, 2> x{{1, 0}, {0, -2}};
  auto memory = make_memory(method, s, x);
  Outcome result;
  result.x.push_back(x.q[0]);
  for (int i = 1; i <= steps; ++i) {
    EXPECT_TRUE(method.step(s, x, memory, h));
    const auto& exact = reference()[static_cast<std::size_t>(i - 1)];
    result.error.push_back(std::sqrt((x.q - exact.q).squaredNorm() + (x.p - exact.p).squaredNorm()));
    result.energy.push_back(H(s, x.q, x.p) - 2);
    result.position.push_back((x.q.squaredNorm() - 1) / 2);
    result.momentum.push_back(x.q.dot(x.p));
    if (i % 40 == 0) result.x.push_back(x.q[0]);
  }
  result.count = memory.projections();
  return result;
}

const Outcome& none() {
  static const Outcome result = run({});
  return result;
}
const Outcome& position() {
  static const Outcome result = run({ProjectionKind::position, 1e-6});
  return result;
}
const Outcome& momentum() {
  static const Outcome result = run({ProjectionKind::momentum, 1e-6});
  return result;
}

double largest(const std::vector<double>& values) {
  double m = 0;
  for (const double v : values) m = std::max(m, std::abs(v));
  return m;
}

// Returns the exponent of the running maximum on 20 <= t <= 200: later the error without projections is as
// large as the circle.
double growth(const std::vector<double>& values) {
  std::vector<double> time, size;
  double m = 0;
  for (std::size_t i = 0; i < 8000; ++i) {
    m = std::max(m, std::abs(values[i]));
    if (i < 800) continue;
    time.push_back(h * static_cast<double>(i + 1));
    size.push_back(m);
  }
  return growth_exponent(time, size).slope;
}

struct Peak {
  int k = 0;
  double height = 0;
};
Peak highest(const std::vector<double>& x) {  // P_k = 2|X_k|²/N², no window
  const auto N = static_cast<double>(x.size());
  Peak peak;
  for (int k = 1; k < static_cast<int>(x.size()) / 2; ++k) {
    std::complex<double> sum = 0, turn = std::polar(1.0, -2 * std::numbers::pi * k / N), phase = 1;
    for (const double v : x) {
      sum += v * phase;
      phase *= turn;
    }
    const double height = 2 * std::norm(sum) / (N * N);
    if (height > peak.height) peak = {k, height};
  }
  return peak;
}

TEST(Seiler, MomentumProjectionsAreFew) {
  EXPECT_EQ(momentum().count.momentum, 155);
  EXPECT_EQ(momentum().count.position, 0);
  EXPECT_NEAR(static_cast<double>(position().count.position), 34227, 5);
  EXPECT_EQ(position().count.momentum, 0);
}

TEST(Seiler, MomentumProjectionsHelpThePositionConstraint) {
  EXPECT_NEAR(std::abs(momentum().position.back()), 5.167e-4, 1e-6);
  EXPECT_NEAR(std::abs(none().position.back()), 8.504e-2, 1e-4);
}

TEST(Seiler, PositionProjectionsDoNotHelp) {
  EXPECT_NEAR(std::abs(none().energy.back()), 0.3751, 1e-3);
  EXPECT_NEAR(std::abs(position().energy.back()), 0.3462, 1e-3);
  EXPECT_NEAR(std::abs(momentum().energy.back()), 1.789e-3, 5e-6);
  EXPECT_NEAR(std::abs(none().momentum.back()), 1.775e-4, 2e-6);
  EXPECT_NEAR(std::abs(position().momentum.back()), 1.754e-4, 2e-6);
}

TEST(Seiler, GrowthRates) {
  EXPECT_NEAR(growth(none().error), 3, 0.1);
  EXPECT_NEAR(growth(none().energy), 2, 0.1);
  EXPECT_NEAR(growth(none().position), 2, 0.1);
  EXPECT_NEAR(growth(none().momentum), 1, 0.05);
  EXPECT_NEAR(growth(position().error), 3, 0.1);
  EXPECT_NEAR(growth(position().energy), 2, 0.1);
  EXPECT_NEAR(growth(position().momentum), 1, 0.05);
  EXPECT_NEAR(growth(momentum().error), 2, 0.15);
  EXPECT_NEAR(growth(momentum().energy), 1, 0.1);
  EXPECT_NEAR(growth(momentum().position), 1, 0.1);
}

TEST(Seiler, ThePeriodSurvivesMomentumProjections) {
  const Peak with = highest(momentum().x), without = highest(none().x), by_position = highest(position().x);
  EXPECT_EQ(with.k, 309);
  EXPECT_NEAR(with.height, 0.3942, 2e-3);
  EXPECT_NEAR(without.height, 0.0356, 2e-3);
  EXPECT_NEAR(by_position.height, 0.0531, 3e-3);
}

TEST(Seiler, ATighterToleranceHelpsMomentumProjectionsOnly) {
  const Outcome tight = run({ProjectionKind::momentum, 1e-8});
  EXPECT_NEAR(static_cast<double>(tight.count.momentum), 12129, 5);
  EXPECT_NEAR(largest(tight.error), 4.73e-3, 5e-5);
  EXPECT_NEAR(largest(tight.energy), 3.41e-5, 3e-7);
  EXPECT_NEAR(largest(tight.position), 1.079e-5, 1e-7);
  EXPECT_NEAR(std::abs(run({ProjectionKind::position, 1e-8}).energy.back()), 0.3462, 1e-3);
}

// With both projections at every step the numbers stay on M, and the energy does not come back: the method is
// not symplectic.
TEST(Seiler, BothAtEveryStep) {
  const Outcome both = run({ProjectionKind::both, 0});
  EXPECT_EQ(both.count.position, steps);
  EXPECT_EQ(both.count.momentum, steps);
  EXPECT_LT(largest(both.position), 1e-15);
  EXPECT_LT(largest(both.momentum), 2e-15);
  EXPECT_GT(largest(both.energy), 1e-8);
}

}  // namespace
