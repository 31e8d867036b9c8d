// Tableaus of one's own have the order that the simplifying assumptions, or the conditions of the trees,
// vouch for: Jay 1996, Theorems 2.2, 4.1 and 4.2 for pairs; Reich 1996, Theorem 4.1 for symplectic
// Runge-Kutta methods on Dirac's Hamiltonian.

#include <taut/measure/flow.hpp>
#include <taut/measure/order.hpp>
#include <taut/measure/symplectic_defect.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/method/made/tree_order.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace taut;
using Real = Float128;

template <class Method, class P>
auto end_in(const Method& method, const P& s, Real time) {
  return [=](int steps) -> Expected<StateOf<P>> {
    StateOf<P> x = s.start();
    if (const auto moved = flow(method, s, x, Real(time / steps), steps); !moved) return moved.error();
    return x;
  };
}

template <class Method, class P>
void expect_order(const Method& method, const P& s, int order, double slack) {
  EXPECT_EQ(facts_of(method).order, order);
  const Real time = 1;
  const auto exact = end_in(Lobatto<>{.s = 7}, s, time)(40);
  ASSERT_TRUE(exact);
  const auto found = measured_order(end_in(method, s, time), std::vector{40, 80, 160}, *exact);
  ASSERT_TRUE(found) << "residual " << found.error().residual;
  EXPECT_NEAR(found->last, order, slack) << "errors " << testing::PrintToString(found->sizes);
}

Tableau<Real> pair_on(const std::vector<Real>& c) { return with_partner(collocation(c)); }

// Slopes measured: within 0.01 of the order.
TEST(OwnPair, HasTheOrderItsAssumptionsVouchFor) {
  struct Row {
    std::vector<Real> nodes;
    int order;
  };
  const Real third = Real(1) / 3, fifth = Real(1) / 5;
  for (const Row& row :
       {Row{{0, 2 * fifth, 1}, 2}, Row{{0, 3 * fifth, 1}, 2}, Row{{0, third, 2 * third, 1}, 2},
        Row{{0, fifth, 3 * fifth, 1}, 2}, Row{quadrature::lobatto_nodes(4), 6}}) {
    const Tableau<Real> t = pair_on(row.nodes);
    ASSERT_EQ(violated_condition(t), std::nullopt);
    const Lobatto<> method{.s = t.stages(), .own = &t};
    SCOPED_TRACE(static_cast<double>(row.nodes[1]));
    expect_order(method, PlanarPendulum<Real>{}, row.order, 0.05);
    expect_order(method, ChargedParticle<Real>{}, row.order, 0.05);
  }
}

TEST(OwnPair, IsSymplecticWhateverTheNodes) {
  const Tableau<Real> t = pair_on({0, Real(2) / 5, 1});
  const ChargedParticle<> s;
  const auto defect = symplectic_defect(Lobatto<>{.s = 3, .own = &t}, s, s.start(), 0.1, 20);
  ASSERT_TRUE(defect);
  EXPECT_LT(*defect, 1e-12);
}

TEST(Partner, OfLobattoIIIAIsIIIB) {
  for (int s = 2; s <= 6; ++s) {
    const Tableau<Real> pair = lobatto_tableau(s),
                        made = with_partner(collocation(quadrature::lobatto_nodes(s)));
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j)
        EXPECT_LT(static_cast<double>(magnitude(made.A_hat(i, j) - pair.A_hat(i, j))), 1e-30) << s;
  }
}

// The midpoint rule three times with the fractions of the triple jump: diagonally implicit, of order 4.
Tableau<Real> three_midpoints() {
  const auto gamma = coefficients<Real>(*find_composition("yoshida4"));
  Tableau<Real> t = gauss_tableau(3);
  t.A.setZero();
  Real before = 0;
  for (int i = 0; i < 3; ++i) {
    const Real g = gamma[static_cast<std::size_t>(i)];
    t.b[i] = g;
    for (int j = 0; j < i; ++j) t.A(i, j) = t.b[j];
    t.A(i, i) = g / 2;
    t.c[i] = before + g / 2;
    before += g;
  }
  t.A_hat = t.A;
  t.b_hat = t.b;
  return t;
}

