// Coordinates, or velocities, that are far larger than those of the constraints, which do not use them: the
// constraints are solved and judged in their own units all the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/own_model.hpp"
#include "support/run_json.hpp"

namespace {

using taut::test::OwnModel;
using taut::test::Ran;
using taut::test::run_json;
using taut::test::says;

const std::string pendulum_and_more = R"toml([parameters]
far = 0
fast = 0
[system]
coordinates = ["x", "y", "s"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = 1
s = "far"
p_s = "fast"
[run]
step = 0.01
steps = 200
)toml";

// A pendulum of length 10⁹ that starts at rest: its residuals are those of the velocities that it reaches.
TEST(ACertificate, KnowsTheRoundingOfLongPendulums) {
  const OwnModel long_one(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1e18)/2"]
[initial]
x = 1e9
[run]
step = 50
steps = 2000
)toml");
  const Ran ran = long_one.check();
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

std::vector<double> of_pendulum(const nlohmann::json& ran) {
  return {ran["q"][0], ran["q"][1], ran["p"][0], ran["p"][1]};
}

// A coordinate that no constraint uses changes no bit of the others.
TEST(AFreeCoordinate, DoesNotDisturbAConstraint) {
  const OwnModel model(pendulum_and_more);
  for (const std::string method :
       {"rattle", "shake", "shake-velocity", "symplectic-euler", "hem", "midpoint", "kahan-li8"}) {
    const std::string run = "m.toml --method " + method;
    const auto alone = run_json(run, model.folder.string());
    for (const char* large : {"far=1e9", "far=1e12", "fast=1e9", "fast=1e12"}) {
      const auto beside = run_json(run + " --set " + large, model.folder.string());
      EXPECT_EQ(of_pendulum(beside), of_pendulum(alone)) << method << " " << large;
      EXPECT_LT(beside["residual"]["position_max"], 4e-16) << method << " " << large;
    }
  }
}

// The companion: a start off the constraint is refused beside a far coordinate too.
TEST(AFreeCoordinate, DoesNotExcuseAStart) {
  const OwnModel model(pendulum_and_more);
  for (const char* off : {"--set x=1.000001 --set far=1e12", "--set p_x=1e-6 --set fast=1e12"}) {
    const Ran ran = model.run(off);
    EXPECT_EQ(ran.status, 2) << off;
    EXPECT_TRUE(says(ran, "the start does not satisfy the constraints")) << ran.err;
  }
}

// Neither does it if the start has to be brought onto the constraint.
TEST(AFreeCoordinate, DoesNotDisturbAStartThatIsProjected) {
  const OwnModel model(pendulum_and_more);
  const std::string off = "m.toml --method rattle --project-start --set x=1.0001 --set far=";
  const auto alone = run_json(off + "0", model.folder.string());
  for (const char* far : {"1e8", "1e9"})
    EXPECT_EQ(of_pendulum(run_json(off + far, model.folder.string())), of_pendulum(alone)) << far;
}

nlohmann::json symplectic_defect(const OwnModel& model, const std::string& options, int status) {
  const Ran ran = model.check(options + " --json");
  EXPECT_EQ(ran.status, status) << options << ran.out << ran.err;
  const auto object = nlohmann::json::parse(ran.out);
  for (const auto& check : object["checks"])
    if (check["name"] == "symplectic defect") return check;
  ADD_FAILURE() << ran.out;
  return {};
}

// The certificate moves a coordinate by a part of its own size. What it sees of the others is not less.
TEST(AFreeCoordinate, DoesNotDisturbACertificate) {
  const OwnModel model(pendulum_and_more);
  for (const char* far : {"far=1e6", "far=1e9"}) {
    for (const std::string method : {"rattle", "yoshida4", "'lobatto(3)'", "midpoint"}) {
      const auto seen = symplectic_defect(model, "--steps 500 --method " + method + " --set " + far, 0);
      EXPECT_LT(seen["measured"], 1e-10) << method << " " << far;
      EXPECT_FALSE(seen.contains("note")) << method << " " << far;
    }
    const std::string loses = "--steps 500 --method 'radau-projected(2)'";
    EXPECT_NEAR(symplectic_defect(model, loses + " --set " + far, 0)["measured"].get<double>() /
                    symplectic_defect(model, loses, 0)["measured"].get<double>(),
                1, 0.9)
        << far;
  }
}

// Positions of 10⁴ are rounded to 10⁻¹², which a step of 0.01 makes a velocity of. No energy is lost by that.
TEST(AtRest, RoundingIsNoLossOfEnergy) {
  const OwnModel model(R"toml([particles]
count = 10000
position = ["1.0003*i", "0", "0"]
[[rods]]
between = ["i", "i+1"]
for = "i in 0..9998"
length = 1.0
[run]
method = "rattle"
step = 0.01
steps = 3
)toml");
  const Ran ran = model.run("--project-start");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out.find("lost"), std::string::npos) << ran.out;
  EXPECT_EQ(model.run().status, 2);
}

}  // namespace
