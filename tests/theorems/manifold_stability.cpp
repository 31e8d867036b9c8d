// Asks whether M is stable under a formulation. Leimkuhler and Reich, section 3.4: a centre for Dirac's
// Hamiltonian, a saddle for the simplified one, weakly unstable for the standard underlying equations,
// neutral for the weakly Hamiltonian ones. Seiler (20).

#include <taut/formulation/dirac.hpp>
#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/hamilton_dirac.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/measure/manifold_stability.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace taut;

template <class Formulation, class P>
ManifoldStability stability(const P& s, const StateOf<P>& x) {
  const auto matrix = residual_matrix(Formulation{}, s, x);
  EXPECT_TRUE(matrix);
  return character_of(*matrix);
}

// The pendulum has the eigenvalues ±i√(4|p|² - g y) and ±√(4|p|² - g y), Seiler's σ with cos ξ = y.
TEST(ManifoldStability, Pendulum) {
  for (const double gravity : {0.0, 1.0}) {
    PlanarPendulum<> s;
    s.gravity = gravity;
    for (const double angle : {0.1, 1.0, 2.5}) {
      const double speed = 0.8 + angle;
      const State<double, 2> x{{std::sin(angle), std::cos(angle)},
                               {speed * std::cos(angle), -speed * std::sin(angle)}};
      const double sigma = std::sqrt(4 * speed * speed - gravity * x.q[1]);
      const auto dirac = stability<Dirac>(s, x), simplified = stability<DiracSimplified>(s, x);
      EXPECT_EQ(dirac.character, ManifoldCharacter::centre);
      EXPECT_NEAR(std::abs(dirac.eigenvalues[0].imag()), sigma, 1e-10);
      EXPECT_EQ(simplified.character, ManifoldCharacter::saddle);
      EXPECT_NEAR(simplified.eigenvalues[1].real(), sigma, 1e-10);
      EXPECT_EQ(stability<Underlying>(s, x).character, ManifoldCharacter::weakly_unstable);
      EXPECT_EQ(stability<DiracWeak>(s, x).character, ManifoldCharacter::neutral);
      EXPECT_EQ(stability<HamiltonDirac>(s, x).character, ManifoldCharacter::neutral);
    }
  }
}

// The motion is circular without gravity, |p| = 2, up to t = 2. Residuals of size 1 in φ become cosh 8 and 4
// sinh 8 (simplified), and stay below 1 and 4 (Dirac).
TEST(ManifoldStability, AlongATrajectory) {
  PlanarPendulum<> s;
  s.gravity = 0;
  const double h = 0.002;
  std::vector<State<double, 2>> states;
  for (int i = 0; i <= 1000; ++i) {
    const double a = -2 * h * i;
    states.push_back({{std::cos(a), std::sin(a)}, {2 * std::sin(a), -2 * std::cos(a)}});
  }
  const std::span<const State<double, 2>> span(states);
  const auto simplified = manifold_stability(DiracSimplified{}, s, span, h);
  ASSERT_TRUE(simplified);
  EXPECT_EQ(simplified->worst, ManifoldCharacter::saddle);
  EXPECT_NEAR(simplified->transition(0, 0) / std::cosh(8), 1, 1e-3);
  EXPECT_NEAR(simplified->transition(1, 0) / (4 * std::sinh(8)), 1, 1e-3);
  const auto dirac = manifold_stability(Dirac{}, s, span, h);
  ASSERT_TRUE(dirac);
  EXPECT_EQ(dirac->worst, ManifoldCharacter::centre);
  EXPECT_LT(dirac->growth, 5);
  const auto weak = manifold_stability(DiracWeak{}, s, span, h);
  ASSERT_TRUE(weak);
  EXPECT_EQ(weak->worst, ManifoldCharacter::neutral);
  EXPECT_NEAR(weak->growth, 1, 1e-10);
  const auto underlying = manifold_stability(Underlying{}, s, span, h);
  ASSERT_TRUE(underlying);
  EXPECT_EQ(underlying->worst, ManifoldCharacter::weakly_unstable);
  EXPECT_NEAR(underlying->transition(0, 1), 2, 1e-9);  // φ(t) = φ(0) + t ψ(0)
}

// Expects the same from the nonlinear equations: a start with φ = 1e-7, the largest residuals up to t = 2.
template <class Formulation>
void expect_residuals(double position, double momentum) {
  PlanarPendulum<> s;
  s.gravity = 0;
  const double size = 1e-7, h = 0.01;
  const OdeMethod<ExplicitRungeKutta, Formulation> method{.scheme = {find_explicit("dop853")}};
  State<double, 2> x{{std::sqrt(1 + 2 * size), 0}, {0, -2}};
  auto memory = make_memory(method, s, x);
  double phi = 0, psi = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(method.step(s, x, memory, h));
    phi = std::max(phi, std::abs(x.q.squaredNorm() - 1) / 2);
    psi = std::max(psi, std::abs(x.q.dot(x.p)));
  }
  EXPECT_NEAR(phi / size / position, 1, 1e-3);
  EXPECT_NEAR(psi / size / momentum, 1, 1e-3);
}

TEST(ManifoldStability, ResidualsOfANearbyStart) {
  expect_residuals<Dirac>(1, 4);
  expect_residuals<DiracSimplified>(std::cosh(8), 4 * std::sinh(8));
}

}  // namespace
