// Orders of the methods that solve for all stages at once, in q, p and λ, against exact motions. Everything
// that needs more digits than double has runs in 128-bit floats. tests/variants/any_order.cpp goes on with
// Hamiltonians that are not separable.

#include <taut/measure/distance.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <gtest/gtest.h>

#include "support/exact_motions.hpp"
#include "support/jacobi.hpp"
#include "support/steppers.hpp"

namespace {

using namespace taut;
using test::charged_particle_at, test::pendulum_at;
using test::Errors, test::Motion, test::Real;
using test::errors_of, test::expect_order, test::expect_slopes, test::length, test::slope, test::slopes;

// A pendulum released from the horizontal has sin(θ/2) = sin(π/4) cd(t), θ from the vertical: the reference
// is the motion itself.
TEST(AnyOrder, TheReferenceIsJacobisPendulum) {
  const auto exact = pendulum_at(2);
  const auto [sn, cn, dn] = test::jacobi(2, 0.5L);
  const long double half = std::sqrt(0.5L) * cn / dn, x = 2 * half * std::sqrt(1 - half * half),
                    y = 2 * half * half - 1;
  EXPECT_NEAR(static_cast<double>(exact.x.q[0] - Real(x)), 0, 1e-18);
  EXPECT_NEAR(static_cast<double>(exact.x.q[1] - Real(y)), 0, 1e-18);
  EXPECT_NEAR(static_cast<double>(exact.lambda[0] + 3 * Real(y)), 0,
              2e-18);  // λ = p² - y = -3y from rest at y = 0
  const Real g = exact.x.q.dot(exact.x.q) - 1, f = exact.x.q.dot(exact.x.p);
  EXPECT_LT(static_cast<double>(magnitude(g) + magnitude(f)), 1e-31);
  const auto particle = charged_particle_at(2);
  EXPECT_LT(static_cast<double>(magnitude(Real(particle.x.q.dot(particle.x.q) - 1))), 1e-31);
}

TEST(AnyOrder, LobattoOnThePendulum) {
  const PlanarPendulum<Real> s;
  const auto exact = pendulum_at(2);
  expect_order(Lobatto<>{.s = 2}, s, exact, 2, 64, 0.02);
  expect_order(Lobatto<>{.s = 3}, s, exact, 2, 32, 0.02);
  expect_order(Lobatto<>{.s = 4}, s, exact, 2, 32, 0.02);
  expect_order(Lobatto<>{.s = 5}, s, exact, 2, 24, 0.02);
  expect_order(Lobatto<>{.s = 6}, s, exact, 2, 16, 0.05);
}
TEST(AnyOrder, LobattoWithElevenStagesIsOfOrder20) {
  expect_order(Lobatto<>{.s = 11}, PlanarPendulum<Real>{}, pendulum_at(2), 2, 6, 0.3);
}

TEST(AnyOrder, BackwardDifferentiation) {
  const PlanarPendulum<Real> s;
  const auto exact = pendulum_at(2);
  for (int k = 1; k <= 6; ++k) expect_order(Bdf{.k = k}, s, exact, 2, 320, 0.1);
}

// Without a tolerance all steps are h, and what is measured is the formula with its variable coefficients.
TEST(AnyOrder, BackwardDifferentiationWithVariableSteps) {
  const PlanarPendulum<Real> s;
  const auto exact = pendulum_at(2);
  for (int k = 1; k <= 6; ++k) expect_order(BdfVariable{.k = k}, s, exact, 2, 320, 0.1);
}

// With a tolerance the error follows the tolerance, whatever h is: the estimate (BV5) is the error of a step.
TEST(AnyOrder, BackwardDifferentiationFollowsItsTolerance) {
  const PlanarPendulum<Real> s;
  const auto exact = pendulum_at(2);
  const auto error = [&](int k, double tolerance, int steps) {
    auto x = s.start();
    const auto stepper = bind(BdfVariable{.k = k}, s, x, {.error_tolerance = tolerance});
    for (int n = 0; n < steps; ++n) EXPECT_TRUE(stepper->step(x, Real(2) / steps));
    return length(PlanarPendulum<Real>::Vec(x.q - exact.x.q)) +
           length(PlanarPendulum<Real>::Vec(x.p - exact.x.p));
  };
  for (const int k : {2, 4}) {
    const double coarse = error(k, 1e-6, 4), fine = error(k, 1e-10, 4);
    const double power = std::log(coarse / fine) / std::log(1e4);
    EXPECT_NEAR(power, k / (k + 1.0), 0.15) << k;  // steps of the size tolerance^(1/(k+1)), an error of hᵏ
    EXPECT_LT(error(k, 1e-10, 1), 10 * fine) << k;
    // Without control steps of 0.1 are far off, and with it they are not.
    EXPECT_GT(error(k, 0, 20), 100 * error(k, 1e-10, 20)) << k;
  }
}

// Makes one step from a point without symmetries. Returns the estimate (J12), the error of the embedded
// result, and that of the step.
struct LocalErrors {
  double estimate, embedded, step;
};
template <class P>
LocalErrors local_errors(const P& s, int stages, Real h) {
  auto x = s.start();
  {
    const auto to_it = bind(Lobatto<>{.s = 8}, s, x);
    for (int n = 0; n < 10; ++n) EXPECT_TRUE(to_it->step(x, Real(0.08)));
  }
  auto exact = x;
  const auto finely = bind(Lobatto<>{.s = 10}, s, exact);
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(finely->step(exact, h / 4));
  const Lobatto<> method{.s = stages};
  auto at = make_memory(method, s, x);
  EXPECT_TRUE(method.step(s, x, at, h));
  // The embedded formula has the first s-1 nodes: the end without the last stage, by Lagrange's polynomials.
  typename P::Vec q = x.q, p = x.p;
  const auto d = Lobatto<>::embedded_weights(lobatto_tableau(stages));
  typename P::Vec last = at.stage.force[static_cast<std::size_t>(stages) - 1];
  at.G.subtract_transpose(typename P::Multiplier(-at.nu / Real(d.back())), last);
  for (std::size_t i = 0; i < d.size(); ++i) {
    q -= h * Real(d[i]) * at.stage.velocity[i];
    p += Real(d[i]) * (i + 1 < d.size() ? at.stage.force[i] : last);
  }
  const auto off = [&](const auto& of_q, const auto& of_p) {
    return static_cast<double>(sqrt((of_q - exact.q).squaredNorm() + (of_p - exact.p).squaredNorm()));
  };
  return {at.local_error(h).value_or(-1), off(q, p), off(x.q, x.p)};
}

// Jay, remark to Theorem 4.2: an embedded method of order s-1. Its weights are those of Lagrange's
// polynomials on the first nodes: Euler's for s = 2, the midpoint rule's for s = 3.
TEST(AnyOrder, LobattoEstimatesTheErrorOfAnEmbeddedMethod) {
  const auto of = [](int s) { return Lobatto<>::embedded_weights(lobatto_tableau(s)); };
  EXPECT_NEAR(of(2)[0], 0.5 - 1, 1e-15);  // b - (1, 0)
  EXPECT_NEAR(of(2)[1], 0.5 - 0, 1e-15);
  EXPECT_NEAR(of(3)[0], 1 / 6.0 - 0, 1e-15);  // b - (0, 1, 0)
  EXPECT_NEAR(of(3)[1], 4 / 6.0 - 1, 1e-15);
  EXPECT_NEAR(of(3)[2], 1 / 6.0 - 0, 1e-15);
  const PlanarPendulum<Real> s;
  for (int stages = 2; stages <= 5; ++stages) {
    const LocalErrors coarse = local_errors(s, stages, Real(0.025)),
                      fine = local_errors(s, stages, Real(0.0125));
    EXPECT_NEAR(std::log2(coarse.estimate / fine.estimate), stages, 0.15) << stages;
    EXPECT_NEAR(fine.estimate / fine.embedded, 1, 0.02) << stages;
    EXPECT_GT(fine.estimate, 50 * fine.step) << stages;  // it bounds the error of the step itself
  }
}

// Measures the error of a multiplier. That of the last stage costs nothing more, and is of order s - 1 only;
// the one of the equations has the order of q and p.
template <class P>
double error_of_multiplier(MultiplierFrom from, int stages, const P& s, const Motion<P::n, P::m>& exact,
                           Real time, int steps) {
  const Lobatto<> method{.s = stages, .multiplier_from = from};
  const Real h = time / steps;
  auto x = s.start();
  auto at = make_memory(method, s, x);
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(method.step(s, x, at, h));
  const auto found = method.multiplier(s, x, at, h);
  EXPECT_TRUE(found);
  return length(typename P::Multiplier(*found - exact.lambda));
}
TEST(AnyOrder, TheMultiplierHasTheOrderItsOptionPromises) {
  const PlanarPendulum<Real> s;
  const auto exact = pendulum_at(2);
  const auto order = [&](MultiplierFrom from, int stages, int steps) {
    return slope(error_of_multiplier(from, stages, s, exact, 2, steps),
                 error_of_multiplier(from, stages, s, exact, 2, 2 * steps));
  };
  for (int stages = 2; stages <= 6; ++stages)
    EXPECT_NEAR(order(MultiplierFrom::last_stage, stages, 128), stages - 1, 0.1) << stages;
  for (int stages = 2; stages <= 4; ++stages)
    EXPECT_NEAR(order(MultiplierFrom::equations, stages, 32), 2 * stages - 2, 0.1) << stages;
}

template <class P>
void expect_rattle(const P& s, double h, int steps, double rounding) {
  auto x = s.start(), y = x;
  const auto two = bind(Lobatto<2>{}, s, x), rattle = bind(Rattle{}, s, y);
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(two->step(x, h) && rattle->step(y, h));
    worst = std::max(worst, phase_distance(x, y));
  }
  EXPECT_LT(worst, rounding);
}
TEST(AnyOrder, LobattoWithTwoStagesIsRattle) {
  expect_rattle(PlanarPendulum<>{}, 0.1, 200, 1e-12);
  expect_rattle(SphericalPendulum<>{}, 0.1, 200, 1e-12);
  expect_rattle(DoublePendulum<>{}, 0.05, 200, 1e-12);
  expect_rattle(StiffPendulum<>{}, 0.02, 200, 1e-11);
}

