// The 2-form by differences is the 2-form by dual numbers, as far as differences can tell.

#include <taut/formulation/manifold.hpp>
#include <taut/measure/symplectic_defect.hpp>
#include <taut/measure/symplectic_defect_by_differences.hpp>
#include <taut/method/baselines/dae_runge_kutta.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

namespace {

using namespace taut;

template <class P>
StateOf<P> unpacked(const Eigen::VectorXd& y) {
  const Eigen::Index n = y.size() / 2;
  return {y.head(n), y.tail(n)};
}

template <class P>
Eigen::VectorXd packed(const StateOf<P>& x) {
  Eigen::VectorXd y(x.q.size() + x.p.size());
  y << x.q, x.p;
  return y;
}

// Takes differences along the basis that the dual numbers use: a curve that leaves along a tangent vector and
// is brought onto M has that tangent.
template <class Method, class P>
DifferenceDefect by_differences(const Method& method, const P& s, double h, int steps,
                                const SolveOptions& options = {}) {
  const auto onto = [&](const Eigen::VectorXd& y) -> Expected<Eigen::VectorXd> {
    StateOf<P> x = unpacked<P>(y);
    if (const auto moved = project_start(s, x); !moved) return moved.error();
    return packed<P>(x);
  };
  const auto map = [&](const Eigen::VectorXd& y) -> Expected<Eigen::VectorXd> {
    StateOf<P> x = unpacked<P>(y);
    if (const auto moved = flow(method, s, x, h, steps, options); !moved) return moved.error();
    return packed<P>(x);
  };
  const auto defect = symplectic_defect_by_differences(
      map, onto, packed<P>(s.start()), tangent_basis(s, s.start(), Keeps::position_and_momentum));
  EXPECT_TRUE(defect);
  return *defect;
}

TEST(SymplecticDefectByDifferences, OfASymplecticMethodIsNoise) {
  const auto pendulum = by_differences(Rattle{}, PlanarPendulum<>{}, 0.1, 4);
  EXPECT_LT(pendulum.defect, 1e-11);
  EXPECT_LT(pendulum.noise, 1e-10);
  const auto two = by_differences(Rattle{}, DoublePendulum<>{}, 0.05, 4);
  EXPECT_LT(two.defect, 1e-11);
  EXPECT_LT(two.noise, 1e-10);
}

TEST(SymplecticDefectByDifferences, OfOtherMethodsIsWhatDualNumbersGive) {
  const DoublePendulum<> s;
  const auto same = [&](const auto& method) {
    const auto exact = symplectic_defect(method, s, s.start(), 0.1, 4);
    ASSERT_TRUE(exact);
    const auto seen = by_differences(method, s, 0.1, 4);
    EXPECT_GT(*exact, 1e-7) << label(facts_of(method));
    EXPECT_NEAR(seen.defect, *exact, 10 * seen.noise + 1e-11) << label(facts_of(method));
    EXPECT_LT(seen.noise, 1e-3 * *exact) << label(facts_of(method));
  };
  same(DaeRungeKutta<DaeFamily::radau, true>{.s = 2});
  same(DaeRungeKutta<DaeFamily::gauss, true>{.s = 2});
}

TEST(SymplecticDefectByDifferences, SeesNewtonStoppedEarly) {
  const auto seen = by_differences(Rattle{}, PlanarPendulum<>{}, 0.2, 20, {.tolerance = 1e-2});
  EXPECT_GT(seen.defect, 1e-6);
  EXPECT_GT(seen.defect, 100 * seen.noise);
}

// The error estimate belongs to the map: differences of a map that bends on a short scale are less
// accurate, and say so.
TEST(SymplecticDefectByDifferences, NoiseGrowsWithTheBendOfTheMap) {
  const auto shear = [](double k) {
    return [k](const Eigen::VectorXd& y) -> Expected<Eigen::VectorXd> {
      return Eigen::VectorXd{{y[0], y[1] + std::sin(k * y[0]) / k}};
    };
  };
  const auto stay = [](const Eigen::VectorXd& y) -> Expected<Eigen::VectorXd> { return y; };
  const Eigen::VectorXd x{{0.3, 0.4}};
  const Eigen::MatrixXd directions = Eigen::MatrixXd::Identity(2, 2);
  const auto smooth = symplectic_defect_by_differences(shear(1), stay, x, directions);
  const auto bent = symplectic_defect_by_differences(shear(3000), stay, x, directions);
  ASSERT_TRUE(smooth && bent);
  EXPECT_LT(smooth->defect, 1e-13);
  EXPECT_LT(bent->defect, 10 * bent->noise);
  EXPECT_GT(bent->noise, 10 * smooth->noise);
}

TEST(SymplecticDefectByDifferences, AMapThatFailsEverywhereIsAFailure) {
  const auto fails = [](const Eigen::VectorXd&) -> Expected<Eigen::VectorXd> {
    return Failure{.kind = FailureKind::singular};
  };
  const auto stay = [](const Eigen::VectorXd& y) -> Expected<Eigen::VectorXd> { return y; };
  const auto defect = symplectic_defect_by_differences(fails, stay, Eigen::VectorXd::Zero(2),
                                                       Eigen::MatrixXd::Identity(2, 2));
  ASSERT_FALSE(defect);
  EXPECT_EQ(defect.error().kind, FailureKind::singular);
}

}  // namespace
