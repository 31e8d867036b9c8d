// Is M stable under a formulation? Leimkuhler and Reich, sections 3.3 and 3.4: a centre for Dirac's Hamiltonian, a saddle for the simplified one, weakly
// unstable for the standard underlying equations, neutral for the weakly Hamiltonian ones. Seiler (20).

#include <taut/formulation/dirac.hpp>
#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/hamilton_dirac.hpp>
#include <taut/formulation/linear.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/measure/manifold_stability.hpp>
#include <taut/problem/pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace taut;

// ½|p|² + ½qᵀSq under Gq = 0, five coordinates, two constraints; sizes known at run time only.
template <class T>
struct QuadraticWell : Shape<T, dynamic, dynamic> {
  using Base = Shape<T, dynamic, dynamic>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Vec;
  Matrix<double, 5, 5> S;
  Matrix<double, 2, 5> rows;
  ScalarMass<T> mass{};

  int coordinates() const { return 5; }
  int constraints() const { return 2; }
  Jacobian make_jacobian() const { return {2, 5}; }
  T V(const Vec& q) const {
    Vec f = q;
    grad_V(q, f);
    return q.dot(f) / 2;
  }
  void grad_V(const Vec& q, Vec& f) const {
    for (int i = 0; i < 5; ++i) {
      f[i] = T(0);
      for (int j = 0; j < 5; ++j) f[i] += T(S(i, j)) * q[j];
    }
  }
  const ScalarMass<T>& W() const { return mass; }
  void g(const Vec& q, Multiplier& g) const {
    for (int i = 0; i < 2; ++i) {
      g[i] = T(0);
      for (int j = 0; j < 5; ++j) g[i] += T(rows(i, j)) * q[j];
    }
  }
  void G(const Vec&, Jacobian& G) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 5; ++j) G(i, j) = T(rows(i, j));
  }
  template <class U>
  QuadraticWell<U> cast() const {
    return {{}, S, rows, mass.template cast<U>()};
  }
};

QuadraticWell<double> well() {
  QuadraticWell<double> s;
  Matrix<double, 5, 5> A;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) A(i, j) = std::sin(1.0 + 3 * i + 7 * j);
  s.S = A * A.transpose() + Matrix<double, 5, 5>::Identity();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 5; ++j) s.rows(i, j) = std::cos(2.0 * i + j * (i + 1));
  return s;
}

template <class Formulation, class P>
ManifoldStability stability(const P& s, const StateOf<P>& x) {
  const auto matrix = residual_matrix(Formulation{}, s, x);
  EXPECT_TRUE(matrix);
  return character_of(*matrix);
}

// The positive eigenvalues of B = 𝓗 S 𝓗, 𝓗 = Gᵀ(GGᵀ)⁻¹G.
std::vector<double> normal_frequencies(const QuadraticWell<double>& s) {
  const Matrix<double, 5, 5> projector =
      s.rows.transpose() * (s.rows * s.rows.transpose()).inverse() * s.rows;
  const Eigen::SelfAdjointEigenSolver<Matrix<double, 5, 5>> solver(projector * s.S * projector);
  return {std::sqrt(solver.eigenvalues()[3]), std::sqrt(solver.eigenvalues()[4])};
}

TEST(ManifoldStability, LinearConstraints) {
  const auto s = well();
  const StateOf<QuadraticWell<double>> x{Vector<double, dynamic>::Zero(5), Vector<double, dynamic>::Zero(5)};
  const auto frequency = normal_frequencies(s);
  const auto dirac = stability<Dirac>(s, x);
  EXPECT_EQ(dirac.character, ManifoldCharacter::centre);
  std::vector<double> imaginary;
  for (const auto& value : dirac.eigenvalues) {
    EXPECT_NEAR(value.real(), 0, 1e-10);
    if (value.imag() > 0) imaginary.push_back(value.imag());
  }
  std::sort(imaginary.begin(), imaginary.end());
  ASSERT_EQ(imaginary.size(), 2U);
  const auto simplified = stability<DiracSimplified>(s, x);
  EXPECT_EQ(simplified.character, ManifoldCharacter::saddle);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(imaginary[i], frequency[i], 1e-10);
    EXPECT_NEAR(simplified.eigenvalues[2 + i].real(), frequency[i], 1e-10);
    EXPECT_NEAR(simplified.eigenvalues[1 - i].real(), -frequency[i], 1e-10);
  }
  EXPECT_EQ(stability<Underlying>(s, x).character, ManifoldCharacter::weakly_unstable);
  EXPECT_EQ(stability<Linear>(s, x).character, ManifoldCharacter::weakly_unstable);
  EXPECT_EQ(stability<DiracWeak>(s, x).character, ManifoldCharacter::neutral);
  EXPECT_EQ(stability<HamiltonDirac>(s, x).character, ManifoldCharacter::neutral);
  for (const auto& value : stability<DiracWeak>(s, x).eigenvalues) EXPECT_LT(std::abs(value), 1e-10);
}

// The pendulum: eigenvalues ±i√(4|p|² - g y) and ±√(4|p|² - g y), Seiler's σ with cos ξ = y.
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

// Along the circular motion without gravity, |p| = 2, up to t = 2: residuals of size 1 in φ become cosh 8 and 4 sinh 8 (simplified), and stay below 1 and 4 (Dirac).
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

}  // namespace