// Jay, figure 5.8: the double pendulum at t = 5.
struct Jay58 {
  DoublePendulum<> s{};
  struct {
    State<double, 4> x{
        {0.29044054395820123452, -0.95689304022198017885, -0.22354703503283829702, -1.8146906670798130619},
        {-0.35725597033712354841, -0.10843596305492882862, 0.16839231981371559035, -0.42340150224053331556}};
    Vector<double, 2> lambda{1.5782289994728096460, 0.71767488120760836273};
  } exact{};

  template <class Method>
  Errors operator()(const Method& method, int steps) const {
    return errors_of(method, s, exact, 5.0, steps);
  }
  // Uses the method's own multiplier, Λ of the last stage.
  template <class Method>
  Errors with_stage_multiplier(const Method& method, int steps) const {
    auto x = s.start();
    auto at = make_memory(method, s, x);
    const double h = 5.0 / steps;
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(method.step(s, x, at, h));
    return {length(Vector<double, 4>(x.q - exact.x.q)), length(Vector<double, 4>(x.p - exact.x.p)),
            length(Vector<double, 2>(at.stage.L.back() / h - exact.lambda))};
  }
};
void expect_errors(const Errors& found, double q, double p, double lambda, const char* name) {
  EXPECT_NEAR(found.q / q, 1, 2e-4) << name;
  EXPECT_NEAR(found.p / p, 1, 2e-4) << name;
  EXPECT_NEAR(found.lambda / lambda, 1, 2e-4) << name;
}

