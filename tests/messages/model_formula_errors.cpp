// What is wrong with the formulas of a model file and with their values, to the letter: file:line:column and
// a sentence, the line, a caret, what is known there.

#include <gtest/gtest.h>

#include "support/refused_model.hpp"

namespace {

using taut::test::refused;

TEST(ModelErrors, AnUnknownNameInAFormula) {
  refused(R"toml([parameters]
L = 1.0
gravity = 9.81
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "gravty*y"
constraints = ["(x^2 + y^2 - L0^2)/2"]
)toml",
          R"text(model.toml:7:14: unknown name `gravty` in the potential
   7 | potential = "gravty*y"
     |              ^^^^^^  known here: x, y, L, gravity. Did you mean `gravity`?
model.toml:8:30: unknown name `L0` in constraint 1
   8 | constraints = ["(x^2 + y^2 - L0^2)/2"]
     |                              ^^  known here: x, y, L, gravity. Did you mean `L`?
)text");
}

TEST(ModelErrors, AFormulaThatIsNotOne) {
  refused(R"toml([parameters]
L = 1.0
gravity = 9.81
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + 2y"
constraints = ["x^2 + (y^2 - L"]
)toml",
          R"text(model.toml:6:36: `2y` in the hamiltonian is neither a number nor a name
   6 | hamiltonian = "(p_x^2 + p_y^2)/2 + 2y"
     |                                    ^^  a product is written `2*y`
model.toml:7:23: this `(` in constraint 1 is never closed
   7 | constraints = ["x^2 + (y^2 - L"]
     |                       ^
)text");
}

TEST(ModelErrors, NamesThatCannotBe) {
  refused(R"toml([parameters]
sin = 1.0
pi = 3
"a b" = 2
x = 1
p_y = 2
"été" = 1
[system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
)toml",
          R"text(model.toml:2:1: `sin` cannot be the name of a parameter
   2 | sin = 1.0
     | ^^^  it is a function
model.toml:3:1: `pi` cannot be the name of a parameter
   3 | pi = 3
     | ^^  it is the number 3.14159…
model.toml:4:1: `a b` cannot be the name of a parameter
   4 | "a b" = 2
     | ^^^^^  names are letters, Greek ones too, digits and _, not starting with a digit
model.toml:5:1: the parameter `x` has the name of a coordinate
   5 | x = 1
     | ^
model.toml:6:1: the parameter `p_y` has the name of a momentum
   6 | p_y = 2
     | ^^^
model.toml:7:1: `été` cannot be the name of a parameter
   7 | "été" = 1
     | ^^^^^  names are letters, Greek ones too, digits and _, not starting with a digit
)text");
  refused(R"toml([system]
coordinates = ["x", "x", "p_x", "2nd"]
mass = 1
potential = "0"
)toml",
          R"text(model.toml:2:22: the coordinate `x` is listed twice
   2 | coordinates = ["x", "x", "p_x", "2nd"]
     |                      ^
model.toml:2:27: the coordinate `p_x` has the name of a momentum
   2 | coordinates = ["x", "x", "p_x", "2nd"]
     |                           ^^^  the momentum of `x` is called `p_x`
model.toml:2:34: `2nd` cannot be the name of a coordinate
   2 | coordinates = ["x", "x", "p_x", "2nd"]
     |                                  ^^^  names are letters, Greek ones too, digits and _, not starting with a digit
)text");
  refused(R"toml([system]
coordinates = ["p_x", "x"]
mass = 1
potential = "0"
)toml",
          R"text(model.toml:2:24: the momentum of `x` would be called `p_x`, and that is a coordinate
   2 | coordinates = ["p_x", "x"]
     |                        ^
)text");
}

