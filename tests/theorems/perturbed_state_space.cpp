// Seiler, sections 2 and 3: states off M in coordinates along it and across it.

#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/hamilton_dirac.hpp>
#include <taut/measure/perturbed_state_space.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/dual.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace taut;

using Off = PerturbedPendulum<double>;
const Off points[] = {{0.7, 1.3, 0.03, 0.2}, {-1.9, 0.4, -0.05, -0.6}, {2.5, -2.0, 0.2, 0.1}};

template <class Formulation>
State<double, 2> derivative_of(const Off& y) {
  const PlanarPendulum<> s;
  const State<double, 2> x = from_perturbed(y);
  auto field = make_field(Formulation{}, s);
  State<double, 2> rate{{0, 0}, {0, 0}};
  EXPECT_TRUE(field(s, x.q, x.p, rate.q, rate.p));
  return rate;
}

// Returns the rate of change of (ξ, π, ζ, ρ) by the chain rule.
template <class Formulation>
Off rate_of(const Off& y) {
  const State<double, 2> x = from_perturbed(y), v = derivative_of<Formulation>(y);
  const double r2 = x.q.squaredNorm();
  return {.xi = (x.q[1] * v.q[0] - x.q[0] * v.q[1]) / r2,
          .pi = v.q[1] * x.p[0] + x.q[1] * v.p[0] - v.q[0] * x.p[1] - x.q[0] * v.p[1],
          .zeta = x.q.dot(v.q),
          .rho = v.q.dot(x.p) + x.q.dot(v.p)};
}

TEST(PerturbedStateSpace, TheCoordinatesAreAChart) {
  for (const Off& y : points) {
    const Off back = perturbed(from_perturbed(y));
    EXPECT_NEAR(back.xi, y.xi, 1e-14);
    EXPECT_NEAR(back.pi, y.pi, 1e-14);
    EXPECT_NEAR(back.zeta, y.zeta, 1e-14);
    EXPECT_NEAR(back.rho, y.rho, 1e-14);
  }
}

// Proposition 1: dq ∧ dp is dξ ∧ dπ for constant residuals. Central differences are wrong by δ² = 1e-10.
TEST(PerturbedStateSpace, AreCanonicalForConstantResiduals) {
  constexpr double d = 1e-5;
  for (const Off& y : points) {
    const auto slope = [&](double a, double b) {
      const auto above = from_perturbed<double>({y.xi + a, y.pi + b, y.zeta, y.rho});
      const auto below = from_perturbed<double>({y.xi - a, y.pi - b, y.zeta, y.rho});
      return State<double, 2>{(above.q - below.q) / (2 * d), (above.p - below.p) / (2 * d)};
    };
    const auto u = slope(d, 0), v = slope(0, d);
    EXPECT_NEAR(u.q.dot(v.p) - u.p.dot(v.q), 1, 1e-9);
  }
}

TEST(PerturbedStateSpace, Equation17) {
  const PlanarPendulum<> s;
  for (const Off& y : points) {
    const auto x = from_perturbed(y);
    const auto parts = energy_parts(s, x);
    ASSERT_TRUE(parts);
    const double r2 = 2 * y.zeta + 1;
    EXPECT_NEAR(parts->along, y.pi * y.pi / (2 * r2), 1e-14);
    EXPECT_NEAR(parts->across, y.rho * y.rho / (2 * r2), 1e-14);
    EXPECT_NEAR(parts->potential, std::sqrt(r2) * std::cos(y.xi), 1e-14);
  }
}

TEST(PerturbedStateSpace, Equations18And20) {
  for (const Off& y : points) {
    const Off rate = rate_of<DiracSimplified>(y);
    const double r2 = 2 * y.zeta + 1, r = std::sqrt(r2);
    EXPECT_NEAR(rate.xi, (4 * y.zeta + 1) / (r2 * r2) * y.pi, 1e-13);
    EXPECT_NEAR(rate.pi, (y.zeta + 1) / r * std::sin(y.xi), 1e-13);
    EXPECT_NEAR(rate.zeta, (4 * y.zeta + 1) / r2 * y.rho, 1e-13);
    EXPECT_NEAR(rate.rho,
                4 * y.zeta * (y.rho * y.rho + y.pi * y.pi) / (r2 * r2) - y.zeta * std::cos(y.xi) / r, 1e-13);
  }
}

