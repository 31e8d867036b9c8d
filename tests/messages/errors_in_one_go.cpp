// A model file with mistakes in its formulas and in its [run]: one answer tells them all.

#include <gtest/gtest.h>

#include <fstream>

#include "support/run_program.hpp"

namespace {

using taut::test::OwnFolder;
using taut::test::run_taut;

constexpr const char* wrong_formula = R"toml([parameters]
gravity = 1.0
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "gravty*y"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
[run]
)toml";

void refused(const std::string& run, const std::string& arguments, const std::string& message) {
  const OwnFolder folder;
  std::ofstream(folder / "m.toml") << wrong_formula << run;
  for (const char* command : {"run", "check"}) {
    const auto ran = run_taut(std::string(command) + " ./m.toml " + arguments, folder.string());
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err.substr(0, message.size()), message) << ran.err;
  }
}

const std::string potential = R"text(./m.toml:6:14: unknown name `gravty` in the potential
   6 | potential = "gravty*y"
     |              ^^^^^^  known here: x, y, gravity. Did you mean `gravity`?
)text";

TEST(ErrorsInOneGo, AWrongFormulaAndAnUnknownMethod) {
  refused("method = \"ratle\"\n", "",
          potential + R"text(./m.toml:11:10: there is no method 'ratle'. Did you mean `rattle`?
  11 | method = "ratle"
     |          ^^^^^^^
  `taut methods` lists all of them.)text");
}

TEST(ErrorsInOneGo, AMethodThatTakesNoFormulation) {
  refused("method = \"rattle\"\nformulation = \"dirac\"\n", "",
          potential +
              "./m.toml:12:15: rattle takes no formulation: it solves the constrained equations themselves.");
}

TEST(ErrorsInOneGo, NoErrorIsToldTwice) {
  const std::string both = potential + R"text(./m.toml:12:15: unknown formulation `dirc`
  12 | formulation = "dirc"
     |               ^^^^^^  known here: underlying, dirac, dirac-simplified, dirac-weak, hamilton-dirac, state-space, parametrised, parametrised-velocity, linear, baumgarte, penalty, impetus-striction, index-2, ggl. Did you mean `dirac`?
)text";
  refused("method = \"rk4\"\nformulation = \"dirc\"\n", "", both);
  const OwnFolder folder;
  std::ofstream(folder / "m.toml") << wrong_formula << "method = \"rk4\"\nformulation = \"dirc\"\n";
  EXPECT_EQ(run_taut("run ./m.toml", folder.string()).err, both);
}

TEST(ErrorsInOneGo, AMethodThatWasTyped) {
  refused("method = \"rattle\"\n", "--method ratle",
          potential + R"text(--method: there is no method 'ratle'. Did you mean `rattle`?
     | run.method=ratle
     |            ^^^^^
  `taut methods` lists all of them.)text");
}

}  // namespace