TEST(ModelErrors, AMassThatIsNotPositive) {
  refused(R"toml([parameters]
m = -2.0
[system]
coordinates = ["x", "y"]
mass = ["m", 0]
potential = "0"
)toml",
          R"text(model.toml:5:9: mass 1 is -2
   5 | mass = ["m", 0]
     |         ^^^  a mass must be positive
model.toml:5:14: mass 2 is 0
   5 | mass = ["m", 0]
     |              ^  a mass must be positive
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [[1.0, 2.0], [2.0, 1.0]]
potential = "0"
)toml",
          R"text(model.toml:3:8: the mass matrix is not positive definite
   3 | mass = [[1.0, 2.0], [2.0, 1.0]]
     |        ^^^^^^^^^^^^^^^^^^^^^^^^  the kinetic energy must be positive for every velocity
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [[1.0, 0.5], [0.4, 1.0]]
potential = "0"
)toml",
          R"text(model.toml:3:8: the mass matrix is not symmetric
   3 | mass = [[1.0, 0.5], [0.4, 1.0]]
     |        ^^^^^^^^^^^^^^^^^^^^^^^^  entry 1,2 differs from entry 2,1
)text");
}

TEST(ModelErrors, FormulasThatUseWhatTheyMayNot) {
  refused(R"toml([parameters]
L = 1.0
gravity = 9.81
[system]
coordinates = ["x", "y"]
mass = [1.0, "p_x"]
potential = "y + p_y"
constraints = ["p_x", "3 - L"]
[initial]
x = "y"
)toml",
          R"text(model.toml:6:15: mass 2 uses the momentum `p_x`
   6 | mass = [1.0, "p_x"]
     |               ^^^  here only parameters are allowed
model.toml:7:18: the potential uses the momentum `p_y`
   7 | potential = "y + p_y"
     |                  ^^^  here coordinates and parameters are allowed
model.toml:8:15: 2 constraints on 2 coordinates leave nothing that moves
   8 | constraints = ["p_x", "3 - L"]
     |               ^^^^^^^^^^^^^^^^  there must be fewer constraints than coordinates
model.toml:8:17: constraint 1 uses the momentum `p_x`
   8 | constraints = ["p_x", "3 - L"]
     |                 ^^^  here coordinates and parameters are allowed
model.toml:8:24: constraint 2 does not depend on any coordinate
   8 | constraints = ["p_x", "3 - L"]
     |                        ^^^^^
model.toml:10:6: the initial value of `x` uses the coordinate `y`
  10 | x = "y"
     |      ^  here only parameters are allowed
)text");
  refused(R"toml([parameters]
a = "b"
b = 1.0
c = "c"
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
)toml",
          R"text(model.toml:2:6: the parameter `a` uses `b`, which comes later
   2 | a = "b"
     |      ^  parameters are evaluated in the order of the file
model.toml:4:6: unknown name `c` in the parameter `c`
   4 | c = "c"
     |      ^  known here: a, b.
)text");
}

TEST(ModelErrors, ConstraintsThatSayTheSame) {
  refused(R"toml([system]
coordinates = ["x", "y", "z", "w"]
mass = 1
potential = "0"
constraints = ["x - y", "z", "y - x"]
)toml",
          R"text(model.toml:5:31: constraint 3 says the same as constraint 1
   5 | constraints = ["x - y", "z", "y - x"]
     |                               ^^^^^  each constraint must take away one degree of freedom
)text");
}

TEST(ModelErrors, ValuesThatAreNotFinite) {
  refused(R"toml([parameters]
a = "1/0"
b = "a + 1"
c = inf
d = "2 + log(-1)"
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
)toml",
          R"text(model.toml:2:6: the parameter `a` is infinite
   2 | a = "1/0"
     |      ^^^
model.toml:4:5: the parameter `c` is infinite
   4 | c = inf
     |     ^^^
model.toml:5:10: `log(-1)` in the parameter `d` is not a number
   5 | d = "2 + log(-1)"
     |          ^^^^^^^
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "1/x + log(y)"
constraints = ["sqrt(x - 1) - y"]
)toml",
          R"text(model.toml:4:14: `1/x` in the potential is infinite at the start
   4 | potential = "1/x + log(y)"
     |              ^^^
