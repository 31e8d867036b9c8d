// Equations that are stabilised, or left to drift: Baumgarte's, the penalty system, the forms of index 2 with
// and without g = 0, and half-explicit methods. Each claim is measured beside its broken hypothesis.

#include <taut/formulation/baumgarte.hpp>
#include <taut/formulation/dirac.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/formulation/penalty.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/measure/manifold_stability.hpp>
#include <taut/method/baselines/dae_form_method.hpp>
#include <taut/method/baselines/half_explicit_runge_kutta.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_gauss.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace taut;

template <class P>
double position_off(const P& s, const StateOf<P>& x) {
  typename P::Multiplier g = zero_multiplier(s);
  s.g(x.q, g);
  return static_cast<double>(largest_entry(g));
}
template <class P>
double momentum_off(const P& s, const StateOf<P>& x) {
  auto G = s.make_jacobian();
  s.G(x.q, G);
  typename P::Vec v = zero_vector(s);
  H_p(s, x.q, x.p, v);
  typename P::Multiplier psi = zero_multiplier(s);
  G.times(v, psi);
  return static_cast<double>(largest_entry(psi));
}

// A moving start on M.
template <class T>
State<T, 4> moving(const DoublePendulum<T>& s) {
  State<T, 4> x = s.start();
  x.p << T(0.3L), T(-0.2L), T(0.5L), T(0.1L);
  EXPECT_TRUE(project_start(s, x));
  return x;
}

template <class Method, class P>
StateOf<P> after(const Method& method, const P& s, StateOf<P> x, double time, int steps) {
  using T = typename P::Scalar;
  auto memory = make_memory(method, s, x);
  for (int i = 0; i < steps; ++i)
    EXPECT_TRUE(method.step(s, x, memory, T(time) / T(steps))) << label(facts_of(method)) << ", step " << i;
  return x;
}
template <class P>
double distance(const StateOf<P>& a, const StateOf<P>& b) {
  return static_cast<double>((a.q - b.q).norm() + (a.p - b.p).norm());
}

// Off M the residuals obey g'' + 2α g' + β² g = 0, to rounding.
template <class P>
void expect_damped_residuals(const P& s, double alpha, double beta) {
  StateOf<P> x = s.start();
  for (int i = 0; i < x.q.size(); ++i) {
    x.q[i] += 0.1 * std::sin(2.0 * i + 1);
    x.p[i] += 0.4 * std::cos(3.0 * i);
  }
  auto field = Baumgarte{alpha, beta}.make_field(s);
  typename P::Vec q_dot = zero_vector(s), p_dot = q_dot;
  ASSERT_TRUE(field(s, x.q, x.p, q_dot, p_dot));
  HiddenConstraint<P> hidden(s);
  ASSERT_TRUE(hidden.evaluate(s, x.q, x.p));
  typename P::Multiplier second = zero_multiplier(s), g = second;
  hidden.rate(x.q, x.p, q_dot, p_dot, second);
  s.g(x.q, g);
  EXPECT_GT(g.norm(), 1e-3);
  EXPECT_LT((second + 2 * alpha * hidden.psi + beta * beta * g).norm(), 1e-12 * (1 + second.norm()));
}

TEST(Baumgarte, DampsResidualsAsItSays) {
  expect_damped_residuals(PlanarPendulum<>{}, 5, 5);
  expect_damped_residuals(DoublePendulum<>{}, 2, 7);
  expect_damped_residuals(ChargedParticle<>{}, 3, 1);
}

TEST(Baumgarte, KeepsARunNearTheManifoldUnlikeTheUnderlyingEquation) {
  const PlanarPendulum<> s;
  const ExplicitRungeKutta rk4{find_explicit("rk4")};
  const State<double, 2> from{{1, 0}, {0, -2}};
  const auto damped = after(OdeMethod<ExplicitRungeKutta, Baumgarte>{.scheme = rk4}, s, from, 200, 8000);
  const auto free = after(OdeMethod<ExplicitRungeKutta, Underlying>{.scheme = rk4}, s, from, 200, 8000);
  EXPECT_LT(position_off(s, damped), 1e-6);
  EXPECT_GT(position_off(s, free), 1e-4);
  // The hypothesis: α > 0.
  const auto repelled = after(
      OdeMethod<ExplicitRungeKutta, Baumgarte>{.scheme = rk4, .formulation = {-0.05, 1}}, s, from, 200, 8000);
  EXPECT_GT(position_off(s, repelled), 1e-4);
}

