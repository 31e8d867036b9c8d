// Asks which formulations Gauss' method integrates symplectically: Dirac's Hamiltonians on all of phase
// space, state-space forms on M; not the standard and the weakly Hamiltonian equations, off M. The tangent
// map of one step is exact, by dual numbers.

#include <taut/formulation/baumgarte.hpp>
#include <taut/formulation/charts.hpp>
#include <taut/formulation/dirac.hpp>
#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/impetus_striction.hpp>
#include <taut/formulation/penalty.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/measure/tangent_space.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_gauss.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace taut;

using P = PlanarPendulum<>;
using Tangent = Dual<double, 4>;
using Along = PlanarPendulum<Tangent>;

// Returns max |BᵀDᵀJDB - BᵀJB| of one step, with B the unit vectors, or tangent vectors of M.
template <class Scheme, class Formulation>
double defect(const OdeMethod<Scheme, Formulation>& method, const State<double, 2>& x,
              const Eigen::MatrixXd& basis) {
  const Along along = P{}.cast<Tangent>();
  StateOf<Along> y{zero_vector(along), zero_vector(along)};
  for (int i = 0; i < 2; ++i) {
    y.q[i] = Tangent(x.q[i]);
    y.p[i] = Tangent(x.p[i]);
    for (int j = 0; j < basis.cols(); ++j) {
      y.q[i].tangent[static_cast<std::size_t>(j)] = basis(i, j);
      y.p[i].tangent[static_cast<std::size_t>(j)] = basis(2 + i, j);
    }
  }
  auto memory = make_memory(method, along, y);
  EXPECT_TRUE(method.step(along, y, memory, Tangent(0.2)));
  Eigen::MatrixXd image(4, basis.cols()), J = Eigen::MatrixXd::Zero(4, 4);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < basis.cols(); ++j) {
      image(i, j) = y.q[i].tangent[static_cast<std::size_t>(j)];
      image(2 + i, j) = y.p[i].tangent[static_cast<std::size_t>(j)];
    }
    J(i, 2 + i) = 1;
    J(2 + i, i) = -1;
  }
  return (image.transpose() * J * image - basis.transpose() * J * basis).lpNorm<Eigen::Infinity>();
}

template <class Formulation>
double whole_space(const Formulation& formulation = {}) {
  const State<double, 2> off{{0.8, -0.7}, {0.5, 0.9}};
  const OdeMethod<OdeGauss, Formulation> method{.scheme = {.s = 2}, .formulation = formulation};
  return defect(method, off, Eigen::MatrixXd::Identity(4, 4));
}

State<double, 2> on_M() {
  return {{std::sin(0.8), -std::cos(0.8)}, {1.1 * std::cos(0.8), 1.1 * std::sin(0.8)}};
}

constexpr double rounding = 1e-13;

TEST(SymplecticFormulations, DiracsHamiltoniansInTheWholeSpace) {
  EXPECT_LT(whole_space<Dirac>(), rounding);
  EXPECT_LT(whole_space<DiracSimplified>(), rounding);
  EXPECT_LT(whole_space(Dirac{.alpha = 2}), rounding);
  EXPECT_LT(whole_space(Penalty{.epsilon = 0.1}), rounding);
  EXPECT_GT(whole_space<Baumgarte>(), 1e-2);
  EXPECT_GT(whole_space<Underlying>(), 1e-2);
  EXPECT_GT(whole_space<DiracWeak>(), 1e-2);
}

// On the circle, of second degree, which Gauss' methods keep.
TEST(SymplecticFormulations, ImpetusAndStrictionOnM) {
  const Eigen::MatrixXd basis = tangent_basis(P{}, on_M(), Keeps::position_and_momentum);
  const OdeMethod<OdeGauss, ImpetusStriction> gauss{.scheme = {.s = 2}},
      midpoint{.scheme = {.s = 1, .is_midpoint = true}};
  EXPECT_LT(defect(gauss, on_M(), basis), rounding);
  EXPECT_LT(defect(midpoint, on_M(), basis), rounding);
  const OdeMethod<ExplicitRungeKutta, ImpetusStriction> explicit_method{.scheme = {find_explicit("rk2")}};
  EXPECT_GT(defect(explicit_method, on_M(), basis), 1e-6);  // the hypothesis: a symplectic method
}

TEST(SymplecticFormulations, ChartsOnM) {
  const Eigen::MatrixXd basis = tangent_basis(P{}, on_M(), Keeps::position_and_momentum);
  const OdeMethod<OdeGauss, Charts> gauss{.scheme = {.s = 2}};
  EXPECT_LT(defect(gauss, on_M(), basis), rounding);
  const OdeMethod<ExplicitRungeKutta, Charts> explicit_method{.scheme = {find_explicit("rk2")}};
  EXPECT_GT(defect(explicit_method, on_M(), basis), 1e-6);  // the hypothesis: a symplectic method
}

}  // namespace
