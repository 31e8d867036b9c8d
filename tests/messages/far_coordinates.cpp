// Starts so far from the origin that the rounding of a coordinate is no longer small beside the lengths over
// which constraints and forces change: they are refused, or named.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "support/own_model.hpp"
#include "support/run_json.hpp"

namespace {

using taut::test::OwnFolder;
using taut::test::OwnModel;
using taut::test::Ran;
using taut::test::run_json;
using taut::test::run_taut;
using taut::test::says;

// A pendulum about the point (a, 0).
const std::string pendulum = R"toml([parameters]
a = 1e15
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x - a)^2 + y^2 - 1"]
[initial]
x = "a + 1"
p_y = 0.5
[run]
step = 0.01
steps = 500
)toml";

const std::string wave = R"toml([parameters]
a = 1e15
[system]
coordinates = ["x"]
mass = 1.0
potential = "cos(x)"
[initial]
x = "a"
p_x = 0.5
[run]
step = 0.01
steps = 500
)toml";

const std::string pair = R"toml([parameters]
a = 1e15
[particles]
dimension = 2
count = 3
position = [["a", 0], ["a + 1", 0], [0, 0]]
[[rods]]
between = [[0, 1]]
length = 1.0
[run]
step = 0.01
steps = 10
)toml";

bool names_the_origin(const Ran& ran) { return says(ran, "Move the origin"); }

// Every command that makes steps of it, or draws, refuses the start.
TEST(FarCoordinates, WhoseRoundingDecidesTheMotionAreRefused) {
  for (const std::string& text : {pendulum, wave, pair}) {
    const OwnModel model(text);
    for (const char* a : {"a=1e14", "a=1e15"}) {
      const Ran ran = model.run(std::string("--set ") + a);
      EXPECT_EQ(ran.status, 2) << text << ran.out;
      EXPECT_TRUE(says(ran, "the start is too far from the origin") && names_the_origin(ran)) << ran.err;
    }
  }
  const OwnModel model(pendulum);
  for (const char* command :
       {"check m.toml", "compare m.toml --methods rattle", "lyapunov m.toml", "indicators m.toml",
        "section m.toml --event when=y", "spectrum m.toml", "orbit m.toml --period 6",
        "sample m.toml --temperature 1 --measure surface --draws 10 --chains 1"}) {
    const Ran ran = run_taut(command, model.folder.string());
    EXPECT_EQ(ran.status, 2) << command << ran.out;
    EXPECT_TRUE(names_the_origin(ran)) << command << ran.err;
  }
}

// A trajectory of an ensemble that is too far away is refused, and the others are made.
TEST(FarCoordinates, OfATrajectoryOfAnEnsembleRefuseThatOne) {
  const OwnModel model(pendulum);
  const Ran ran = run_taut("ensemble m.toml --grid --vary 'a = [0, 1e15]' --json", model.folder.string());
  const auto failures = nlohmann::json::parse(ran.out)["failures"];
  EXPECT_EQ(failures["start-refused"], 1) << ran.out;
  EXPECT_TRUE(says(ran, "trajectory 1 cannot start") && names_the_origin(ran)) << ran.err;
}

// In between the run is made, and what limits it stands in the summary and on the page.
TEST(FarCoordinates, WhoseRoundingLimitsTheResultsAreNamed) {
  for (const std::string& text : {pendulum, wave, pair}) {
    const OwnModel model(text);
    const Ran ran = model.run("--set a=1e10 --json --report p.html");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(names_the_origin(ran)) << ran.err;
    const auto warnings = nlohmann::json::parse(ran.out)["warnings"];
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].get<std::string>().find("its rounding limits"), std::string::npos);
    std::ifstream file(model.folder.string() + "/p.html");
    std::stringstream page;
    page << file.rdbuf();
    EXPECT_NE(page.str().find("its rounding limits"), std::string::npos);
    EXPECT_TRUE(names_the_origin(model.check("--set a=1e10")));
    EXPECT_FALSE(names_the_origin(model.check("--set a=1e4")));
  }
}

// A quadratic potential has no length of its own: there one unit of x is held against the energy of the run.
TEST(FarCoordinates, AreNamedIfOneUnitOfThemChangesTheEnergy) {
  std::string text = wave;
  text.replace(text.find("cos(x)"), 6, "(x - a)^2/2").replace(text.find("\"a\""), 3, "\"a + 1\"");
  const OwnModel model(text);
  for (const char* a : {"a=1e13", "a=1e14", "a=1e15", "a=1e16"}) {
    const Ran ran = model.run(std::string("--set ") + a);
    EXPECT_TRUE(names_the_origin(ran)) << a << ran.out;
  }
  run_json("m.toml --set a=1e9", model.folder.string());  // no complaint
}

// Digits of which there are enough move nothing, wherever the origin is.
TEST(FarCoordinates, AreNoneInMorePrecision) {
  const OwnModel model(pendulum);
  const auto near = run_json("m.toml --set a=0 --steps 20 --precision quad", model.folder.string());
  const auto far = run_json("m.toml --set a=1e15 --steps 20 --precision quad", model.folder.string());
  EXPECT_NEAR(far["q"][0].get<double>() - 1e15, near["q"][0].get<double>(),
              0.13);  // a double has units of 0.125
  EXPECT_NEAR(far["q"][1].get<double>(), near["q"][1].get<double>(), 1e-12);
}

