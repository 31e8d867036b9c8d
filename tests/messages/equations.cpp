// Constraints that are written as equations.

#include <gtest/gtest.h>

#include <string>

#include "support/own_model.hpp"

namespace {

using taut::test::OwnModel;
using taut::test::Ran;
using taut::test::run_json;
using taut::test::says;

std::string rod(const std::string& constraint) {
  return R"toml([parameters]
L = 1
[system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = [")toml" +
         constraint + R"toml("]
[initial]
x = "L"
[run]
step = 0.05
steps = 100
)toml";
}

TEST(AnEquation, IsTheDifferenceOfItsSides) {
  const OwnModel equation(rod("(x^2 + y^2)/2 = L^2/2 + 0*x")),
      difference(rod("(x^2 + y^2)/2 - (L^2/2 + 0*x)"));
  for (const char* method : {"rattle", "'lobatto(3)'"}) {
    const std::string run = std::string("m.toml --method ") + method;
    EXPECT_EQ(run_json(run, equation.folder.string())["q"], run_json(run, difference.folder.string())["q"]);
  }
}

TEST(AnEquation, IsShownAsItWasWritten) {
  const OwnModel model(rod("x^2 + y^2 = L^2"));
  const Ran off = model.run("--set x=1.1");
  EXPECT_EQ(off.status, 2);
  EXPECT_TRUE(says(off, "(x^2 + y^2 = L^2)")) << off.err;
}

TEST(AnEquation, HasItsErrorsAtTheirPlaces) {
  const auto refused = [](const std::string& constraint, const std::string& place, const std::string& words) {
    const Ran ran = OwnModel(rod(constraint)).run();
    EXPECT_EQ(ran.status, 2) << constraint;
    EXPECT_TRUE(says(ran, "m.toml:" + place + ": " + words)) << constraint << "\n" << ran.err;
  };
  refused("x^2 + y^2 = L^2 + z", "7:35", "unknown name `z` in constraint 1");
  refused("x^2 + w^2 = L^2", "7:23", "unknown name `w` in constraint 1");
  refused("x^2 + y^2 = L^2 = 1", "7:33", "unexpected character `=` in constraint 1");
  refused("x^2 + y^2 == L^2", "7:28", "unexpected character `=` in constraint 1");
  refused("x^2 + y^2 >= L^2", "7:27", "unexpected character `>` in constraint 1");
  refused("L = 1", "7:17", "constraint 1 does not depend on any coordinate");
}

}  // namespace