model.toml:5:17: `sqrt(x - 1)` in constraint 1 is not a number at the start
   5 | constraints = ["sqrt(x - 1) - y"]
     |                 ^^^^^^^^^^^
)text");
  refused(
      R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "sqrt(x)"
)toml",
      R"text(model.toml:4:14: the derivative of the potential with respect to `x` is not finite at the start
   4 | potential = "sqrt(x)"
     |              ^^^^^^^
)text");
  refused(
      R"toml([system]
coordinates = ["x", "y"]
hamiltonian = "p_x^2/2 + y"
[initial]
x = 1.0
)toml",
      R"text(model.toml:3:16: H_pp, the second derivative of the hamiltonian by the momenta, is singular at the start
   3 | hamiltonian = "p_x^2/2 + y"
     |                ^^^^^^^^^^^  velocities must determine momenta
)text");
}

// A part without a value is named even if the numbers forget it.
TEST(ModelErrors, PartsWithoutAValue) {
  refused(R"toml([parameters]
a = "1/(1/0)"
b = "sqrt(-2)^0"
[system]
coordinates = ["x", "y"]
mass = 1
potential = "sqrt(x)^0 + log(x)^0 + y"
constraints = ["y/(0^(-3)) - x - 1"]
[initial]
x = -1.0
)toml",
          R"text(model.toml:2:9: `1/0` in the parameter `a` is infinite
   2 | a = "1/(1/0)"
     |         ^^^
model.toml:3:6: `sqrt(-2)` in the parameter `b` is not a number
   3 | b = "sqrt(-2)^0"
     |      ^^^^^^^^
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "sqrt(x)^0 + log(x)^0 + y"
constraints = ["y/(0^(-3)) - x - 1"]
[initial]
x = -1.0
)toml",
          R"text(model.toml:4:14: `sqrt(x)` in the potential is not a number at the start
   4 | potential = "sqrt(x)^0 + log(x)^0 + y"
     |              ^^^^^^^
model.toml:5:20: `0^(-3)` in constraint 1 is infinite at the start
   5 | constraints = ["y/(0^(-3)) - x - 1"]
     |                    ^^^^^^
)text");
}

TEST(ModelErrors, AGradientWhoseSquareIsBeyondTheNumbers) {
  refused(
      R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["1e160*(x^2 + y^2 - 1)/2"]
[initial]
x = 1.0
)toml",
      R"text(model.toml:5:17: the gradient of constraint 1 is 1e160 at the start, and its square is too large for a number
   5 | constraints = ["1e160*(x^2 + y^2 - 1)/2"]
     |                 ^^^^^^^^^^^^^^^^^^^^^^^  a constraint may be multiplied by a constant: that changes lambda and nothing else
)text");
  refused(
      R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2e160"]
[initial]
x = 1.0
)toml",
      R"text(model.toml:5:17: the gradient of constraint 1 is 1e-160 at the start, and its square is too small for a number
   5 | constraints = ["(x^2 + y^2 - 1)/2e160"]
     |                 ^^^^^^^^^^^^^^^^^^^^^  a constraint may be multiplied by a constant: that changes lambda and nothing else
)text");
}

TEST(ModelErrors, InitialValuesOfNothing) {
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[initial]
z = 1.0
p = 2.0
)toml",
          R"text(model.toml:7:1: [initial] gives a value to `z`, which is neither a coordinate nor a momentum
   7 | z = 1.0
     | ^  known here: x, y, p_x, p_y, v_x, v_y.
model.toml:8:1: [initial] gives a value to `p`, which is neither a coordinate nor a momentum
   8 | p = 2.0
     | ^  known here: x, y, p_x, p_y, v_x, v_y.
)text");
}

}  // namespace
