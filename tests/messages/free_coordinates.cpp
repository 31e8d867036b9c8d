// Coordinates, or velocities, that are far larger than those of a constraint: it is solved and judged in its
// own units all the same.

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

// Two pendulums that have nothing to do with each other, one of which is 10¹² times as long.
TEST(AnotherConstraint, DoesNotDisturbThisOne) {
  const OwnModel model(R"toml([parameters]
L = 2
[system]
coordinates = ["x", "y", "u", "v"]
mass = 1.0
potential = "y + v/L"
constraints = ["(x^2 + y^2 - 1)/2", "(u^2 + v^2 - L^2)/2"]
[initial]
x = 1
u = "L"
[run]
step = 0.01
steps = 200
)toml");
  const auto alone = run_json("m.toml", model.folder.string());
  const auto beside = run_json("m.toml --set L=1e12", model.folder.string());
  for (const char* part : {"q", "p"})
    for (const int k : {0, 1})
      EXPECT_NEAR(beside[part][k].get<double>(), alone[part][k].get<double>(), 1e-14) << part << k;
}

// x and y are 10²⁴ apart, and both terms of G H_p = y v_x + x v_y are about 0.01.
TEST(CoordinatesOfOneConstraint, MayBeFarApart) {
  const OwnModel model(R"toml([parameters]
a = 1e12
[system]
coordinates = ["x", "y"]
mass = 1
constraints = ["x*y - 1"]
potential = "0*x"
[initial]
x = "1/a"
y = "a"
p_y = "a/100"
p_x = "-1/a/100"
[run]
step = 0.1
steps = 100
)toml");
  for (const std::string method : {"rattle", "midpoint", "'lobatto(2)'", "'lobatto(3)'", "kahan-li8"})
    for (const char* a : {"1", "1e6", "1e12"}) {
      const auto ran = run_json("m.toml --method " + method + " --set a=" + a, model.folder.string());
      EXPECT_LT(ran["residual"]["position_max"], 1e-15) << method << " " << a;
      EXPECT_LT(ran["residual"]["momentum_max"], 1e-16) << method << " " << a;
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