// Reich (7): from a start on M the penalty system is O(ε) away from the motion and from M.
TEST(Penalty, IsWithinEpsilonOfTheMotion) {
  using T = long double;
  const DoublePendulum<T> s;
  const auto from = moving(s);
  const ExplicitRungeKutta dop{find_explicit("dop853")};
  const auto exact = after(OdeMethod<ExplicitRungeKutta, Underlying>{.scheme = dop}, s, from, 1, 200);
  const auto error = [&](double eps) {
    return distance<DoublePendulum<T>>(
        after(OdeMethod<ExplicitRungeKutta, Penalty>{.scheme = dop, .formulation = {eps}}, s, from, 1, 4000),
        exact);
  };
  // Averaged over the phase of the vibrations the positions are off by O(ε); p vibrates by O(√ε).
  const auto positions = [&](double eps) {
    return static_cast<double>(
        (after(OdeMethod<ExplicitRungeKutta, Penalty>{.scheme = dop, .formulation = {eps}}, s, from, 1, 4000)
             .q -
         exact.q)
            .norm());
  };
  for (const double eps : {1e-4, 1e-5, 1e-6}) {
    EXPECT_LT(positions(eps), 20 * eps) << eps;
    EXPECT_LT(error(eps), 20 * std::sqrt(eps)) << eps;
  }
  // The hypothesis: a start on M. With G H_p = c the amplitude of g is c √ε.
  auto off = from;
  off.p[0] += T(0.1L);
  const auto thrown =
      after(OdeMethod<ExplicitRungeKutta, Penalty>{.scheme = dop, .formulation = {1e-6}}, s, off, 1, 4000);
  EXPECT_GT(position_off(s, thrown), 5e-6);
}

// The freedom of η: with one constraint and {φ, μ} = 0 the eigenvalues are ±√(α² - {ψ, μ}), here {ψ, μ} = 16.
TEST(DiracAlpha, MovesTheEigenvaluesOfResiduals) {
  PlanarPendulum<> s;
  s.gravity = 0;
  const State<double, 2> x{{1, 0}, {0, -2}};
  for (const double alpha : {0.0, 1.0, 3.0, 5.0}) {
    const auto matrix = residual_matrix(Dirac{alpha}, s, x);
    ASSERT_TRUE(matrix);
    const auto found = character_of(*matrix);
    const std::complex<double> expected = std::sqrt(std::complex<double>(alpha * alpha - 16));
    EXPECT_LT(std::abs(found.eigenvalues.back() * found.eigenvalues.back() - expected * expected), 1e-6)
        << alpha;
    EXPECT_EQ(found.character, alpha < 4 ? ManifoldCharacter::centre : ManifoldCharacter::saddle) << alpha;
  }
}

// Baumgarte's M attracts: the eigenvalues are the zeros of x² + 2αx + β².
TEST(Baumgarte, MakesTheManifoldAttract) {
  PlanarPendulum<> s;
  const State<double, 2> x{{1, 0}, {0, -2}};
  const auto matrix = residual_matrix(Baumgarte{3, 5}, s, x);
  ASSERT_TRUE(matrix);
  const auto found = character_of(*matrix);
  EXPECT_EQ(found.character, ManifoldCharacter::attracting);
  EXPECT_LT(std::abs(found.eigenvalues.back() - std::complex<double>(-3, 4)), 1e-6);
  const auto repelling = residual_matrix(Baumgarte{-3, 5}, s, x);
  ASSERT_TRUE(repelling);
  EXPECT_EQ(character_of(*repelling).character, ManifoldCharacter::saddle);
}

constexpr DaeForm index2{}, stabilised{.position = true};

