// From names to ordinary methods on formulations, and every refusal with its reason and an alternative.

#include <taut/method/ordinary/ode_catalogue.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/angle.hpp"

namespace {

using namespace taut;

std::string found(std::string_view name, std::string_view formulation, std::string_view kind = "none",
                  double tolerance = 0) {
  std::string text;
  const auto error = with_ode_method(name, formulation, kind, tolerance,
                                     [&](const auto& method) { text = label(facts_of(method)); });
  return error ? "error: " + error->message : text;
}

TEST(OdeCatalogue, NamesLeadToMethods) {
  EXPECT_EQ(found("rk4", "underlying", "momentum", 1e-6), "rk4(underlying)");
  EXPECT_EQ(found("euler", "dirac"), "euler(dirac)");
  EXPECT_EQ(found("rk2", "dirac-simplified"), "rk2(dirac-simplified)");
  EXPECT_EQ(found("dopri5", "dirac-weak", "both"), "dopri5(dirac-weak)");
  EXPECT_EQ(found("dop853", "hamilton-dirac", "position"), "dop853(hamilton-dirac)");
  EXPECT_EQ(found("implicit-midpoint", "state-space"), "implicit-midpoint(state-space)");
  EXPECT_EQ(found("gauss(3)", "linear"), "gauss(3)(linear)");
  EXPECT_EQ(found("gauss", "dirac"), "gauss(2)(dirac)");
  EXPECT_TRUE(is_ode_method("rk4"));
  EXPECT_TRUE(is_ode_method("gauss(2)"));
  EXPECT_FALSE(is_ode_method("rattle"));
}

void expect_says(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' not in: " << text;
}

TEST(OdeCatalogue, WrongNamesAreExplained) {
  expect_says(found("rk3", "underlying"),
              {"error", "rk3", "euler, rk2, rk4, dopri5, dop853, implicit-midpoint, gauss"});
  expect_says(found("rk4(2)", "underlying"), {"error", "takes no argument '2'"});
  expect_says(found("gauss(0)", "underlying"), {"error", "from 1 to 16"});
  expect_says(
      found("rk4", "lagrange"),
      {"error", "lagrange", "underlying, dirac, dirac-simplified, dirac-weak, hamilton-dirac, state-space"});
  expect_says(found("rk4", "underlying", "speed"), {"error", "speed", "none, position, momentum and both"});
  expect_says(found("rk4", "underlying", "both", -1), {"error", "tolerance"});
  expect_says(found("rk4", "underlying", "both", std::nan("")), {"error", "tolerance"});
  expect_says(found("rk4", "underlying", "none", 1e-6), {"error", "none", "tolerance"});
}

TEST(OdeCatalogue, FactsFollowFromSchemeFormulationAndProjection) {
  const auto facts = [](std::string_view name, std::string_view formulation, std::string_view kind = "none",
                        double tolerance = 0) {
    MethodFacts row;
    EXPECT_FALSE(with_ode_method(name, formulation, kind, tolerance,
                                 [&](const auto& method) { row = facts_of(method); }));
    return row;
  };
  EXPECT_TRUE(facts("gauss(2)", "dirac").symplectic);
  EXPECT_FALSE(facts("gauss(2)", "underlying").symplectic);
  EXPECT_FALSE(facts("rk4", "dirac").symplectic);
  EXPECT_FALSE(facts("gauss(2)", "dirac", "both").symplectic);
  EXPECT_FALSE(facts("gauss(2)", "state-space").symplectic);  // changing charts iterates different maps
  EXPECT_FALSE(facts("gauss(2)", "state-space").symmetric);
  EXPECT_EQ(facts("rk4", "underlying", "both").keeps, Keeps::position_and_momentum);
  EXPECT_EQ(facts("rk4", "underlying", "momentum").keeps, Keeps::momentum);
  EXPECT_EQ(facts("rk4", "underlying", "both", 1e-6).keeps, Keeps::nothing);
  EXPECT_EQ(facts("rk4", "state-space").keeps, Keeps::position_and_momentum);
  EXPECT_EQ(facts("dop853", "underlying").order, 8);
}

// This problem offers the first tier only: no derivatives by dual numbers.
struct NoCast : Shape<double, 2, 1> {
  ScalarMass<double> mass{};
  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  double V(const Vec&) const { return 0; }
  void grad_V(const Vec&, Vec& f) const { f.setZero(); }
  const ScalarMass<double>& W() const { return mass; }
  void g(const Vec& q, Multiplier& g) const { g[0] = (q.squaredNorm() - 1) / 2; }
  void G(const Vec& q, Jacobian& G) const {
    G(0, 0) = q[0];
    G(0, 1) = q[1];
  }
};
struct NoHamiltonian : Shape<double, 2, 1> {
  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  void g(const Vec&, Multiplier&) const {}
  void G(const Vec&, Jacobian&) const {}
};

TEST(FormulationRefusals, ATierTheProblemDoesNotHave) {
  expect_says(refusal_by_type<Dirac, NoCast>().value_or(""), {"'dirac'", "cast<U>()", "lobatto(s)"});
  expect_says(refusal_by_type<Charts, NoCast>().value_or(""), {"'state-space'", "cast<U>()"});
  expect_says(refusal_by_type<Underlying, NoHamiltonian>().value_or(""), {"'underlying'", "H(q, p)"});
  expect_says(refusal_by_type<HamiltonDirac, PlanarPendulum<Pack<4>>>().value_or(""),
              {"'hamilton-dirac'", "dirac-weak"});
  EXPECT_FALSE((refusal_by_type<Linear, NoCast>()));
  expect_says(refusal_by_type<Parametrised, PlanarPendulum<>>().value_or(""),
              {"'parametrised'", "parametrisation()", "state-space"});
  for_each_formulation([](const auto& row) {
    if (row.facts.parametrised) return;
    EXPECT_FALSE((refusal_by_type<std::decay_t<decltype(row)>, PlanarPendulum<>>())) << row.facts.name;
  });
}

TEST(FormulationRefusals, ConstraintsThatAreNotLinear) {
  const PlanarPendulum<> s;
  expect_says(formulation_refusal(Linear{}, s, s.start()).value_or(""),
              {"'linear'", "G(q) changes", "dirac-weak"});
}

struct TooLarge : test::Angle {  // a circle of radius 1.1
  template <class U>
  void operator()(const Vector<U, 1>& delta, Vector<U, 2>& q) const {
    test::Angle::operator()(delta, q);
    q *= U(1.1);
  }
};
struct Cubed : test::Angle {  // δ³ for the angle: φ' vanishes where the angle does
  template <class U>
  void operator()(const Vector<U, 1>& delta, Vector<U, 2>& q) const {
    test::Angle::operator()(Vector<U, 1>{delta[0] * delta[0] * delta[0]}, q);
  }
  Vector<double, 1> near(const Vector<double, 2>& q) const {
    return Vector<double, 1>{std::cbrt(std::atan2(q[0], -q[1]))};
  }
};
struct TwoAngles : test::Angle {
  int parameters() const { return 2; }
};

TEST(FormulationRefusals, AParametrisationThatIsNone) {
  const PlanarPendulum<> s;
  EXPECT_FALSE(formulation_refusal(StateSpace<test::Angle>{}, s, s.start()));
  expect_says(formulation_refusal(StateSpace<TooLarge>{}, s, s.start()).value_or(""),
              {"does not satisfy the constraints", "0.105", "state-space"});
  const State<double, 2> down{{0, -1}, {0, 0}};
  expect_says(formulation_refusal(StateSpace<Cubed>{}, s, down).value_or(""), {"lost rank", "charts"});
  expect_says(formulation_refusal(StateSpace<TwoAngles>{}, s, s.start()).value_or(""),
              {"2 parameters", "leave 1 free"});
}

// If a run meets such a point, the step fails and says why.
TEST(FormulationRefusals, LossOfRankOnTheWayIsAFailure) {
  const PlanarPendulum<> s;
  const OdeMethod<ExplicitRungeKutta, StateSpace<Cubed>> method{.scheme = {find_explicit("rk4")}};
  State<double, 2> x{{0, -1}, {1, 0}};
  const auto before = x;
  auto memory = make_memory(method, s, x);
  const auto solved = method.step(s, x, memory, 0.1);
  ASSERT_FALSE(solved);
  EXPECT_EQ(solved.error().kind, FailureKind::singular);
  EXPECT_EQ(x.q, before.q);
  EXPECT_EQ(x.p, before.p);
}

TEST(FormulationRefusals, AStateOutsideTheImageIsAFailure) {
  const PlanarPendulum<> s;
  const OdeMethod<ExplicitRungeKutta, StateSpace<test::Angle>> method{.scheme = {find_explicit("rk4")}};
  State<double, 2> x{{1.2, 0}, {0, 1}};
  auto memory = make_memory(method, s, x);
  EXPECT_FALSE(method.step(s, x, memory, 0.1));
}

// Dependent constraints are a failure of the field, and leave the state as it was.
TEST(FormulationRefusals, SingularConstraintsFailAndLeaveTheStateAlone) {
  const PlanarPendulum<> s;
  const OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit("rk4")}};
  State<double, 2> x{{0, 0}, {0, 0}};
  auto memory = make_memory(method, s, x);
  const auto solved = method.step(s, x, memory, 0.1);
  ASSERT_FALSE(solved);
  EXPECT_EQ(solved.error().kind, FailureKind::singular);
  EXPECT_EQ(x.q.norm(), 0);
}

}  // namespace