TEST(TreeOrder, IsThatOfKnownMethods) {
  for (int s = 1; s <= 4; ++s) {
    EXPECT_EQ(tree_order(gauss_tableau(s)), 2 * s);
  }
  for (int s = 2; s <= 4; ++s) {
    EXPECT_EQ(tree_order(radau_tableau(s)), 2 * s - 1);
  }
  EXPECT_EQ(tree_order(three_midpoints()), 4);  // B(4), C(1), D(1) would vouch for 3
}

TEST(OwnRungeKutta, OnDiracsHamiltonianHasItsOrderAndIsSymplectic) {
  const Tableau<Real> t = three_midpoints();
  const Projected<DiracGauss> method{.psi = {.s = 3, .own = &t, .own_order = tree_order(t)}};
  EXPECT_TRUE(facts_of(method).symmetric);
  expect_order(method, PlanarPendulum<Real>{}, 4, 0.1);
  const PlanarPendulum<> s;
  const auto defect = symplectic_defect(method, s, s.start(), 0.1, 20);
  ASSERT_TRUE(defect);
  EXPECT_LT(*defect, 1e-12);
}

TEST(OwnRungeKutta, GaussOfOnesOwnIsGauss) {
  const Tableau<Real> t = gauss_tableau(2);
  const PlanarPendulum<> s;
  auto x = s.start(), y = x;
  ASSERT_TRUE(flow(Projected<DiracGauss>{.psi = {.s = 2, .own = &t}}, s, x, 0.1, 20));
  ASSERT_TRUE(flow(Projected<DiracGauss>{.psi = {.s = 2}}, s, y, 0.1, 20));
  EXPECT_EQ(x.q, y.q);
  EXPECT_EQ(x.p, y.p);
}

std::string refusal(const std::string& text) {
  const auto error = with_method(text, [](const auto&) {});
  return error ? error->message : "";
}

TEST(OwnTableau, IsRefusedWithTheConditionAndItsDefect) {
  EXPECT_EQ(refusal("mine=tableau(0, 1; 0.5, 0.5; 0, 0, 0.5, 0.5)"), "");
  EXPECT_EQ(refusal("mine=tableau(0, 1; 0.5, 0.6; 0, 0, 0.5, 0.6)"),
            "mine is refused: B(1) is violated: the weights b must sum to 1; it is missed by 0.1");
  EXPECT_EQ(refusal("mine=tableau(0, 1; 0.5, 0.5; 0.25, 0, 0.5, 0.5)"),
            "mine is refused: (3.12) is violated: the first row of A must be zero; it is missed by 0.25");
  EXPECT_EQ(
      refusal("mine=tableau(0, 1; 0.5, 0.5; 0, 0, 0.5, 0.5; 0.5, 0, 0.4, 0)"),
      "mine is refused: (2.3) is violated: b = b^ and b_i a^_ij + b^_j a_ji = b_i b^_j, so the method is not "
      "symplectic; it is missed by 0.05");
  EXPECT_EQ(refusal("mine=dirac-tableau(0.5; 1; 0.4)"),
            "mine is refused: the method is not symplectic: b_i a_ij + b_j a_ji = b_i b_j is missed by 0.2");
  EXPECT_EQ(refusal("yoshida4(mine=tableau(0, 0.4, 1; 0.08333333333333333333333333333333333, "
                    "0.6944444444444444444444444444444444, 0.2222222222222222222222222222222222; 0, 0, 0, "
                    "0.1733333333333333333333333333333333, 0.2444444444444444444444444444444444, "
                    "-0.01777777777777777777777777777777778, 0.08333333333333333333333333333333333, "
                    "0.6944444444444444444444444444444444, 0.2222222222222222222222222222222222))"),
            "yoshida4 needs a symmetric base, and mine is not symmetric");
}

}  // namespace