TEST(FormsOfIndex2, HaveTheOrdersTheyClaim) {
  using T = long double;
  using P = DoublePendulum<T>;
  const P s;
  const auto from = moving(s);
  const OdeMethod<OdeGauss, Underlying> gauss{.scheme = {.s = 6}};
  const auto exact = after(gauss, s, from, 0.5, 50);
  for (const DaeForm form : {index2, stabilised})
    for (const DaeFormMethod& method :
         {DaeFormMethod{.family = DaeFormFamily::bdf, .number = 1, .form = form},
          DaeFormMethod{.family = DaeFormFamily::bdf, .number = 2, .form = form},
          DaeFormMethod{.family = DaeFormFamily::bdf, .number = 3, .form = form},
          DaeFormMethod{.family = DaeFormFamily::bdf, .number = 4, .form = form},
          DaeFormMethod{.family = DaeFormFamily::bdf, .number = 6, .form = form},
          DaeFormMethod{.family = DaeFormFamily::radau, .number = 2, .form = form},
          DaeFormMethod{.family = DaeFormFamily::radau, .number = 3, .form = form}}) {
      const int coarse = method.family == DaeFormFamily::radau ? 10 : 80;
      const double a = distance<P>(after(method, s, from, 0.5, coarse), exact),
                   b = distance<P>(after(method, s, from, 0.5, 2 * coarse), exact);
      EXPECT_NEAR(std::log2(a / b), method.facts().order, 0.25)
          << label(method.facts()) << ": " << a << " " << b;
    }
}

// What each form keeps, and that without g = 0 the position drifts.
TEST(FormsOfIndex2, KeepWhatTheySay) {
  const DoublePendulum<> s;
  const auto from = moving(s);
  for (const DaeFormFamily family : {DaeFormFamily::bdf, DaeFormFamily::radau}) {
    const auto drifting =
        after(DaeFormMethod{.family = family, .number = 2, .form = index2}, s, from, 2, 100);
    EXPECT_LT(momentum_off(s, drifting), 1e-13);
    EXPECT_GT(position_off(s, drifting), 1e-8);
    const auto kept =
        after(DaeFormMethod{.family = family, .number = 2, .form = stabilised}, s, from, 2, 100);
    EXPECT_LT(momentum_off(s, kept), 1e-13);
    EXPECT_LT(position_off(s, kept), 1e-14);
  }
}

TEST(FormsOfIndex2, ForAnHThatIsNotNatural) {
  const ChargedParticle<> s;
  const OdeMethod<OdeGauss, Underlying> gauss{.scheme = {.s = 4}};
  const auto exact = after(gauss, s, s.start(), 1, 50);
  const DaeFormMethod method{.family = DaeFormFamily::radau, .number = 3, .form = stabilised};
  const auto found = after(method, s, s.start(), 1, 50);
  EXPECT_LT(distance<ChargedParticle<>>(found, exact), 1e-8);
  EXPECT_LT(position_off(s, found), 1e-14);
  EXPECT_LT(momentum_off(s, found), 1e-13);
}

double order_of_half_explicit(const HalfExplicitRungeKutta& method) {
  using T = long double;
  using P = DoublePendulum<T>;
  const P s;
  const auto from = moving(s);
  const auto exact = after(OdeMethod<OdeGauss, Underlying>{.scheme = {.s = 6}}, s, from, 0.5, 50);
  return std::log2(distance<P>(after(method, s, from, 0.5, 40), exact) /
                   distance<P>(after(method, s, from, 0.5, 80), exact));
}

TEST(HalfExplicit, HasTheOrderOfItsNameAndKeepsTheHiddenConstraint) {
  for (int p = 1; p <= 4; ++p)
    EXPECT_NEAR(order_of_half_explicit(HalfExplicitRungeKutta{.order = p}), p, 0.15) << p;
  const DoublePendulum<> s;
  const auto end = after(HalfExplicitRungeKutta{}, s, moving(s), 2, 40);
  EXPECT_LT(momentum_off(s, end), 1e-13);
  EXPECT_GT(position_off(s, end), 1e-10);
}

// The hypothesis: order 3 and 4 need more than the conditions of ordinary Runge-Kutta methods.
TEST(HalfExplicit, LosesAnOrderWithClassicalTableaus) {
  using R = Float128;
  const std::vector<std::vector<R>> classical{
      {R(1) / 2}, {0, R(1) / 2}, {0, 0, 1}, {R(1) / 6, R(1) / 3, R(1) / 3, R(1) / 6}};
  EXPECT_NEAR(order_of_half_explicit({.order = 4, .own = &classical}), 3, 0.15);
  const std::vector<std::vector<R>> heun{{R(1) / 3}, {0, R(2) / 3}, {R(1) / 4, 0, R(3) / 4}};
  EXPECT_NEAR(order_of_half_explicit({.order = 3, .own = &heun}), 2, 0.15);
}

}  // namespace
