// Poisson and Dirac brackets by themselves: the identities that characterise them, at random points
// off the manifold.

#include <taut/formulation/bracket.hpp>
#include <taut/formulation/dirac.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace taut;

// Three functions without symmetry: polynomials, so that they can be called in any scalar type.
struct F {
  template <class Vec>
  auto operator()(const Vec& q, const Vec& p) const {
    return q[0] * p[1] * p[1] + q[1] * q[1] * p[0];
  }
};
struct G {
  template <class Vec>
  auto operator()(const Vec& q, const Vec& p) const {
    return q[0] * q[1] * p[0] - p[1] * q[q.size() - 1];
  }
};
struct K {
  template <class Vec>
  auto operator()(const Vec& q, const Vec& p) const {
    return p[0] * p[0] * q[1] + q[0] * q[0] * q[0] + p[p.size() - 1];
  }
};

template <class P>
StateOf<P> random_point(const P& s, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-0.3, 0.3);
  StateOf<P> x = s.start();
  for (int i = 0; i < x.q.size(); ++i) {
    x.q[i] += any(random);
    x.p[i] += any(random);
  }
  return x;
}

TEST(PoissonBracket, OfCoordinates) {
  const PlanarPendulum<> s;
  const auto x = s.start();
  const auto q0 = [](const auto& q, const auto&) { return q[0]; };
  const auto p0 = [](const auto&, const auto& p) { return p[0]; };
  const auto p1 = [](const auto&, const auto& p) { return p[1]; };
  EXPECT_EQ(PoissonBracket(q0, p0)(x.q, x.p), 1);
  EXPECT_EQ(PoissonBracket(p0, q0)(x.q, x.p), -1);
  EXPECT_EQ(PoissonBracket(q0, p1)(x.q, x.p), 0);
}

TEST(PoissonBracket, IsSkewADerivationAndSatisfiesJacobi) {
  const DoublePendulum<> s;
  std::mt19937 random(1);
  for (int trial = 0; trial < 5; ++trial) {
    const auto x = random_point(s, random);
    EXPECT_NEAR(PoissonBracket(F{}, G{})(x.q, x.p), -PoissonBracket(G{}, F{})(x.q, x.p), 1e-14);
    EXPECT_NEAR(PoissonBracket(F{}, F{})(x.q, x.p), 0, 1e-14);
    EXPECT_NEAR(PoissonBracket(F{}, Product(G{}, K{}))(x.q, x.p),
                PoissonBracket(F{}, G{})(x.q, x.p) * K{}(x.q, x.p) +
                    PoissonBracket(F{}, K{})(x.q, x.p) * G{}(x.q, x.p),
                1e-13);
    const double cycle = PoissonBracket(F{}, PoissonBracket(G{}, K{}))(x.q, x.p) +
                         PoissonBracket(G{}, PoissonBracket(K{}, F{}))(x.q, x.p) +
                         PoissonBracket(K{}, PoissonBracket(F{}, G{}))(x.q, x.p);
    EXPECT_NEAR(cycle, 0, 1e-12);
  }
}

// Proposition 3.2 of Leimkuhler and Reich: {φ, λᵀψ} = {φ, ψ}λ + {φ, λ}ψ for vectors of functions.
TEST(PoissonBracket, ProductRuleOfVectors) {
  const DoublePendulum<> s;
  const ConstraintFunctions<DoublePendulum<>> chi{s};
  const auto lambda = [](const auto& q, const auto& p) {
    using U = typename std::remove_cvref_t<decltype(q)>::Scalar;
    Vector<U, 4> l;
    l << q[0] * p[1], p[0] * p[0], q[1] * q[2] * q[3], p[3] * q[0];
    return l;
  };
  const auto contracted = [&](const auto& q, const auto& p) {
    using U = typename std::remove_cvref_t<decltype(q)>::Scalar;
    const auto l = lambda(q, p), c = chi(q, p);
    U sum(0);
    for (int i = 0; i < 4; ++i) sum += l[i] * c[i];
    return sum;
  };
  std::mt19937 random(2);
  const auto x = random_point(s, random);
  const auto d_chi = derivative(chi, x.q, x.p), d_lambda = derivative(lambda, x.q, x.p);
  const Vector<double, 4> left = bracket_matrix(d_chi, derivative(contracted, x.q, x.p)).col(0);
  const Vector<double, 4> right =
      bracket_matrix(d_chi, d_chi) * lambda(x.q, x.p) + bracket_matrix(d_chi, d_lambda) * chi(x.q, x.p);
  EXPECT_LT((left - right).lpNorm<Eigen::Infinity>(), 1e-13);
}

