// Steps whose solves succeed and that are wrong all the same: they end off a constraint, or on another branch
// of it. And starts off a constraint that is small beside the rest of the system.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/own_model.hpp"
#include "support/run_json.hpp"

namespace {

using taut::test::OwnModel;
using taut::test::Ran;
using taut::test::run_json;
using taut::test::run_taut;
using taut::test::says;

const std::string parallelogram = R"toml(title = "Parallelogram linkage with a load"
[system]
coordinates = ["xa", "ya", "xb", "yb"]
mass = [1.0, 1.0, 2.5, 2.5]
potential = "0.3*xb*ya + 0.2*ya"
constraints = ["(xa^2 + ya^2 - 1)/2", "((xa - xb)^2 + (ya - yb)^2 - 4)/2", "((xb - 2)^2 + yb^2 - 1)/2"]
[initial]
ya = 1.0
xb = 2.0
yb = 1.0
p_xa = 1.0
p_xb = 2.5
[run]
method = "rattle"
step = 0.02
steps = 8000
)toml";

// At t = 12.1 the linkage lies in a line, where the parallelogram and the antiparallelogram meet.
TEST(AJumpOfTheEnergy, StopsTheRun) {
  const OwnModel model(parallelogram);
  const Ran ran = model.run();
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran, "the energy jumped at t = 12.1")) << ran.err;
  EXPECT_TRUE(says(ran, "The energy changed by 1.3 in this step")) << ran.err;
  EXPECT_TRUE(says(ran, "--on-jump warn")) << ran.err;
  EXPECT_TRUE(says(ran, "try --step 0.01")) << ran.err;
  EXPECT_EQ(model.run("--step 0.01 --steps 1600").status, 0);  // keeps the branch
}
TEST(AJumpOfTheEnergy, IsCountedIfTheUserWantsToGoOn) {
  const OwnModel model(parallelogram);
  const auto summary = run_json("m.toml --on-jump warn", model.folder.string());
  EXPECT_EQ(summary["steps"], 8000);
  ASSERT_TRUE(summary.contains("jumps")) << summary;
  EXPECT_GE(summary["jumps"]["steps"], 1);
  EXPECT_NEAR(summary["jumps"]["first"].get<double>(), 12.12, 0.03);
  EXPECT_GT(summary["jumps"]["largest"].get<double>(), 1);
  EXPECT_NE(model.run("--on-jump warn").out.find("jumped    the energy"), std::string::npos);
}
TEST(AJumpOfTheEnergy, IsCountedOverAResume) {
  const OwnModel model(parallelogram);
  ASSERT_EQ(model.run("--on-jump warn --out whole").status, 0);
  ASSERT_EQ(model.run("--out stopped").status, 1);
  ASSERT_EQ(run_taut("resume stopped --on-jump warn", model.folder.string()).status, 0);
  const auto jumps = [&](const std::string& folder) {
    std::ifstream file(model.folder / (folder + "/summary.json"));
    return nlohmann::json::parse(file)["jumps"];
  };
  EXPECT_EQ(jumps("whole"), jumps("stopped"));
}
TEST(AJumpOfTheEnergy, IsOnThePageWithThePivotThatWasSmall) {
  const OwnModel model(parallelogram);
  ASSERT_EQ(model.run("--on-jump warn --report page.html").status, 0);
  const std::string page = taut::test::read_text(model.folder / "page.html");
  EXPECT_NE(page.find("the energy jumped in "), std::string::npos);
  EXPECT_NE(page.find("the constraints are nearly dependent there"), std::string::npos);
}
TEST(AFirstStep, SaysHowFarItMovedBeyondItsVelocity) {
  const std::string text = R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = 1.000000001
[run]
step = 0.01
steps = 10
)toml";
  const OwnModel off(text);
  EXPECT_NEAR(run_json("m.toml", off.folder.string())["first_step"]["unexplained"].get<double>(), 1e-9,
              1e-12);
  const Ran ran = off.run("--report page.html");
  EXPECT_NE(ran.out.find("step moved q by 1.0e-09 beyond"), std::string::npos) << ran.out;
  EXPECT_NE(taut::test::read_text(off.folder / "page.html").find("moved q by 1.0e-09 beyond"),
            std::string::npos);
  EXPECT_FALSE(run_json("m.toml --set x=1 --set p_y=1", off.folder.string()).contains("first_step"));
}
TEST(AJumpOfTheEnergy, FailsTheCheck) {
  const OwnModel model(parallelogram);
  const Ran ran = model.check();
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("changes of branch     0         1"), std::string::npos) << ran.out;
}

