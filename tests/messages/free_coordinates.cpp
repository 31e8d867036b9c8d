// Coordinates, or velocities, that are far larger than those of a constraint: a start is judged in its own
// units all the same.

#include <gtest/gtest.h>

#include <string>

#include "support/own_model.hpp"

namespace {

using taut::test::OwnModel;
using taut::test::Ran;
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

// The companion: a start off the constraint is refused beside a far coordinate too.
TEST(AFreeCoordinate, DoesNotExcuseAStart) {
  const OwnModel model(pendulum_and_more);
  for (const char* off : {"--set x=1.000001 --set far=1e12", "--set p_x=1e-6 --set fast=1e12"}) {
    const Ran ran = model.run(off);
    EXPECT_EQ(ran.status, 2) << off;
    EXPECT_TRUE(says(ran, "the start does not satisfy the constraints")) << ran.err;
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
