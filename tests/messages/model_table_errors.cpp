// What is wrong with the tables of a model file, their keys, types and counts, and with settings, to the
// letter.

#include <gtest/gtest.h>

#include "support/refused_model.hpp"

namespace {

using taut::test::refused;

TEST(ModelErrors, UnknownKeysAndTables) {
  refused(R"toml(titel = "a"
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[intial]
x = 1
[run]
methd = "rattle"
[output]
folder = "out"
)toml",
          R"text(model.toml:1:1: unknown key `titel`
   1 | titel = "a"
     | ^^^^^  known here: title, parameters, definitions, system, initial, run, output, quantities, draw, methods, parametrisation, ensemble, sampling, forces, damping, events, bars. Did you mean `title`?
model.toml:7:2: unknown table `intial`
   7 | [intial]
     |  ^^^^^^  known here: title, parameters, definitions, system, initial, run, output, quantities, draw, methods, parametrisation, ensemble, sampling, forces, damping, events, bars. Did you mean `initial`?
model.toml:10:1: unknown key `methd` in [run]
  10 | methd = "rattle"
     | ^^^^^  known here: method, formulation, projection, step, steps, until, every, threads, redundant, first-guess, stop-rule, error-tolerance, precision, step-function, shortest-step, longest-step, interval, at, time-transform. Did you mean `method`?
model.toml:12:1: unknown key `folder` in [output]
  12 | folder = "out"
     | ^^^^^^  known here: directory, format, lambda, local-error, quantities.
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potentail = "y"
constraints = ["x^2 + y^2 - 1"]
)toml",
          R"text(model.toml:1:2: [system] has neither a hamiltonian nor a potential
   1 | [system]
     |  ^^^^^^  give hamiltonian = "...", or mass = [...] and potential = "...", or lagrangian = "..."
model.toml:4:1: unknown key `potentail` in [system]
   4 | potentail = "y"
     | ^^^^^^^^^  known here: coordinates, hamiltonian, lagrangian, kinetic, constraints, mass, potential, potential_fast, potential_slow, velocity-constraints. Did you mean `potential`?
)text");
}

TEST(ModelErrors, WrongTypes) {
  refused(R"toml(title = 3
run = 4
[parameters]
a = true
b = [1]
[system]
coordinates = "x"
mass = 1
potential = "0"
)toml",
          R"text(model.toml:1:9: title must be a text in quotes, not a number
   1 | title = 3
     |         ^
model.toml:2:1: `run` must be a table, [run], not a number
   2 | run = 4
     | ^^^
model.toml:4:5: the parameter `a` must be a number or a formula in quotes, not true or false
   4 | a = true
     |     ^^^^
model.toml:5:5: the parameter `b` must be a number or a formula in quotes, not a list
   5 | b = [1]
     |     ^^^
model.toml:7:15: coordinates must be a list of names, not a text
   7 | coordinates = "x"
     |               ^^^  as in coordinates = ["x", "y"]
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, "1.0"]
potential = 1979-05-27
constraints = "x - y"
[run]
method = 4
step = [0.1]
projection = "both"
[output]
directory = 3
)toml",
          R"text(model.toml:4:13: the potential must be a number or a formula in quotes, not a date or time
   4 | potential = 1979-05-27
     |             ^^^^^^^^^^
model.toml:5:15: constraints must be a list of formulas, not a text
   5 | constraints = "x - y"
     |               ^^^^^^^  as in constraints = ["x^2 + y^2 - 1"]
model.toml:7:10: the method must be a text in quotes, not a number
   7 | method = 4
     |          ^
model.toml:8:8: the step must be a number or a formula in quotes, not a list
   8 | step = [0.1]
     |        ^^^^^
model.toml:9:14: the projection must be a table, not a text
   9 | projection = "both"
     |              ^^^^^^  as in projection = { kind = "both", tolerance = 1e-6 }
model.toml:11:13: the directory must be a text in quotes, not a number
  11 | directory = 3
     |             ^
)text");
}

TEST(ModelErrors, RedundantConstraintsAreNamedBeforeTheyAreCounted) {
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2", "x^2 + y^2 - 1"]
[initial]
x = 1
)toml",
          R"text(model.toml:5:15: the gradients of constraint 1 and constraint 2 combine to zero at the start
   5 | constraints = ["(x^2 + y^2 - 1)/2", "x^2 + y^2 - 1"]
     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^  leave one of them out, or solve them all in the sense of least squares: redundant = "least-squares" in [run]
