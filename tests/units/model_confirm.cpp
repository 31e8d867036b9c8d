// What is concluded about a model by calculus is confirmed by values: a derivative that says nothing, such as
// that of a sign, must not make a model another one. Each wrong conclusion is seen, and each right one holds.

#include <taut/model/code/confirm.hpp>
#include <taut/model/formula_problem.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace taut;

Model model_of(const std::string& text) {
  const ReadModel read = read_model(text, "test.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return read.model.value();
}

Model with_hamiltonian(const std::string& H) {
  return model_of("[parameters]\nm = 3.0\n[system]\ncoordinates = [\"x\", \"y\"]\nhamiltonian = \"" + H +
                  "\"\n[initial]\nx = 1.0\np_x = 0.5\np_y = 0.25\n");
}

Model with_constraints(const std::string& list) {
  return model_of(
      "[system]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = 1\npotential = \"y\"\nconstraints = [" + list +
      "]\n[initial]\nx = 1.0\ny = 0.5\nz = 0.25\n");
}

// Whatever the kind, H of the problem is H of the file.
double energy(const Model& model, double x, double y, double px, double py) {
  const FormulaProblem<> problem(model);
  const Eigen::VectorXd q{{x, y}}, p{{px, py}};
  if (problem.tier() == Tier::hamiltonian) return problem.H(q, p);
  Eigen::VectorXd v(2);
  problem.W().times(p, v);
  return problem.V(q) + p.dot(v) / 2;
}

TEST(Confirmed, TheAbsoluteValueOfAMomentumStaysInTheHamiltonian) {
  struct Case {
    std::string extra;
    double value;  // at x = 0.7, y = -0.3, p_x = 0.5, p_y = -1.25
  };
  for (const auto& [extra, value] :
       {Case{"abs(p_x)", 0.5}, Case{"abs(-p_x)", 0.5}, Case{"abs(p_x - p_y)", 1.75}, Case{"abs(m*p_y)", 3.75},
        Case{"2*abs(p_x)/m", 1.0 / 3}, Case{"abs(p_x - 1e6) + p_x - 1e6", 0}, Case{"abs(abs(p_x) - 1)", 0.5},
        Case{"1e-12*abs(p_y)", 1.25e-12}, Case{"abs(p_x)*cos(m - 3)", 0.5}}) {
    const Model model = with_hamiltonian("(p_x^2 + p_y^2)/2 + " + extra + " + x^2/2");
    EXPECT_EQ(derive(model).kind, System::Kind::hamiltonian) << extra;
    EXPECT_NEAR(energy(model, 0.7, -0.3, 0.5, -1.25), (0.25 + 1.5625) / 2 + value + 0.245, 1e-9) << extra;
  }
}

TEST(Confirmed, AnAbsoluteValueOfACoordinateIsAPotential) {
  const Model model = with_hamiltonian("(p_x^2 + p_y^2)/2 + abs(x - y)");
  EXPECT_EQ(derive(model).kind, System::Kind::natural);
  EXPECT_DOUBLE_EQ(energy(model, 0.7, -0.3, 0.5, -1.25), (0.25 + 1.5625) / 2 + 1);
}

TEST(Confirmed, AWrongConclusionIsSeen) {
  const Model model = with_hamiltonian("(p_x^2 + 2*p_y^2)/2 + 1e12*x^2");
  const Confirmation sees(model);
  EXPECT_TRUE(sees.is_natural({1, 2}));
  EXPECT_TRUE(sees.is_natural({1, 0, 0, 2}));
  EXPECT_FALSE(sees.is_natural({1, 2 + 1e-12}));
  EXPECT_FALSE(sees.is_natural({1, 1e-12, 1e-12, 2}));
  EXPECT_FALSE(Confirmation(with_hamiltonian("(p_x^2 + p_y^2)/2 + abs(p_x)/1e6")).is_natural({1, 1}));
  EXPECT_FALSE(Confirmation(with_hamiltonian("(p_x^2 + p_y^2)/2 + sqrt(p_x^2)")).is_natural({1, 1}));
  EXPECT_FALSE(Confirmation(with_hamiltonian("(p_x^2 + p_y^2)/2 + atan(p_y)^8/1e9")).is_natural({1, 1}));
}

TEST(Confirmed, AConclusionThatCannotBeTriedIsNotUsed) {
  // Away from the start, at which q and p are 0 to many digits, this has no value.
  const Model model = with_hamiltonian("(p_x^2 + p_y^2)/2 + sqrt(1e-60 - (x - 1)^2)");
  EXPECT_FALSE(Confirmation(model).is_natural({1, 1}));
}

TEST(Confirmed, ANarrowDomainIsMetNearTheStart) {
  const Model model = with_hamiltonian("(p_x^2 + p_y^2)/2 + sqrt(1e-8 - (x - 1)^2) + log(1e-4 - y)");
  EXPECT_EQ(derive(model).kind, System::Kind::natural);
}

TEST(Confirmed, ThePatternOfTheConstraints) {
  const Model model = with_constraints("\"abs(x) - 1 + (y - y)\", \"x*y - z\"");
  const Confirmation sees(model);
  EXPECT_TRUE(sees.depends_only_on(model.constraints[0], {0}));
  EXPECT_FALSE(sees.depends_only_on(model.constraints[0], {1, 2}));
  EXPECT_TRUE(sees.depends_only_on(model.constraints[1], {0, 1, 2}));
  for (const std::vector<int>& missing : {std::vector<int>{0, 1}, {0, 2}, {1, 2}})
    EXPECT_FALSE(sees.depends_only_on(model.constraints[1], missing));
  const System system = derive(model);
  EXPECT_EQ(system.begin, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(system.column, (std::vector<int>{0, 0, 1, 2}));
}

TEST(Confirmed, EqualConstraints) {
  const Model model = with_constraints("\"x*y - z\", \"z - x*y + 1e-20*abs(x)\"");
  const Confirmation sees(model);
  EXPECT_TRUE(sees.is_multiple(model.constraints[0], model.constraints[0], 1));
  EXPECT_FALSE(sees.is_multiple(model.constraints[0], model.constraints[0], -1));
  EXPECT_FALSE(sees.is_multiple(model.constraints[0], model.constraints[1], -1));
}

TEST(Confirmed, TheSecondPartOfAConstraint) {
  const auto bend_holds = [](const std::string& constraint, const std::string& claimed) {
    const Model model = with_constraints("\"" + constraint + "\"");
    System system = derive(model);
    const ParsedFormula f = parse_formula(claimed, "the claim");
    const int node = system.graph.add(f.formula, [&](std::string_view name) {
      return system.graph.input(2 * system.n + (name == "x" ? 0 : name == "y" ? 1 : 2));
    });
    return Confirmation(model).has_bend(system, {node});
  };
  EXPECT_TRUE(bend_holds("x^2 + 3*x*y - 2.5", "x^2 + 3*x*y"));
  EXPECT_TRUE(bend_holds("x - 2*y", "0"));
  EXPECT_FALSE(bend_holds("x^2 + 3*x*y - 2.5", "x^2 + 3.000001*x*y"));
  EXPECT_FALSE(bend_holds("abs(x) - 1", "0"));
  EXPECT_FALSE(bend_holds("x^3 - 1", "3*x^2"));
}

}  // namespace