TEST(AnotherBranch, IsNoticedInTheFirstStep) {
  const OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "56*y"
constraints = ["sin(y)"]
[initial]
p_x = 1.0
[run]
step = 0.3
steps = 1000
)toml");
  const Ran ran = model.run();
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran, "the step changed the branch of a constraint")) << ran.err << ran.out;
  EXPECT_TRUE(says(ran, "sin(y)")) << ran.err;
}
// There is no error of earlier steps to compare with, and a third sheet can lie between.
TEST(AnotherBranch, IsNoticedInTheFirstStepAlsoBehindASheet) {
  for (const char* between : {"1", "x^2 + y^2 - 1.4"}) {
    const OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "0"
constraints = ["(x^2 + y^2 - 1)*(x^2 + y^2 - 2)*()toml" +
                         std::string(between) + R"toml()"]
[initial]
x = 1.0
p_y = 1.0
[run]
step = 0.9
steps = 100
)toml");
    const Ran ran = model.run();
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(says(ran, "the step changed the branch of a constraint at t = 0.9")) << ran.err;
    EXPECT_EQ(model.run("--step 0.2").status, 0);
  }
}
// Sheets can be so close that half steps hop as well, and that the energy changes by little; their normals
// are opposed all the same. The next sheet is 5 %, 0.5 % or 0.05 % away.
TEST(AnotherBranch, IsNoticedIfItIsClose) {
  for (const char* next : {"1.1", "1.01", "1.001"}) {
    const OwnModel model(R"toml([parameters]
next = 1.1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "0"
constraints = ["(x^2 + y^2 - 1)*(x^2 + y^2 - next)"]
[initial]
x = 1.0
p_y = 1.0
[run]
steps = 100
)toml");
    const std::string set = std::string("--set next=") + next;
    const Ran ran = model.run(set + " --step 0.3");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(says(ran, "the step changed the branch of a constraint at t = 0.3")) << ran.err;
    EXPECT_EQ(model.run(set + " --step 0.02").status, 0);
  }
}
// The first step of such a start moves it onto the rod, and its energy is that of this move.
TEST(AnotherBranch, IsNotSeenInAStartAtRestBesideItsConstraint) {
  const OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[initial]
y = -1.000000001
[run]
step = 0.01
steps = 100
)toml");
  EXPECT_EQ(model.run().status, 0);
}