As they are, 2 constraints on 2 coordinates leave nothing that moves.
)text");
  // The third one follows from none; a velocity constraint that repeats the second one does.
  refused(
      R"toml([system]
coordinates = ["x", "y", "z"]
mass = 1
potential = "y"
constraints = ["x^2 + y^2 - 1", "z"]
velocity-constraints = ["2*v_z"]
[initial]
x = 1
)toml",
      R"text(model.toml:5:15: the gradients of constraint 2 and velocity constraint 1 combine to zero at the start
   5 | constraints = ["x^2 + y^2 - 1", "z"]
     |               ^^^^^^^^^^^^^^^^^^^^^^  leave one of them out, or solve them all in the sense of least squares: redundant = "least-squares" in [run]
As they are, 3 constraints on 3 coordinates leave nothing that moves.
)text");
  // Independent ones are too many, and so are three on a plane of which any two hold everything.
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["x", "y", "x + y"]
)toml",
          R"text(model.toml:5:15: 3 constraints on 2 coordinates leave nothing that moves
   5 | constraints = ["x", "y", "x + y"]
     |               ^^^^^^^^^^^^^^^^^^^  there must be fewer constraints than coordinates
)text");
}

TEST(ModelErrors, WrongCounts) {
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0]
potential = "0"
constraints = ["x - y", "x + y"]
)toml",
          R"text(model.toml:3:8: the mass has 1 entry for 2 coordinates
   3 | mass = [1.0]
     |        ^^^^^
model.toml:5:15: 2 constraints on 2 coordinates leave nothing that moves
   5 | constraints = ["x - y", "x + y"]
     |               ^^^^^^^^^^^^^^^^^^  there must be fewer constraints than coordinates
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [[1.0, 0.0]]
potential = "0"
)toml",
          R"text(model.toml:3:8: the mass has 1 row for 2 coordinates
   3 | mass = [[1.0, 0.0]]
     |        ^^^^^^^^^^^^
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [[1.0, 0.0], [0.0]]
potential = "0"
)toml",
          R"text(model.toml:3:21: row 2 of the mass must have 2 numbers
   3 | mass = [[1.0, 0.0], [0.0]]
     |                     ^^^^^
)text");
  refused(R"toml([system]
coordinates = []
mass = 1
potential = "0"
)toml",
          R"text(model.toml:2:15: coordinates must be a list of names, and there are none
   2 | coordinates = []
     |               ^^  as in coordinates = ["x", "y"]
)text");
}

TEST(ModelErrors, HalfASystem) {
  refused(R"toml([system]
coordinates = ["x", "y"]
)toml",
          R"text(model.toml:1:2: [system] has neither a hamiltonian nor a potential
   1 | [system]
     |  ^^^^^^  give hamiltonian = "...", or mass = [...] and potential = "...", or lagrangian = "..."
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
potential = "y"
)toml",
          R"text(model.toml:1:2: [system] has a potential but no mass
   1 | [system]
     |  ^^^^^^  as in mass = [1.0, 1.0]: one for each coordinate, or a full matrix
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
hamiltonian = "p_x^2"
mass = 1
potential = "y"
)toml",
          R"text(model.toml:4:1: `mass` beside a hamiltonian
   4 | mass = 1
     | ^^^^  give either hamiltonian, or mass and potential
model.toml:5:1: `potential` beside a hamiltonian
   5 | potential = "y"
     | ^^^^^^^^^  give either hamiltonian, or mass and potential
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential_fast = "y"
)toml",
          R"text(model.toml:4:1: `potential_fast` without `potential_slow`
   4 | potential_fast = "y"
     | ^^^^^^^^^^^^^^
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "x"
potential_fast = "y"
potential_slow = "x"
)toml",
          R"text(model.toml:4:1: `potential` beside `potential_fast` or `potential_slow`
   4 | potential = "x"
     | ^^^^^^^^^  the two parts make up the whole
)text");
  refused(R"toml(title = "nothing"
)toml",
          R"text(model.toml:1:1: the table [system] is missing
   1 | title = "nothing"
     | ^  it gives coordinates, a hamiltonian or a potential with its mass, and constraints
)text");
  refused(R"toml()toml",
          R"text(model.toml:1:1: the table [system] is missing
   1 | 
     | ^  it gives coordinates, a hamiltonian or a potential with its mass, and constraints
)text");
}

TEST(ModelErrors, WhatOnlyParticlesOffer) {
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1
[output]
quantities = ["energies", "pressure"]
)toml",
          R"text(model.toml:9:27: only systems of particles have the quantity `pressure`
   9 | quantities = ["energies", "pressure"]
     |                           ^^^^^^^^^^
)text");
}

