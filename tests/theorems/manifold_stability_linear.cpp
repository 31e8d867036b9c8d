// Stability of M for linear constraints and a quadratic potential, Leimkuhler and Reich, section 3.3:
// eigenvalues ±i√B for Dirac's Hamiltonian, ±√B for the simplified one, 0 for the others.

#include <taut/formulation/dirac.hpp>
#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/hamilton_dirac.hpp>
#include <taut/formulation/linear.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/measure/manifold_stability.hpp>
#include <taut/problem/tiers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace taut;

// H = ½|p|² + ½qᵀSq under Gq = 0, with five coordinates and two constraints; sizes are known at
// run time only.
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
  s.S = A.lazyProduct(A.transpose());
  s.S.diagonal().array() += 1;
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

// Returns the √ of the positive eigenvalues of B = 𝓗 S 𝓗, 𝓗 = Gᵀ(GGᵀ)⁻¹G: those of the 2 x 2 matrix
// (GGᵀ)⁻¹ G S Gᵀ.
std::vector<double> normal_frequencies(const QuadraticWell<double>& s) {
  const Matrix<double, 2, 2> gram = s.rows.lazyProduct(s.rows.transpose());
  const Matrix<double, 2, 5> GS = s.rows.lazyProduct(s.S);
  const Matrix<double, 2, 2> stiffness = GS.lazyProduct(s.rows.transpose());
  Matrix<double, 2, 2> inverse;
  inverse << gram(1, 1), -gram(0, 1), -gram(1, 0), gram(0, 0);
  inverse /= gram(0, 0) * gram(1, 1) - gram(0, 1) * gram(1, 0);
  const Matrix<double, 2, 2> B = inverse * stiffness;
  const double half = (B(0, 0) + B(1, 1)) / 2, product = B(0, 0) * B(1, 1) - B(0, 1) * B(1, 0);
  const double root = std::sqrt(half * half - product);
  return {std::sqrt(half - root), std::sqrt(half + root)};
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

}  // namespace