TEST(PoissonBracket, MatrixOfTheConstraints) {
  const DoublePendulum<> s;
  std::mt19937 random(3);
  const auto x = random_point(s, random);
  const auto d = derivative(ConstraintFunctions<DoublePendulum<>>{s}, x.q, x.p);
  const Matrix<double, 4, 4> omega = bracket_matrix(d, d);
  EXPECT_LT((omega + omega.transpose()).lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_LT((omega.topLeftCorner<2, 2>().lpNorm<Eigen::Infinity>()), 1e-14);  // {φ, φ} = 0
  auto Gq = s.make_jacobian();
  s.G(x.q, Gq);
  Matrix<double, 2, 4> rows = Matrix<double, 2, 4>::Zero();
  Gq.for_each([&](int i, int j, double entry) { rows(i, j) = entry; });
  EXPECT_LT((omega.topRightCorner<2, 2>() - rows * rows.transpose()).lpNorm<Eigen::Infinity>(),
            1e-14);  // {φ, ψ} = G W Gᵀ
  EXPECT_GT(std::abs(omega(2, 3)), 1e-3) << "{ψ, ψ} does not vanish for two constraints";
}

template <class P>
void expect_dirac_identities(const P& s, int seed, double rounding) {
  const ConstraintFunctions<P> chi{s};
  using Chi = ConstraintFunctions<P>;
  std::mt19937 random(static_cast<unsigned>(seed));
  for (int trial = 0; trial < 3; ++trial) {
    const auto x = random_point(s, random);
    EXPECT_NEAR(DiracBracket(F{}, G{}, chi)(x.q, x.p), -DiracBracket(G{}, F{}, chi)(x.q, x.p), rounding);
    EXPECT_NEAR(DiracBracket(F{}, Product(G{}, K{}), chi)(x.q, x.p),
                DiracBracket(F{}, G{}, chi)(x.q, x.p) * K{}(x.q, x.p) +
                    DiracBracket(F{}, K{}, chi)(x.q, x.p) * G{}(x.q, x.p),
                rounding);
    for (int i = 0; i < 2 * s.constraints(); ++i)  // Casimirs: of every bracket, not of H alone
      EXPECT_NEAR(DiracBracket(F{}, EntryFunction<Chi>{chi, i}, chi)(x.q, x.p), 0, rounding);
    const double cycle = DiracBracket(F{}, DiracBracket(G{}, K{}, chi), chi)(x.q, x.p) +
                         DiracBracket(G{}, DiracBracket(K{}, F{}, chi), chi)(x.q, x.p) +
                         DiracBracket(K{}, DiracBracket(F{}, G{}, chi), chi)(x.q, x.p);
    const double one_term = DiracBracket(F{}, DiracBracket(G{}, K{}, chi), chi)(x.q, x.p);
    EXPECT_NEAR(cycle, 0, 100 * rounding * std::max(1.0, std::abs(one_term)));
  }
}

TEST(DiracBracket, IdentitiesOnThePendulum) { expect_dirac_identities(PlanarPendulum<>{}, 4, 1e-12); }
TEST(DiracBracket, IdentitiesForTwoConstraints) { expect_dirac_identities(DoublePendulum<>{}, 11, 1e-11); }
TEST(DiracBracket, IdentitiesForAnHThatIsNotNatural) {
  expect_dirac_identities(ChargedParticle<>{}, 5, 1e-12);
}

// Seiler's section 3 has this closed form, with the sign that the definition gives: {F, G}* = {F, G} + ({F,
// φ}{ψ, G} - {F, ψ}{φ, G})/r².
TEST(DiracBracket, ClosedFormForThePendulum) {
  const PlanarPendulum<> s;
  const ConstraintFunctions<PlanarPendulum<>> chi{s};
  using Chi = ConstraintFunctions<PlanarPendulum<>>;
  const EntryFunction<Chi> phi{chi, 0}, psi{chi, 1};
  std::mt19937 random(6);
  const auto x = random_point(s, random);
  const auto at = [&](const auto& f) { return f(x.q, x.p); };
  const double expected =
      at(PoissonBracket(F{}, G{})) + (at(PoissonBracket(F{}, phi)) * at(PoissonBracket(psi, G{})) -
                                      at(PoissonBracket(F{}, psi)) * at(PoissonBracket(phi, G{}))) /
                                         x.q.squaredNorm();
  EXPECT_NEAR(at(DiracBracket(F{}, G{}, chi)), expected, 1e-14);
}

// Dirac's Hamiltonian H_T = H + μᵀg + ηᵀψ written out, inverse and all: its derivatives are the field of
// formulation/dirac.hpp.
template <class P>
struct TotalHamiltonian {
  P problem;
  double alpha = 0;  // the freedom of η: {φ, H} - αφ in place of {φ, H}
  template <class Vec>
  typename Vec::Scalar operator()(const Vec& q, const Vec& p) const {
    using U = typename Vec::Scalar;
    constexpr int m = P::m;
    const auto d = derivative(ConstraintFunctions<P>{problem}, q, p);
    const auto dH = derivative(EnergyFunction<P>{problem}, q, p);
    const auto chi = ConstraintFunctions<P>{problem}(q, p);
    Vector<U, 2 * m> rate = bracket_matrix(d, dH).col(0);
    for (int i = 0; i < m; ++i) rate[i] -= U(alpha) * chi[i];
    solve_constraint_brackets<U, 2 * m>(bracket_matrix(d, d), rate);  // Ω (μ, η) = -{χ, H}
    U sum = EnergyFunction<P>{problem}(q, p);
    for (int i = 0; i < 2 * m; ++i) sum -= rate[i] * chi[i];
    return sum;
  }
};

template <class P>
void expect_gradient(const P& s, int seed, double alpha = 0) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto x = random_point(s, random);
  const auto d = derivative(TotalHamiltonian<P>{s, alpha}, x.q, x.p);
  DiracField<P> field(s, alpha);
  typename P::Vec q_dot = zero_vector(s), p_dot = q_dot;
  ASSERT_TRUE(field(s, x.q, x.p, q_dot, p_dot));
  EXPECT_LT((q_dot - d.p.transpose()).norm(), 1e-12);
  EXPECT_LT((p_dot + d.q.transpose()).norm(), 1e-12);
}

TEST(DiracField, IsTheGradientOfTheTotalHamiltonian) {
  expect_gradient(PlanarPendulum<>{}, 8);
  expect_gradient(DoublePendulum<>{}, 9);  // two constraints: the term {ψ, ψ}η counts
  expect_gradient(ChargedParticle<>{}, 10);
  expect_gradient(PlanarPendulum<>{}, 8, 0.7);
  expect_gradient(DoublePendulum<>{}, 9, -1.3);
  expect_gradient(ChargedParticle<>{}, 10, 2);
}

}  // namespace
