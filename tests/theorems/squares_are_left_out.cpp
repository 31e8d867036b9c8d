// A square among redundant constraints has no gradient where it is zero: rattle solves the others, and judges
// what is left of the square by their units.
#include <gtest/gtest.h>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/formula_problem.hpp>

#include <string>

namespace taut {
namespace {

struct Ended {
  int steps = 0;
  double x = 0, y = 0;
};

Ended pendulum(const std::string& constraints) {
  const ReadModel read = read_model(
      "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"9.81*y\"\n"
      "constraints = [" +
          constraints +
          "]\n[initial]\nx = 1\n[run]\nstep = 0.01\nsteps = 1000\nredundant = "
          "\"least-squares\"\n",
      "m.toml", {});
  EXPECT_TRUE(read.model);
  const FormulaProblem<> problem(*read.model);
  auto x = problem.start();
  const auto stepper = bind(Rattle{}, problem, x);
  Ended out;
  while (out.steps < 1000 && stepper->step(x, 0.01)) ++out.steps;
  out.x = x.q[0];
  out.y = x.q[1];
  return out;
}

// x² + y² - 1 is 0 in some steps to the last bit. The gradient of its square is then 0, and so was the unit
// in which its residual, 1e-32, was measured.
TEST(SquaresAreLeftOut, AlsoIfTheirGradientIsZeroToTheLastBit) {
  const std::string circle = "\"(x^2 + y^2 - 1)/2\"", square = "\"(x^2 + y^2 - 1)^2\"";
  const Ended plain = pendulum(circle);
  ASSERT_EQ(plain.steps, 1000);
  for (const std::string& both :
       {circle + ", " + square, square + ", " + circle, circle + ", " + square + ", \"x^2 + y^2 = 1\""}) {
    const Ended run = pendulum(both);
    EXPECT_EQ(run.steps, 1000) << both;
    EXPECT_NEAR(run.x, plain.x, 1e-12) << both;
    EXPECT_NEAR(run.y, plain.y, 1e-12) << both;
  }
}

}  // namespace
}  // namespace taut
