// The balance of energy and work over 100 000 swings of a pendulum that is damped a little: the quadrature of
// the work has the order of the method, and its error does not grow with the swings.

#include <gtest/gtest.h>

#include <string>

#include "support/own_model.hpp"

namespace {

using namespace taut;

TEST(DampedForLong, EnergyMinusWorkStays) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[damping]
x = 1e-6
y = 1e-6
[initial]
x = 1.0
[run]
method = "lobatto(4)"
step = 0.06
until = 741630.0
)toml");  // 100 000 periods of 7.4163 from the horizontal
  const auto run = test::run_json("m.toml", model.folder.string());
  EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-10);
  EXPECT_LT(run["work"].get<double>(), -0.4);  // the motion has changed: there was something to keep
  const auto coarse = test::run_json("m.toml --step 0.12 --until 100", model.folder.string());
  EXPECT_GT(coarse["energy"]["max_error"].get<double>(), 1e-10);
}

}  // namespace