TEST(ModelErrors, RunSettings) {
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[run]
step = 0
steps = 2.5
every = 0
)toml",
          R"text(model.toml:7:8: the step is 0, and time would stand still
   7 | step = 0
     |        ^  a negative step runs backwards
model.toml:8:9: the number of steps is 2.5
   8 | steps = 2.5
     |         ^^^  it must be a whole number, 0 or more
model.toml:9:9: the number of steps between samples is 0
   9 | every = 0
     |         ^  it must be a whole number, 1 or more
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[run]
step = 0.1
steps = 10
until = 1.0
)toml",
          R"text(model.toml:9:1: `steps` and `until` together
   9 | until = 1.0
     | ^^^^^  one of them says how long the run is; leave the other out
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[run]
step = -0.1
until = 1.0
)toml",
          R"text(model.toml:8:9: a step of -0.1 never reaches t = 1
   8 | until = 1.0
     |         ^^^  step and end time need the same sign
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[run]
step = 1e-9
until = 1e9
)toml",
          R"text(model.toml:8:9: a step of 1e-9 takes 1e18 steps to t = 1000000000
   8 | until = 1e9
     |         ^^^  at most 9e15
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[run]
formulation = "dirc"
projection = { kind = "all", tolerance = -1.0, each = 2 }
)toml",
          R"text(model.toml:7:15: unknown formulation `dirc`
   7 | formulation = "dirc"
     |               ^^^^^^  known here: underlying, dirac, dirac-simplified, dirac-weak, hamilton-dirac, state-space, parametrised, parametrised-velocity, linear, baumgarte, penalty, impetus-striction, index-2, ggl. Did you mean `dirac`?
model.toml:8:23: unknown projection `all`
   8 | projection = { kind = "all", tolerance = -1.0, each = 2 }
     |                       ^^^^^  known here: none, position, momentum, both.
model.toml:8:42: the tolerance is -1
   8 | projection = { kind = "all", tolerance = -1.0, each = 2 }
     |                                          ^^^^  it cannot be negative; 0 projects at every step
model.toml:8:48: unknown key `each` in the projection
   8 | projection = { kind = "all", tolerance = -1.0, each = 2 }
     |                                                ^^^^  known here: kind, tolerance, metric, along.
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[run]
projection = { tolerance = 0.0 }
)toml",
          R"text(model.toml:7:14: the projection has no kind
   7 | projection = { tolerance = 0.0 }
     |              ^^^^^^^^^^^^^^^^^^^  one of none, position, momentum, both
)text");
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[run]
steps = -3
)toml",
          R"text(model.toml:7:9: the number of steps is -3
   7 | steps = -3
     |         ^^  it must be a whole number, 0 or more
)text");
}

TEST(ModelErrors, NotTOML) {
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = [1.0,, 2.0]
)toml",
          R"text(model.toml:3:13: this is not TOML: in this array: expected value or closing ']', saw comma
   3 | mass = [1.0,, 2.0]
     |             ^
)text");
  refused(
      R"toml(a = 1
a = 2
)toml",
      R"text(model.toml:2:5: this is not TOML: in this key-value pair: cannot redefine existing integer 'a'
   2 | a = 2
     |     ^
)text");
  refused(R"toml(x = "abc
)toml",
          R"text(model.toml:1:9: the quotes are not closed on this line
   1 | x = "abc
     |         ^
)text");
  refused(
      R"toml(x = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
)toml",
      R"text(model.toml:1:261: this is not TOML: in this value: exceeded maximum nested value depth of 256
   1 | …[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
     |                                      ^
)text");
}

