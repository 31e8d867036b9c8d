// [parametrisation] in a model file: what it computes, against Gauss' method on θ'' = -sin θ in 30 digits,
// what it refuses, and the coordinates that the program makes for open chains.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "support/run_json.hpp"

namespace {

using namespace taut::test;

const std::string pendulum = R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = "sin(1)"
y = "-cos(1)"
p_x = "0.5*cos(1)"
p_y = "0.5*sin(1)"
[run]
method = "gauss(2)"
formulation = "state-space"
step = 0.1
steps = 100
[parametrisation]
)toml";
const std::string by_angle = "coordinates = [\"theta\"]\nx = \"sin(theta)\"\ny = \"-cos(theta)\"\n";

class Parametrisations : public testing::Test {
 protected:
  std::string write(const std::string& text, const std::string& name = "m.toml") {
    std::ofstream(folder_ / name) << text;
    return name;
  }
  nlohmann::json run(const std::string& text, const std::string& options = "") {
    return run_json(write(text) + " " + options, folder_.string());
  }
  std::string refusal(const std::string& text, const std::string& options = "") {
    const Ran ran = run_taut("run " + write(text) + " " + options, folder_.string());
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_EQ(ran.out, "");
    return ran.err;
  }
  static void expect_says(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
      EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  }
  OwnFolder folder_;
};

// 100 steps of gauss(2) on θ'' = -sin θ from θ = 1, θ' = 1/2 with h = 0.1, by mpmath with 30 digits.
void expect_reference(const nlohmann::json& done, double off = 1e-13) {
  EXPECT_NEAR(done["q"][0].get<double>(), -0.747872156787891027, off);
  EXPECT_NEAR(done["q"][1].get<double>(), -0.663842780409208142, off);
  EXPECT_NEAR(done["p"][0].get<double>(), -0.468035520099485349, off);
  EXPECT_NEAR(done["p"][1].get<double>(), 0.527279567090233831, off);
  EXPECT_LT(done["residual"]["position_max"].get<double>(), 1e-15);
  EXPECT_LT(done["residual"]["momentum_max"].get<double>(), 1e-14);
}

TEST_F(Parametrisations, GiveTheMotionOfTheAngle) {
  const auto done = run(pendulum + by_angle);
  EXPECT_EQ(done["formulation"], "parametrised");
  expect_reference(done);
  expect_reference(run(pendulum + by_angle, "--formulation parametrised-velocity"));
  const auto tree = run(pendulum + "coordinates = \"tree\"\n");
  expect_reference(tree);
  // The hypothesis: charts are other coordinates, and Gauss' method makes another error in them.
  const auto charts = run(pendulum + by_angle, "--formulation 'state-space(tangent)'");
  EXPECT_GT(std::abs(charts["q"][0].get<double>() + 0.747872156787891027), 1e-9);
}

// The start may be given in the coordinates of the parametrisation.
TEST_F(Parametrisations, TakeAStartOfTheirOwn) {
  std::string text = pendulum + by_angle;
  text.replace(text.find("x = \"sin(1)\"\ny = \"-cos(1)\""), 26, "theta = 1");
  expect_reference(run(text));
  expect_reference(run(text, "--set theta=1"));
}

TEST_F(Parametrisations, AreRefusedIfTheyMissTheManifold) {
  expect_says(refusal(pendulum + "coordinates = [\"theta\"]\nx = \"1.1*sin(theta)\"\ny = \"-cos(theta)\"\n"),
              {"m.toml:16:2", "the parametrisation misses constraint 1", "of its length, at theta ="});
  // It meets the circle at the start and nowhere else.
  expect_says(refusal(pendulum + "coordinates = [\"theta\"]\nx = \"sin(1) + theta\"\ny = \"-cos(1)\"\n"),
              {"the parametrisation crosses constraint 1", "tangent to g = 0"});
  expect_says(refusal(pendulum + "coordinates = [\"a\"]\nx = \"sin(1 + a^2)\"\ny = \"-cos(1 + a^2)\"\n"),
              {"lost rank at the start"});
  expect_says(refusal(pendulum + "coordinates = [\"a\", \"b\"]\nx = \"sin(a + b)\"\ny = \"-cos(a + b)\"\n"),
              {"m.toml:17:15", "has 2 coordinates", "leave 1 free"});
  // The right circle, but only its upper half.
  expect_says(refusal(pendulum + "coordinates = [\"a\"]\nx = \"a\"\ny = \"sqrt(1 - a^2)\"\n"),
              {"the start is not a point of the parametrisation", "away"});
  // A start off the constraints is another matter.
  expect_says(refusal(pendulum + by_angle, "--set x=0.9"), {"--project-start"});
  EXPECT_EQ(run_taut("run m.toml --set x=0.9 --project-start", folder_.string()).status, 0);
}