// Each model is run with a step with which it changes the branch, and with one with which it does not. It
// makes at most `steps` before it is stopped.
struct Branches {
  const char *system, *initial, *step, *short_step;
  int steps;
};
std::string text_of(const Branches& m) {
  return std::string("[system]\nmass = 1.0\n") + m.system + "\n[initial]\n" + m.initial +
         "\n[run]\nmethod = \"rattle\"\nuntil = 20\n";
}
TEST(AnotherBranch, IsNoticedInAllOfThese) {
  const Branches models[] = {
      // sheets between poles, whose normals are not opposed
      {"coordinates = [\"x\", \"y\"]\npotential = \"9.81*y\"\nconstraints = [\"tan(y - sin(x))\"]",
       "p_x = 3.0\np_y = 3.0", "0.3", "0.01", 6},
      // steps so long that each has a large error, until one hops
      {"coordinates = [\"x\", \"y\"]\npotential = \"y\"\nconstraints = [\"sin(4*(y - sin(x)))\"]",
       "p_x = 3.0\np_y = 3.0", "0.4", "0.02", 3},
      // two constraints, a hop in the first step
      {"coordinates = [\"x\", \"y\", \"z\"]\npotential = \"z\"\n"
       "constraints = [\"(x^2 + y^2 + z^2 - 1)*(x^2 + y^2 + z^2 - 1.2)\", \"y\"]",
       "x = 1.0\np_z = 1.5", "0.25", "0.02", 0},
      // a double pendulum with a rod of two lengths, which hops after 26 steps
      {"coordinates = [\"x\", \"y\", \"u\", \"v\"]\npotential = \"y + v\"\n"
       "constraints = [\"(x^2 + y^2 - 1)/2\", \"((u - x)^2 + (v - y)^2 - 1)*((u - x)^2 + (v - y)^2 - 1.1)\"]",
       "x = 1.0\nu = 2.0\np_v = 1.0", "0.1", "0.005", 26},
      // a curve of two parts that come near to each other
      {"coordinates = [\"x\", \"y\"]\npotential = \"0.1*y\"\nconstraints = [\"y^2 - x^2*(x + 1) + 0.001\"]",
       "x = 1.0\ny = \"sqrt(2 - 0.001)\"", "0.1", "0.002", 64},
      // closed curves beside each other
      {"coordinates = [\"x\", \"y\"]\npotential = \"x\"\nconstraints = [\"cos(2*x) + cos(3*y) - 0.3\"]",
       "y = \"acos(-0.7)/3\"\np_x = 1.0", "0.2", "0.01", 15},
      // a hop over four sheets
      {"coordinates = [\"x\", \"y\"]\npotential = \"280*y\"\nconstraints = [\"sin(y)\"]", "p_x = 1.0", "0.3",
       "0.01", 0}};
  for (const Branches& m : models) {
    const OwnModel model(text_of(m));
    const Ran ran = model.run(std::string("--json --step ") + m.step);
    EXPECT_EQ(ran.status, 1) << m.system << ran.out;
    EXPECT_TRUE(says(ran, "changed the branch") || says(ran, "the energy jumped")) << m.system << ran.err;
    EXPECT_LE(nlohmann::json::parse(ran.out)["steps"], m.steps) << m.system;
    const Ran shorter = model.run(std::string("--step ") + m.short_step);
    EXPECT_EQ(shorter.status, 0) << m.system << shorter.err;
    EXPECT_EQ(shorter.out.find("lost"), std::string::npos) << m.system << shorter.out;
  }
}

// The velocity of x is the difference of two numbers of a million, one of which is rounded in the file.
TEST(AStart, WhoseVelocityIsARoundingErrorIsAtRest) {
  const OwnModel model(R"toml([system]
coordinates = ["j", "x", "y"]
hamiltonian = "(p_x^2 + p_y^2 + p_j^2)/2 + p_x*(j - 1000000.1) + y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
j = 1000000.1000000001
x = 1.0
[run]
method = "lobatto(2)"
step = 0.01
steps = 100
)toml");
  EXPECT_EQ(model.run().status, 0) << model.run().err;
  const Ran off = model.run("--set j=1000000.10000001");
  EXPECT_EQ(off.status, 2);
  EXPECT_TRUE(says(off, "max |G H_p| = 1.0e-08")) << off.err;
}

TEST(NearlyDependentConstraints, AreNamedInTheSummary) {
  const OwnModel model(parallelogram);
  const Ran ran = model.run("--step 0.01 --steps 1600");
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.out.find("the constraints are nearly dependent there"), std::string::npos) << ran.out;
  const auto summary = run_json("m.toml --step 0.01 --steps 1600", model.folder.string());
  EXPECT_LT(summary["smallest_pivot"]["ratio"].get<double>(), 1e-3);
}
TEST(NearlyDependentConstraints, AreNotSeenInRegularOnes) {
  for (const char* model : {"pendulum", "double-pendulum"})
    EXPECT_EQ(run_taut(std::string("run ") + model).out.find("nearly dependent"), std::string::npos);
}

