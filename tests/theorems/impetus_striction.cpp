// Impetus and striction: g is a first integral for every p, methods that keep quadratic integrals keep it to
// rounding, and the momenta that come out are tangent. A system with a Hamiltonian of its own is there too.

#include <taut/formulation/impetus_striction.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_gauss.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace taut;

StateOf<DoublePendulum<>> swinging() { return {{0.6, -0.8, 1.4, -1.4}, {0.4, 0.3, 0.4, 0.3}}; }

StateOf<ChargedParticle<>> circling() { return {{0.2, 0.2, std::sqrt(0.92)}, {1, -1, 0}}; }

// Off the cotangent space and off g = 0: what comes in is any point.
template <class P>
void expect_first_integral(const P& s, StateOf<P> x) {
  x.q *= 1.1;
  x.p[0] += 0.7;
  x.p[1] -= 0.4;
  ImpetusStrictionField<P> field(s);
  typename P::Vec q_dot = x.q, p_dot = x.q;
  ASSERT_TRUE(field(s, x.q, x.p, q_dot, p_dot));
  typename P::Jacobian G = s.make_jacobian();
  typename P::Multiplier rate = zero_multiplier(s);
  s.G(x.q, G);
  G.times(q_dot, rate);
  EXPECT_LT(largest_entry(rate), 1e-14);
  EXPECT_GT(largest_entry(field.mu), 0.01);
}

TEST(ImpetusStriction, GIsAFirstIntegralForEveryMomentum) {
  expect_first_integral(DoublePendulum<>{}, swinging());
  expect_first_integral(ChargedParticle<>{}, circling());
}

struct Left {
  double error, g, momentum;
};

template <class Scheme, class P>
Left after(const Scheme& scheme, const P& s, const StateOf<P>& start, int steps) {
  const double end = 2;
  const OdeMethod<Scheme, ImpetusStriction> method{.scheme = scheme};
  const OdeMethod<ExplicitRungeKutta, Underlying> reference{.scheme = {find_explicit("dop853")}};
  StateOf<P> x = start, y = start;
  auto memory = make_memory(method, s, x);
  auto memory_of_reference = make_memory(reference, s, y);
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(method.step(s, x, memory, end / steps));
  for (int i = 0; i < 400; ++i) EXPECT_TRUE(reference.step(s, y, memory_of_reference, end / 400));
  return {(x.q - y.q).norm() + (x.p - y.p).norm(), position_residual(s, x.q), momentum_residual(s, x.q, x.p)};
}

template <class P>
void expect_the_motion(const P& s, const StateOf<P>& start) {
  const OdeGauss midpoint{.s = 1, .is_midpoint = true};
  const Left coarse = after(midpoint, s, start, 100), fine = after(midpoint, s, start, 200);
  EXPECT_NEAR(std::log2(coarse.error / fine.error), 2, 0.1);
  EXPECT_LT(fine.g, 1e-14);  // g has second degree, so that the midpoint rule keeps it
  EXPECT_LT(fine.momentum, 1e-14);
  const ExplicitRungeKutta rk4{find_explicit("rk4")};
  const Left first = after(rk4, s, start, 100), second = after(rk4, s, start, 200);
  EXPECT_NEAR(std::log2(first.error / second.error), 4, 0.2);
  EXPECT_GT(first.g, 1e-11);  // the hypothesis: a method that keeps quadratic first integrals
  EXPECT_LT(first.momentum, 1e-14);
}

TEST(ImpetusStriction, HasTheMotionOfTheConstrainedEquations) {
  expect_the_motion(DoublePendulum<>{}, swinging());
  expect_the_motion(ChargedParticle<>{}, circling());
}

}  // namespace