TEST_F(Parametrisations, AreRefusedIfTheyAreWrittenWrongly) {
  expect_says(refusal(pendulum + "x = \"1\"\n"), {"[parametrisation] has no coordinates", "tree"});
  expect_says(refusal(pendulum + "coordinates = [\"theta\"]\nx = \"sin(theta)\"\n"),
              {"says nothing of the coordinate `y`"});
  expect_says(refusal(pendulum + "coordinates = [\"theta\"]\nx = \"sin(thetta)\"\ny = \"-cos(theta)\"\n"),
              {"m.toml:18:10", "unknown name `thetta`", "Did you mean `theta`?"});
  expect_says(refusal(pendulum + "coordinates = [\"theta\"]\nx = \"sin(theta)\"\ny = \"-sqrt(1 - x^2)\"\n"),
              {"uses the coordinate `x`", "own coordinates and parameters"});
  expect_says(refusal(pendulum + "coordinates = [\"x\"]\nx = \"1\"\ny = \"1\"\n"),
              {"the coordinate `x` has the name of a coordinate"});
  expect_says(refusal(pendulum + "coordinates = \"chain\"\n"), {"unknown word `chain`", "tree"});
  expect_says(
      refusal(pendulum + "coordinates = [\"theta\"]\nx = \"sin(theta)\"\ny = \"-cos(theta)\"\nz = \"1\"\n"),
      {"unknown key `z` in [parametrisation]"});
  std::string without = pendulum;
  without.erase(without.find("[parametrisation]"));
  expect_says(refusal(without, "--formulation parametrised"),
              {"needs a parametrisation", "[parametrisation]", "state-space"});
}

// A chain of three rods of which the last hangs in space, with a carriage that nothing constrains but a rail.
const std::string chain = R"toml([system]
coordinates = ["X", "Y", "x1", "y1", "x2", "y2", "z2"]
mass = [2, 2, 1, 1, 1.5, 1.5, 1.5]
potential = "9.81*(y1 + 1.5*y2) + X^2"
constraints = ["3*Y - 1", "((x1 - X)^2 + (y1 - Y)^2 - 0.25)", "(x2 - x1)^2 + (y2 - y1)^2 + z2^2 - 0.49"]
[initial]
Y = "1/3"
x1 = 0.3
y1 = "1/3 - 0.4"
x2 = 0.3
y2 = "1/3 - 0.4 - sqrt(0.4)"
z2 = 0.3
p_x2 = 0.6
[run]
step = 0.01
until = 1
)toml";

TEST_F(Parametrisations, OfTreesAreTheSameMotion) {
  const std::string tree = chain + "[parametrisation]\ncoordinates = \"tree\"\n";
  const auto by_tree = run(tree, "--method 'gauss(3)' --formulation state-space --project-start");
  const auto by_lobatto = run(tree, "--method 'lobatto(5)' --project-start");
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(by_tree["q"][i].get<double>(), by_lobatto["q"][i].get<double>(), 1e-9) << i;
    EXPECT_NEAR(by_tree["p"][i].get<double>(), by_lobatto["p"][i].get<double>(), 1e-8) << i;
  }
  EXPECT_LT(by_tree["residual"]["position_max"].get<double>(), 1e-14);
}

TEST_F(Parametrisations, OfLoopsAreRefused) {
  const Ran ran = run_taut("run four-bar --set parametrisation.coordinates=tree", folder_.string());
  EXPECT_EQ(ran.status, 2);
  expect_says(ran.err, {"is no rod from a fixed point or from an earlier joint", "a loop has no tree"});
}

TEST_F(Parametrisations, AreCertified) {
  const Ran ran = run_taut("check " + write(pendulum + by_angle), folder_.string());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

// Formulations that a method does not take, and numbers that are none.
TEST_F(Parametrisations, AndOtherFormulationsRefuseWhatMakesNoSense) {
  const auto says = [&](const std::string& options, const std::vector<std::string>& words) {
    const Ran ran = run_taut("run pendulum " + options, folder_.string());
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_EQ(ran.out, "");
    expect_says(ran.err, words);
  };
  says("--method rk4 --formulation ggl", {"keeps the multipliers as unknowns", "bdf(k)"});
  says("--method rattle --formulation index-2", {"rattle is not offered on the formulation index-2"});
  says("--method 'bdf(2)' --formulation dirac", {"bdf(2) takes no formulation"});
  says("--method 'bdf(2)' --formulation ggl --projection both", {"bdf(2) takes no projection"});
  says("--method rk4 --formulation 'baumgarte(a)'", {"`a` is no finite number", "baumgarte(alpha, beta)"});
  says("--method rk4 --formulation 'baumgarte(1, 2, 3)'", {"has 3 numbers"});
  says("--method rk4 --formulation 'baumgarte(-1, 2)'",
       {"`-1` is negative", "with alpha below 0", "from 0 on"});
  says("--method rk4 --formulation 'baumgarte(1, -2)'", {"`-2` is negative", "with beta below 0"});
  says("--method rk4 --formulation 'penalty(-1)'", {"`-1` is no positive number"});
  says("--method rk4 --formulation 'penalty(1e-320)'", {"`1e-320` is no positive number"});
  says("--method rk4 --formulation 'penalty(0)'", {"`0` is no positive number", "penalty(epsilon)"});
  says("--method rk4 --formulation 'linear(1)'", {"takes nothing in brackets"});
  says("--method rk4 --formulation baumgarten",
       {"unknown formulation `baumgarten`", "Did you mean `baumgarte`"});
  says("--method 'half-explicit(5)'", {"from 1 to 4"});
}

}  // namespace