TEST(AnotherBranch, BehindACorner) {
  const OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "y"
constraints = ["abs(x) + y^2 - 1"]
[initial]
x = 1.0
[run]
step = 0.01
steps = 3000
)toml");
  EXPECT_EQ(model.run().status, 1);
  EXPECT_EQ(model.check().status, 1);
}

const std::string hyperbola = R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "-y/x"
constraints = ["x*y - 1"]
[initial]
x = 1.0
y = 1.0
p_x = -0.5
p_y = 0.5
[run]
step = 1.0
steps = 16
)toml";

// Forces that the constraint cancels take all digits of the position.
TEST(AStep, ThatEndsOffItsConstraintFails) {
  const OwnModel model(hyperbola);
  for (const char* method : {"rattle", "shake", "verlet"}) {
    const Ran ran = model.run(std::string("--method ") + method);
    EXPECT_EQ(ran.status, 1) << method;
    EXPECT_TRUE(says(ran, "x*y - 1")) << ran.err;
  }
  const Ran ran = model.run("--method verlet");
  EXPECT_TRUE(says(ran, "the step ended off the ")) << ran.err;
  EXPECT_TRUE(says(ran, "rounding explains")) << ran.err;
}
TEST(AStep, ThatEndsOffItsHiddenConstraintFails) {
  std::string text = hyperbola;
  text.replace(text.find("-y/x"), 4, "-x*y^3");
  const Ran ran = OwnModel(text).run("--steps 30");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran, "the step ended off the momentum constraint G H_p")) << ran.err;
}
// Here the projection finds nothing to correct in units that go by the largest velocity, 10⁹, and corrects
// all the same: p_x is 10⁻¹⁰.
TEST(AStep, WhoseProjectionNeedsFinerUnitsIsMade) {
  std::string text = hyperbola;
  text.replace(text.find("-y/x"), 4, "-y^2/2");
  const Ran ran = OwnModel(text).run("--steps 25 --json --on-jump warn");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(ran.out.find("\"momentum_max\": 2.220446049250313e-16") != std::string::npos) << ran.out;
}

TEST(AStart, OffAConstraintIsRefusedHoweverLargeTheRestIs) {
  const OwnModel pendulum(R"toml([system]
coordinates = ["x", "y", "s"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = 1.3
s = 1e8
[run]
step = 0.01
steps = 10
)toml");
  EXPECT_EQ(pendulum.run().status, 2);
  EXPECT_EQ(pendulum.run("--set x=1 --set p_x=0.5 --set s=0 --set p_s=1e8").status, 2);
  EXPECT_EQ(pendulum.run("--set x=1").status, 0);
  EXPECT_EQ(pendulum.run("--project-start").status, 0);

  const OwnModel rod(R"toml([particles]
dimension = 2
count = 3
position = [[0, 0], [1.3, 0], [1e8, 1e8]]
[[rods]]
between = [[0, 1]]
length = 1.0
[run]
step = 0.01
steps = 10
)toml");
  EXPECT_EQ(rod.run().status, 2);
}
TEST(AStart, OfALongChainIsJudgedByItsRods) {
  const auto chain = [](const std::string& apart) {
    return OwnModel("[particles]\ncount = 20000\nposition = [\"" + apart +
                    "*i\", \"0\", \"0\"]\n[[rods]]\nbetween = [\"i\", \"i+1\"]\nfor = \"i in 0..19998\"\n"
                    "length = 1.0\n[run]\nstep = 0.01\nsteps = 1\n")
        .run();
  };
  const Ran ran = chain("1.0003");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran, "the start does not satisfy the constraints")) << ran.err;
  EXPECT_EQ(chain("1.000000001").status, 0);
}

