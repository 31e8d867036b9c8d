// Backward error analysis, measured: along a run of a symplectic method of order r, H oscillates by O(h^r),
// but the modified Hamiltonian, found from the map by differences of order 2k, stays to O(h^2k). A method
// that is not symplectic has none, and what is found moves with its order, whatever the differences.

#include <taut/formulation/manifold.hpp>
#include <taut/measure/modified_energy.hpp>
#include <taut/method/baselines/dae_runge_kutta.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using namespace taut;

template <class P>
Eigen::VectorXd packed(const StateOf<P>& x) {
  Eigen::VectorXd y(2 * P::n);
  y << x.q, x.p;
  return y;
}
template <class P>
StateOf<P> unpacked(const Eigen::VectorXd& y) {
  return {y.head<P::n>(), y.tail<P::n>()};
}

struct Swings {
  double energy = 0, modified = 0;
};

// Follows the method over the time T and returns how much H and H̃ move.
template <class Method, class P>
Swings swings(const Method& method, const P& s, double h, int k) {
  constexpr double T = 4, between = 0.25;
  const auto steps = [&](const Eigen::VectorXd& y) -> Expected<Eigen::MatrixXd> {
    StateOf<P> x = unpacked<P>(y);
    const auto stepper = bind(method, s, x);
    Eigen::MatrixXd all(y.size(), 2 * k + 1);
    all.col(0) = y;
    for (int j = 1; j <= 2 * k; ++j) {
      if (const auto done = stepper->step(x, h); !done) return done.error();
      all.col(j) = packed<P>(x);
    }
    return all;
  };
  const auto onto = [&](const Eigen::VectorXd& y) -> Expected<Eigen::VectorXd> {
    StateOf<P> x = unpacked<P>(y);
    if (const auto moved = project_start(s, x); !moved) return moved.error();
    return packed<P>(x);
  };
  StateOf<P> x = s.start();
  const auto stepper = bind(method, s, x);
  std::vector<Eigen::VectorXd> states{packed<P>(x)};
  Swings found;
  double least = H(s, x.q, x.p), most = least;
  const int apart = static_cast<int>(std::lround(between / h));
  for (int n = 1; n * h < T + h / 2; ++n) {
    EXPECT_TRUE(stepper->step(x, h));
    least = std::min(least, H(s, x.q, x.p));
    most = std::max(most, H(s, x.q, x.p));
    if (n % apart == 0) states.push_back(packed<P>(x));
  }
  found.energy = most - least;
  const auto increments = modified_energy_increments(states, k, h, steps, onto);
  EXPECT_TRUE(increments);
  if (increments) found.modified = swing_of(*increments);
  return found;
}

struct Powers {
  double energy, modified;
};
template <class Method, class P>
Powers powers(const Method& method, const P& s, double h, int k) {
  const Swings whole = swings(method, s, h, k), half = swings(method, s, h / 2, k);
  EXPECT_GT(half.modified, 1e-13) << "rounding";
  return {std::log2(whole.energy / half.energy), std::log2(whole.modified / half.modified)};
}

TEST(ModifiedEnergy, OfRattleStaysToTheOrderOfTheDifferences) {
  const DoublePendulum<> s;
  for (const int k : {2, 3, 4}) {  // measured 3.87, 5.76 and 8.07
    const Powers found = powers(Rattle{}, s, 0.03125, k);
    EXPECT_NEAR(found.energy, 2, 0.1);
    EXPECT_NEAR(found.modified, 2 * k, 0.3) << "k = " << k;
  }
}

TEST(ModifiedEnergy, OfLobattoOnAHamiltonianThatIsNotNatural) {
  const ChargedParticle<> s;
  const Powers found = powers(Lobatto<>{3}, s, 0.0625, 4);  // measured 4.00 and 8.18
  EXPECT_NEAR(found.energy, 4, 0.1);
  EXPECT_NEAR(found.modified, 8, 0.3);
}

// H̃ is known to far more digits than H oscillates by.
TEST(ModifiedEnergy, IsFarSteadierThanH) {
  const Swings found = swings(Rattle{}, DoublePendulum<>{}, 0.015625, 4);
  EXPECT_LT(found.modified, 1e-5 * found.energy);  // measured 2.4e-10 and 1.1e-4
}

// Projected Radau IIA of order 3 is not symplectic: differences of higher order find nothing that stays.
TEST(ModifiedEnergy, DoesNotExistForAMethodThatIsNotSymplectic) {
  const DoublePendulum<> s;
  for (const int k : {3, 4, 5}) {
    const Powers found = powers(DaeRungeKutta<DaeFamily::radau, true>{.s = 2}, s, 0.03125, k);
    EXPECT_NEAR(found.modified, 3, 0.2) << "k = " << k;
  }
}

TEST(ModifiedEnergy, ItsDifferencesAndPathsAreExactForPolynomials) {
  for (int k = 1; k <= 5; ++k)
    for (int power = 1; power <= 2 * k; power += 2) {
      double sum = 0;
      for (int j = 1; j <= k; ++j) sum += difference_weight(k, j) * 2 * std::pow(j, power);
      EXPECT_NEAR(sum, power == 1 ? 1 : 0, 1e-9) << k << ", " << power;
    }
  const PathNodes path(16);
  for (int power = 0; power <= 12; ++power) {
    const Eigen::VectorXd values = path.s.array().pow(power).matrix();
    EXPECT_NEAR(path.weight.dot(values), 1.0 / (power + 1), 1e-13);
    const Eigen::VectorXd slopes = path.slope.lazyProduct(values);
    for (Eigen::Index i = 0; i < slopes.size(); ++i)
      EXPECT_NEAR(slopes[i], power == 0 ? 0 : power * std::pow(path.s[i], power - 1), 1e-10);
  }
}

}  // namespace