TEST(PerturbedStateSpace, Equation19) {
  for (const Off& y : points) {
    const Off rate = rate_of<HamiltonDirac>(y);
    const double r2 = 2 * y.zeta + 1;
    EXPECT_NEAR(rate.xi, y.pi / r2, 1e-13);
    EXPECT_NEAR(rate.pi, std::sqrt(r2) * std::sin(y.xi), 1e-13);
    EXPECT_NEAR(rate.zeta, 0, 1e-13);
    EXPECT_NEAR(rate.rho, 0, 1e-13);
  }
}

// With two constraints the parts add up, the part across vanishes on G W p = 0, and it is quadratic in ρ.
TEST(PerturbedStateSpace, TheEnergyAcrossIsThatOfTheMomentumResidual) {
  const DoublePendulum<> s;
  auto x = s.start();
  x.q << 0.5, -0.9, 0.1, -1.7;
  x.p << 0.4, 0.3, -0.2, 0.6;
  const auto parts = energy_parts(s, x);
  ASSERT_TRUE(parts);
  EXPECT_NEAR(parts->along + parts->across + parts->potential, H(s, x.q, x.p), 1e-14);
  EXPECT_GT(parts->across, 1e-3);
  auto twice = x;
  twice.p *= 2;
  EXPECT_NEAR(energy_parts(s, twice)->across, 4 * parts->across, 1e-13);
  // Taking the normal part away: p - Gᵀ(G W Gᵀ)⁻¹ρ with G = (q1, 0; q1-q2, q2-q1) and W = 1.
  Eigen::Matrix<double, 2, 4> G;
  G << x.q[0], x.q[1], 0, 0, x.q[0] - x.q[2], x.q[1] - x.q[3], x.q[2] - x.q[0], x.q[3] - x.q[1];
  const Eigen::Vector2d rho = G * x.p;
  const Eigen::Matrix2d C = G * G.transpose();
  const double det = C(0, 0) * C(1, 1) - C(0, 1) * C(1, 0);
  const Eigen::Vector2d nu((C(1, 1) * rho[0] - C(0, 1) * rho[1]) / det,
                           (C(0, 0) * rho[1] - C(1, 0) * rho[0]) / det);
  x.p -= G.transpose() * nu;
  EXPECT_NEAR(energy_parts(s, x)->across, 0, 1e-15);
  EXPECT_NEAR(energy_parts(s, x)->along, parts->along, 1e-14);
}

// (20) with ζ held, and ξ and π frozen, is the Riccati equation; integrated by small classical steps.
TEST(PerturbedStateSpace, AHeldPositionResidualBlowsTheMomentumResidualUp) {
  const double xi = 0.7, pi = 1.3, sigma = std::sqrt(4 * pi * pi - std::cos(xi));
  for (const double zeta0 : {1e-3, 1e-4})
    for (const double rho0 : {0.0, 0.3}) {
      const double end = 0.9 * blow_up_time(zeta0, sigma, rho0);
      const auto rate = [&](double rho) { return rate_of<DiracSimplified>({xi, pi, zeta0, rho}).rho; };
      constexpr int steps = 2000;
      const double h = end / steps;
      double rho = rho0;
      for (int i = 0; i < steps; ++i) {
        const double a = rate(rho), b = rate(rho + h / 2 * a), c = rate(rho + h / 2 * b),
                     d = rate(rho + h * c);
        rho += h / 6 * (a + 2 * b + 2 * c + d);
      }
      // The approximation leaves out factors 1 + O(ζ₀) of the right side, which near the pole count tenfold.
      EXPECT_NEAR(rho / held_residual(zeta0, sigma, rho0, end), 1, 60 * zeta0);
      EXPECT_GT(rho, 2 * sigma);
    }
  EXPECT_NEAR(blow_up_time(1e-3, sigma, 0) / blow_up_time(1e-4, sigma, 0), 0.1, 1e-15);
  EXPECT_NEAR(blow_up_time(0.01, 2, 0), std::numbers::pi / 0.08, 1e-12);
}

// Without a position residual there is nothing that grows.
TEST(PerturbedStateSpace, OnThePositionConstraintTheMomentumResidualStays) {
  EXPECT_NEAR(rate_of<DiracSimplified>({0.7, 1.3, 0, 0.2}).rho, 0, 1e-14);
}

}  // namespace