TEST(ModelErrors, Settings) {
  refused(R"toml([parameters]
L = 1.0
gravity = 9.81
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
)toml",
          R"text(--set: this is not of the form NAME=VALUE
     | nonsense
     | ^^^^^^^^
--set: this is not of the form NAME=VALUE
     | =2
     | ^^
--set: the model has nothing called `gravty` to set
     | gravty=1
     | ^^^^^^  known: L, gravity, x, p_x, v_x, y, p_y, v_y. Did you mean `gravity`? Other keys are written with their table, as in run.step
--set: the model has nothing called `p_z` to set
     | p_z=2
     | ^^^  known: L, gravity, x, p_x, v_x, y, p_y, v_y. Did you mean `p_x`? Other keys are written with their table, as in run.step
--set: unknown table `a`
     | a.b.c.d=1
     | ^^^^^^^  known here: title, parameters, definitions, system, initial, run, output, quantities, draw, methods, parametrisation, ensemble, sampling, forces, damping, events, bars.
--set: unknown table `foo`
     | foo.bar=2
     | ^^^^^^^  known here: title, parameters, definitions, system, initial, run, output, quantities, draw, methods, parametrisation, ensemble, sampling, forces, damping, events, bars.
--set: the parameter `L` is infinite
     | L=1/0
     |   ^^^
--set: the mass has 3 entries for 2 coordinates
     | system.mass=[1, 2, 3]
     |             ^^^^^^^^^
--set: unknown key `stp` in [run]
     | run.stp=0.1
     | ^^^^^^^  known here: method, formulation, projection, step, steps, until, every, threads, redundant, first-guess, stop-rule, error-tolerance, precision, step-function, shortest-step, longest-step, interval, at, time-transform. Did you mean `step`?
--set: the step is 0, and time would stand still
     | run.step=0
     |          ^  a negative step runs backwards
)text",
          {"gravty=1", "nonsense", "=2", "run.stp=0.1", "run.step=0", "L=1/0", "p_z=2", "a.b.c.d=1",
           "system.mass=[1, 2, 3]", "foo.bar=2"});
}

TEST(ModelErrors, AllErrorsOfAFileComeInItsOrder) {
  refused(R"toml([run]
step = 0
[parameters]
L = "1 +"
[system]
coordinates = ["x", "y"]
mass = [1.0, -1.0]
potential = "foo"
constraints = ["L - x"]
[initial]
y = "bar"
)toml",
          R"text(model.toml:2:8: the step is 0, and time would stand still
   2 | step = 0
     |        ^  a negative step runs backwards
model.toml:4:8: the parameter `L` ends after `+`
   4 | L = "1 +"
     |        ^  a number, a name or `(` must follow
model.toml:7:14: mass 2 is -1
   7 | mass = [1.0, -1.0]
     |              ^^^^  a mass must be positive
model.toml:8:14: unknown name `foo` in the potential
   8 | potential = "foo"
     |              ^^^  known here: x, y, L.
model.toml:11:6: unknown name `bar` in the initial value of `y`
  11 | y = "bar"
     |      ^^^  known here: L.
--set: the number of steps between samples is 0
     | run.every=0
     |           ^  it must be a whole number, 1 or more
)text",
          {"run.every=0"});
}

TEST(ModelErrors, PlacesInTextsOfManyLinesAndWithEscapes) {
  refused(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = """
  x^2
  + foo*y"""
constraints = ["x\t- bar", 'y - baz - é']
)toml",
          R"text(model.toml:6:5: unknown name `foo` in the potential
   6 |   + foo*y"""
     |     ^^^  known here: x, y.
model.toml:7:15: 2 constraints on 2 coordinates leave nothing that moves
   7 | constraints = ["x\t- bar", 'y - baz - é']
     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^  there must be fewer constraints than coordinates
model.toml:7:16: unknown name `bar` in constraint 1
   7 | constraints = ["x\t- bar", 'y - baz - é']
     |                ^^^^^^^^^^  known here: x, y.
model.toml:7:33: unknown name `baz` in constraint 2
   7 | constraints = ["x\t- bar", 'y - baz - é']
     |                                 ^^^  known here: x, y.
model.toml:7:39: unexpected character `é` in constraint 2
   7 | constraints = ["x\t- bar", 'y - baz - é']
     |                                       ^  formulas are made of numbers, names, + - * / ^ and parentheses
)text");
}

TEST(ModelErrors, WhatOnlyTheMethodsKnowCanPointAtTheFileToo) {
  const auto read = taut::read_model(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["x - y"]
[run]
method = "ratle"
)toml",
                                     "model.toml");
  ASSERT_TRUE(read.model);
  EXPECT_EQ(read.model->error_at("run.method", "unknown method `ratle`", "did you mean `rattle`?").text(),
            R"text(model.toml:7:10: unknown method `ratle`
   7 | method = "ratle"
     |          ^^^^^^^  did you mean `rattle`?
)text");
  EXPECT_EQ(read.model->error_at("system.constraints.0", "constraint 1 is not satisfied").text(),
            R"text(model.toml:5:16: constraint 1 is not satisfied
   5 | constraints = ["x - y"]
     |                ^^^^^^^
)text");
  EXPECT_EQ(read.model->error_at("run.step", "there is no step").text(),
            R"text(model.toml:6:2: there is no step
   6 | [run]
     |  ^^^
)text");
}

}  // namespace
