// State-space forms by a parametrisation that the problem gives. In (δ, θ = φ'ᵀp) Gauss' method is symplectic
// on M (Leimkuhler-Reich, Proposition 2.1); in (δ, w = δ') it is not, unless δ is an arc length. Both are the
// motion.

#include <taut/formulation/parametrised.hpp>
#include <taut/measure/tangent_space.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_gauss.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "support/angle_pendulum.hpp"

namespace {

using namespace taut;
using test::Angle;
using test::BentAngle;
using test::PendulumBy;

using Tangent = Dual<double, 2>;

template <class T>
State<T, 2> start() {
  const double a = 0.8, w = 1.1;
  return {{T(std::sin(a)), T(-std::cos(a))}, {T(w * std::cos(a)), T(w * std::sin(a))}};
}

// Returns |dq ∧ dp after a step - before|, for the two tangent vectors of M.
template <class Phi, class Formulation, class Scheme>
double defect(const Formulation& formulation, const Scheme& scheme) {
  const PendulumBy<double, Phi> s;
  const State<double, 2> x = start<double>();
  const Eigen::MatrixXd basis = tangent_basis(s, x, Keeps::position_and_momentum);
  const auto along = s.template cast<Tangent>();
  State<Tangent, 2> y;
  for (int i = 0; i < 2; ++i) {
    y.q[i] = Tangent(x.q[i]);
    y.p[i] = Tangent(x.p[i]);
    for (int j = 0; j < 2; ++j) {
      y.q[i].tangent[static_cast<std::size_t>(j)] = basis(i, j);
      y.p[i].tangent[static_cast<std::size_t>(j)] = basis(2 + i, j);
    }
  }
  const OdeMethod<Scheme, Formulation> method{.scheme = scheme, .formulation = formulation};
  auto memory = make_memory(method, along, y);
  EXPECT_TRUE(method.step(along, y, memory, Tangent(0.2)));
  double after = 0, before = 0;
  for (int i = 0; i < 2; ++i) {
    after += y.q[i].tangent[0] * y.p[i].tangent[1] - y.q[i].tangent[1] * y.p[i].tangent[0];
    before += basis(i, 0) * basis(2 + i, 1) - basis(i, 1) * basis(2 + i, 0);
  }
  return std::abs(after - before);
}

TEST(Parametrisations, GaussIsSymplecticInMomentaAndNotInVelocities) {
  EXPECT_LT((defect<BentAngle>(Parametrised{}, OdeGauss{.s = 2})), 1e-13);
  EXPECT_GT((defect<BentAngle>(ParametrisedVelocity{}, OdeGauss{.s = 2})), 1e-9);
  // The hypotheses: with an arc length the two forms are one, and the method must be symplectic.
  EXPECT_LT((defect<Angle>(ParametrisedVelocity{}, OdeGauss{.s = 2})), 1e-13);
  EXPECT_GT((defect<BentAngle>(Parametrised{}, ExplicitRungeKutta{find_explicit("rk2")})), 1e-6);
}

template <class P, class Formulation, class Scheme>
StateOf<P> after(const P& s, const StateOf<P>& from, const Formulation& formulation, const Scheme& scheme,
                 int steps) {
  using T = typename P::Scalar;
  const OdeMethod<Scheme, Formulation> method{.scheme = scheme, .formulation = formulation};
  StateOf<P> x = from;
  auto memory = make_memory(method, s, x);
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(method.step(s, x, memory, T(1) / T(steps))) << "step " << i;
  return x;
}

// Against Gauss' method of order 12 on θ'' = -sin θ.
TEST(Parametrisations, VelocitiesHaveTheOrderOfTheMethod) {
  using T = long double;
  const PendulumBy<T, BentAngle> s;
  const PendulumBy<T, Angle> plain;
  const auto exact = after(plain, start<T>(), Parametrised{}, OdeGauss{.s = 6}, 40);
  const auto error = [&](const auto& scheme, int steps) {
    const auto x = after(s, start<T>(), ParametrisedVelocity{}, scheme, steps);
    EXPECT_LT(std::abs(static_cast<double>(x.q.squaredNorm() - 1)), 1e-17);
    EXPECT_LT(std::abs(static_cast<double>(x.q.dot(x.p))), 1e-17);
    return static_cast<double>((x.q - exact.q).norm() + (x.p - exact.p).norm());
  };
  const ExplicitRungeKutta rk4{find_explicit("rk4")};
  EXPECT_NEAR(std::log2(error(rk4, 32) / error(rk4, 64)), 4, 0.2);
  EXPECT_NEAR(std::log2(error(OdeGauss{.s = 2}, 32) / error(OdeGauss{.s = 2}, 64)), 4, 0.1);
}

// Spherical coordinates for a charged particle: H is not ½pᵀp + V, so that p ≠ φ'w.
struct Sphere {
  int parameters() const { return 2; }
  template <class U>
  void operator()(const Vector<U, 2>& d, Vector<U, 3>& q) const {
    q[0] = cos(d[1]) * cos(d[0]);
    q[1] = cos(d[1]) * sin(d[0]);
    q[2] = sin(d[1]);
  }
  Vector<double, 2> near(const Vector<double, 3>& q) const {
    return Vector<double, 2>{std::atan2(q[1], q[0]), std::asin(std::min(1.0, std::max(-1.0, q[2])))};
  }
};
template <class T>
struct ChargedOnASphere : ChargedParticle<T> {
  ChargedOnASphere() = default;
  explicit ChargedOnASphere(const ChargedParticle<T>& s) : ChargedParticle<T>(s) {}
  static bool has_parametrisation() { return true; }
  static Sphere parametrisation() { return {}; }
  template <class U>
  ChargedOnASphere<U> cast() const {
    return ChargedOnASphere<U>(ChargedParticle<T>::template cast<U>());
  }
};

TEST(Parametrisations, BothFormsAreTheMotionOfAnyHamiltonian) {
  using T = long double;
  const ChargedOnASphere<T> s;
  const auto from = s.start();
  const OdeGauss gauss{.s = 4};
  const auto momenta = after(s, from, Parametrised{}, gauss, 64);
  const auto velocities = after(s, from, ParametrisedVelocity{}, gauss, 64);
  const auto underlying = after(s, from, Underlying{}, gauss, 64);
  EXPECT_LT(static_cast<double>((momenta.q - underlying.q).norm() + (momenta.p - underlying.p).norm()),
            1e-13);
  EXPECT_LT(static_cast<double>((velocities.q - underlying.q).norm() + (velocities.p - underlying.p).norm()),
            1e-13);
}

}  // namespace