// What a constraint adds up may be far larger than the coordinates are, and rounds like that.
TEST(AValidStep, NearTheOriginIsNotCalledFailed) {
  const OwnModel pendulum(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["((x - 2.1)^2 + y^2 - 4.41)/2"]
[run]
step = 0.01
steps = 1000
)toml");
  for (const char* method :
       {"rattle", "kahan-li8", "shake", "midpoint", "verlet", "'lobatto(2)'", "'lobatto(3)'"})
    for (const char* updates : {"", " --plain-updates"}) {
      const Ran ran = pendulum.run("--method " + std::string(method) + updates);
      if (ran.status == 2) continue;  // not every method has plain updates
      EXPECT_EQ(ran.status, 0) << method << updates << ran.err;
    }
  EXPECT_EQ(pendulum.run("--method rattle --plain-updates").status, 0);
}
TEST(AValidStep, OfAParticleAtRestIsNotCalledAJump) {
  const Ran ran = OwnModel(R"toml([particles]
dimension = 3
count = 1
position = [[0.0, 0.0, 0.0]]
mass = [0.54]
[[surface]]
formula = "(x - 2)^2/m + y^2 + z - (7.407407407407407)"
[run]
method = "rattle"
step = 0.0078125
steps = 10
)toml")
                      .run();
  EXPECT_EQ(ran.status, 0) << ran.err;
}
TEST(AValidStep, WhoseVelocitiesAreDifferencesOfMomentaIsNotCalledFailed) {
  const Ran ran = OwnModel(R"toml([system]
coordinates = ["a", "b", "c", "d", "e"]
mass = [[1, "-0.05", "0", "1/50", "-0.05"], ["-0.05", "pi", "-0.05", "0", 0.02],
  ["0", "-0.05", 1, "-0.05", 0.1], ["1/50", "0", "-0.05", "1/3", 0.02], ["-0.05", 0.02, 0.1, 0.02, "pi"]]
potential = "0.01*a + c*7/3 + (e - b)"
constraints = ["2*cos(a^(2 - 1/3)) - (1.0283176482757566)"]
[initial]
a = 1.018349812663984
b = -0.783
c = 0.7
d = -1.245
e = -0.6
p_a = 0.10793014767814568
p_b = -0.5773739787937183
p_c = -0.5188279749574131
p_d = 1.3966827487626348
p_e = -0.9111679472383993
[run]
method = "suzuki4"
step = 0.015625
steps = 20
)toml")
                      .run();
  EXPECT_EQ(ran.status, 0) << ran.err;
}

// Five rods of length 1: two parallelograms side by side. Their singular positions, in which all bars lie on
// the ground line, are passed twice in each turn. lobatto(2) is the same map as rattle.
const std::string double_four_bar = R"toml([system]
coordinates = ["x1", "y1", "x2", "y2", "x3", "y3"]
mass = 1.0
potential = "9.81*(y1 + y2 + y3)"
constraints = ["(x1^2 + y1^2 - 1)/2", "((x2 - 1)^2 + y2^2 - 1)/2", "((x3 - 2)^2 + y3^2 - 1)/2",
  "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2", "((x3 - x2)^2 + (y3 - y2)^2 - 1)/2"]
[initial]
y1 = 1.0
x2 = 1.0
y2 = 1.0
x3 = 2.0
y3 = 1.0
p_x1 = 1.0
p_x2 = 1.0
p_x3 = 1.0
[run]
step = 0.01
until = 10.0
)toml";
TEST(SingularPositions, ArePassedByTheStageMethodsAsByRattle) {
  const OwnModel model(double_four_bar);
  const auto energy_error = [&](const std::string& method, const std::string& step) {
    const auto object = run_json("m.toml --method '" + method + "' --step " + step, model.folder.string());
    EXPECT_EQ(object.at("steps"), std::lround(10 / std::stod(step))) << method << step;
    return object.at("energy").at("max_error").get<double>();
  };
  for (const char* step : {"0.02", "0.01", "0.005", "0.002"})
    EXPECT_NEAR(energy_error("lobatto(2)", step) / energy_error("rattle", step), 1, 1e-6) << step;
  for (const char* step : {"0.01", "0.005", "0.001"}) {
    for (const char* method : {"lobatto(3)", "lobatto(4)", "lobatto(5)"})
      EXPECT_LT(energy_error(method, step), 1e-6) << method << step;
    for (const char* method : {"bdf(2)", "radau(2)"}) EXPECT_LT(energy_error(method, step), 1) << method;
  }
}