using Radau = DaeRungeKutta<DaeFamily::radau, false>;
using RadauProjected = DaeRungeKutta<DaeFamily::radau, true>;
using GaussProjected = DaeRungeKutta<DaeFamily::gauss, true>;

TEST(Jay, Figure58Errors) {
  const Jay58 at;
  expect_errors(at(Lobatto<3>{}, 80), 1.3046e-6, 1.9934e-6, 7.3964e-6, "lobatto(3)");
  expect_errors(at.with_stage_multiplier(Radau{}, 80), 3.2576e-4, 7.4662e-4, 1.0008e-1, "radau(2)");
  expect_errors(at(RadauProjected{}, 80), 6.0681e-4, 4.8107e-4, 2.5656e-3, "radau-projected(2)");
  expect_errors(at(GaussProjected{}, 80), 6.2012e-5, 3.0422e-4, 6.3441e-4, "gauss-projected(2)");
}
TEST(Jay, Figure58Slopes) {
  const Jay58 at;
  expect_slopes(slopes(at(Lobatto<3>{}, 160), at(Lobatto<3>{}, 320)), 4, 4, 4, 0.02, "lobatto(3)");
  expect_slopes(slopes(at(RadauProjected{}, 160), at(RadauProjected{}, 320)), 3, 3, 3, 0.02,
                "radau-projected(2)");
  expect_slopes(slopes(at.with_stage_multiplier(Radau{}, 1280), at.with_stage_multiplier(Radau{}, 2560)), 3,
                2, 1, 0.03, "radau(2)");
  // Projected Gauss is not in its asymptotic range above h = 0.01: there one component of the
  // error changes sign.
  expect_slopes(slopes(at(GaussProjected{}, 1280), at(GaussProjected{}, 2560)), 2, 2, 2, 0.05,
                "gauss-projected(2)");
}
// This has one stage more. It runs in 128-bit floats because order 5 meets rounding soon.
TEST(Jay, RadauWithThreeStages) {
  const PlanarPendulum<Real> s;
  const auto exact = pendulum_at(2);
  expect_order(RadauProjected{.s = 3}, s, exact, 2, 80, 0.1);
  const Radau plain{.s = 3};
  const Errors coarse = errors_of(plain, s, exact, 2, 160), fine = errors_of(plain, s, exact, 2, 320),
               found = slopes(coarse, fine);
  EXPECT_NEAR(found.q, 5, 0.1);
  EXPECT_NEAR(found.p, 3, 0.1);
}

}  // namespace