// The companion: what is at rest, at a corner, without a gradient, tiny or far from all forces is not named.
TEST(FarCoordinates, AreNotSeenWhereThereAreNone) {
  const auto one = [](const std::string& V, const std::string& start) {
    return "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"" + V + "\"\n[initial]\n" +
           start + "\n[run]\nstep = 0.01\nsteps = 20\n";
  };
  for (const std::string& text :
       {one("(x^2 - 2)^2", "x = \"sqrt(2)\""), one("(x^2 - 2)^2", "x = 1.41421356237309"),
        one("(x - 1)^4 + y", "x = 1"), one("abs(x - 1) + y", "x = 1"),
        one("(x - 3)^2/2 + y^2", "x = 3\ny = 1"), one("sin(x) + 1e-30*y", "x = \"pi/2\""),
        one("y", "x = 1e20"), one("y + 1e9*x", "x = -1e9"), one("cos(1e4*x)", "x = 1"),
        one("1e20*x^2 + 1e-20*y^2", "x = 1e-12\ny = 1e12"), one("1/(x - 1)", "x = 1.000001")}) {
    const OwnModel model(text);
    const Ran ran = model.run("--step 1e-6");
    EXPECT_FALSE(names_the_origin(ran)) << text << ran.err;
    EXPECT_NE(ran.status, 2) << text << ran.err;
  }
  const OwnModel hanging(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y + 1"
constraints = ["x^2 + y^2 - 1"]
[initial]
y = -1
[run]
step = 0.01
steps = 100
)toml");
  EXPECT_EQ(hanging.run().err, "");
}

// A motion that goes to infinity ends a run with words that say so: no step passes that.
TEST(RunningAway, IsNamedAsAReason) {
  for (const char* V : {"-x^2/2", "x^2/2 - x^3/3", "-x^4/4"})
    for (const char* method : {"rattle", "multistep4", "adaptive(rattle)", "lobatto(3)", "rk4"}) {
      const OwnModel model(std::string("[system]\ncoordinates = [\"x\"]\nmass = 1.0\npotential = \"") + V +
                           "\"\n[initial]\nx = 1.5\np_x = 0.5\n[run]\nstep = 0.02\nsteps = 40000\n");
      const Ran ran = model.run(std::string("--method '") + method + "'");
      EXPECT_EQ(ran.status, 1) << V << method;
      EXPECT_TRUE(says(ran, "The motion may run away")) << V << method << ran.err;
    }
  const OwnModel collision(
      "[system]\ncoordinates = [\"x\"]\nmass = 1.0\npotential = \"-1/x\"\n[initial]\nx = 1\n[run]\nstep = "
      "0.01\nsteps = 1000\n");
  EXPECT_FALSE(says(collision.run(), "The motion may run away"));
}

// The derivative of steps that jump over a corner is not that of the motion: exponents from it are no
// exponents. Those of |x + y/2| + |y| come out as 0.6 at h = 0.01 and as 0.3 at h = 0.001.
TEST(Corners, AreNamedByWhatNeedsADerivative) {
  const auto with = [](const std::string& V) {
    return "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"" + V +
           "\"\n[initial]\nx = 0.3\ny = 0.7\np_x = 0.4\n[run]\nstep = 0.01\nsteps = 500\n";
  };
  const OwnModel cornered(with("abs(x + 0.5*y) + abs(y)")), far_away(with("x^2 + y^2 + abs(x + 10)")),
      round(with("sqrt((x + 0.5*y)^2 + 0.01) + sqrt(y^2 + 0.01)"));
  for (const char* command : {"lyapunov m.toml", "indicators m.toml"}) {
    const Ran ran = run_taut(std::string(command) + " --json", cornered.folder.string());
    EXPECT_TRUE(says(ran, "goes across the corner of")) << command << ran.err;
    EXPECT_TRUE(nlohmann::json::parse(ran.out).contains("warnings")) << command;
    for (const OwnModel* smooth : {&far_away, &round})
      EXPECT_FALSE(says(run_taut(command, smooth->folder.string()), "corner")) << command;
  }
}

// A frequency of 50 in samples that are 0.1 apart looks like 4π - 50 = -12.4.
TEST(Frequencies, AboveThoseOfTheSamplesAreNamed) {
  const OwnModel model(
      "[system]\ncoordinates = [\"x\"]\nmass = 1.0\npotential = \"1250*x^2\"\n[initial]\nx = 1\n[run]\nstep "
      "= 0.001\nsteps = 10000\n");
  for (const auto& [every, named] :
       {std::pair{"1", false}, {"10", false}, {"50", false}, {"80", true}, {"100", true}}) {
    const Ran ran =
        run_taut(std::string("spectrum m.toml --count 1 --json --every ") + every, model.folder.string());
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(says(ran, "goes to and fro between the samples"), named) << every << ran.err;
    const double found = nlohmann::json::parse(ran.out)["lines"][0]["frequency"];
    EXPECT_EQ(std::abs(std::abs(found) - 50) > 1, named) << every << " " << found;
  }
}

}  // namespace