// At (0, 0) the constraint adds up numbers that are far larger than the coordinates: its rounding is what the
// solves find there, and no failure.
TEST(APendulumThroughTheOrigin, IsNoFalseFailure) {
  const OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["((x - 2.1)^2 + y^2 - 4.41)/2"]
[run]
step = 0.01
steps = 1000
)toml");
  for (const char* method : {"radau(2)", "radau(3)", "radau-projected(2)", "gauss-projected(2)", "bdf(1)",
                             "bdf(2)", "bdf(5)", "lobatto(2)", "lobatto(3)", "lobatto(5)"})
    EXPECT_EQ(model.run("--method '" + std::string(method) + "'").status, 0) << method;
}

// A loose tolerance is honoured at the end of each step, and what it does to the energy is no jump.
TEST(ALooseTolerance, IsHonouredAndExplainsTheEnergy) {
  for (const char* method : {"rattle", "lobatto(2)", "lobatto(3)", "lobatto(4)", "radau(2)", "bdf(2)"}) {
    const auto object =
        run_json("double-pendulum --method '" + std::string(method) + "' --tolerance 1e-2 --steps 100", "/");
    EXPECT_EQ(object.at("steps"), 100) << method;
    EXPECT_LE(object.at("residual").at("position_max").get<double>(), 1e-2) << method;
  }
}

// Off the manifold, at the stages of ordinary methods, redundant constraints are independent, and no velocity
// meets them all. On it one that follows from others carries their rounding, however little it has itself.
TEST(RedundantConstraints, RunWithWhatCanLeaveThemOut) {
  const auto last = [](const std::string& options) {
    return run_json("bricard --until 0.6 --step 0.002 " + options, "/");
  };
  const auto reference = last("--method 'lobatto(4)'");
  const auto off = [&](const nlohmann::json& run) {
    double most = 0;
    for (std::size_t i = 0; i < 20; ++i)
      most = std::max(most, std::abs(run["q"][i].get<double>() - reference["q"][i].get<double>()));
    return most;
  };
  for (const char* method : {"shake-velocity", "'shake(two-step)'", "'adaptive(rattle)'"})
    EXPECT_LE(off(last(std::string("--method ") + method)), 1e-5) << method;
  for (const char* method :
       {"blanes-moan4", "multistep4", "rk4 --formulation impetus-striction",
        "'gauss(2)' --formulation impetus-striction", "rk4 --formulation underlying --projection momentum",
        "rk4 --formulation baumgarte --projection momentum"}) {
    const auto run = last(std::string("--method ") + method);
    EXPECT_LE(off(run), 1e-9) << method;
    EXPECT_LE(run["residual"]["position_max"].get<double>(), 1e-9) << method;
  }
  // All constraints are of second degree.
  const auto midpoint = last("--method implicit-midpoint --formulation impetus-striction");
  EXPECT_LE(midpoint["residual"]["position_max"].get<double>(), 1e-13);
  EXPECT_LE(off(midpoint), 1e-5);
  for (const char* method : {"midpoint", "'yoshida4(midpoint)'", "'dirac-gauss(2)'", "'half-explicit(2)'",
                             "'bdf(2)' --formulation index-2", "'radau(2)' --formulation ggl",
                             "rk4 --formulation state-space", "rk4 --formulation hamilton-dirac"}) {
    const Ran ran = run_taut(std::string("run bricard --method ") + method);
    EXPECT_EQ(ran.status, 2) << method;
    EXPECT_TRUE(says(ran, "needs constraints that do not depend on each other, and bricard has some"))
        << method << ran.err;
  }
}

}  // namespace
