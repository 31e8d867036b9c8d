// What a user reads when the input is wrong: to the letter, on standard error, with exit status 2 and nothing on standard output.

#include <gtest/gtest.h>

#include "support/run_program.hpp"

namespace {

using taut::test::run_taut;

void refused(const std::string& arguments, const std::string& message) {
  const auto ran = run_taut(arguments);
  EXPECT_EQ(ran.status, 2) << arguments;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_EQ(ran.err, "taut: " + message + "\n") << arguments;
}

TEST(Refusals, AnUnknownProblem) {
  refused(
      "run pendulm",
      "there is no problem `pendulm`. Did you mean `pendulum`?\n"
      "  The problems are: pendulum, spherical-pendulum, double-pendulum, n-link-pendulum, six-node-chain, "
      "lennard-jones-chain, charged-particle, rigid-body, heavy-top, four-bar, stiff-pendulum.");
}

TEST(Refusals, AModelFileThatCannotBeRead) {
  refused("run no-such.toml", "cannot read no-such.toml: No such file or directory.");
  refused("run /tmp", "/tmp is a folder, not a model file.");
}

TEST(Refusals, AFormulationOrProjectionThatIsNone) {
  refused("run pendulum --method rk4 --formulation dirc",
          "there is no formulation `dirc`. Did you mean `dirac`?\n"
          "  The formulations are: underlying, dirac, dirac-simplified, dirac-weak, hamilton-dirac, "
          "state-space, linear.");
  refused("run pendulum --method rk4 --projection q",
          "there is no projection `q`.\n  The projections are: none, position, momentum, both.");
  refused("run pendulum --method rk4 --projection-tolerance 1e-6",
          "without a projection its tolerance has no meaning: choose position, momentum or both.");
  refused("run pendulum --method rk4 --projection both --projection-tolerance -1",
          "the tolerance of a projection must be 0 (every step) or a positive number, not -1.");
}

TEST(Refusals, AFormulationWhereNoneBelongs) {
  refused("run pendulum --formulation dirac",
          "rattle takes no formulation: it solves the constrained equations themselves. Leave it out, or use "
          "one of euler, rk2, rk4, dopri5, dop853, implicit-midpoint, gauss(s).");
  refused("run pendulum --projection both",
          "rattle takes no projection: what it keeps, it keeps by itself. Leave it out, or use one of euler, "
          "rk2, rk4, dopri5, dop853, implicit-midpoint, gauss(s).");
}

TEST(Refusals, AFormulationThatDoesNotFit) {
  refused("run charged-particle --method rk4 --formulation linear",
          "the formulation 'linear' needs a natural system, H = p'Wp/2 + V(q). Use dirac-weak.");
  refused("run pendulum --method rk4 --formulation linear",
          "the formulation 'linear' needs constraints that are linear in q; here G(q) changes with q. Use "
          "dirac or dirac-weak.");
  refused("run pendulum --method 'gauss(99)'",
          "gauss(s) needs a whole number s of stages from 1 to 16, not '99'.");
}

TEST(Refusals, AnUnknownMethodNamesTheNearestAndAll) {
  const auto ran = run_taut("run pendulum --method ratle");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.err.starts_with(
      "taut: there is no method 'ratle'. Did you mean `rattle`?\n  The methods are: shake, shake(two-step), "
      "shake-velocity, rattle, "))
      << ran.err;
}

TEST(Refusals, AMethodWithAnArgumentItDoesNotTake) {
  refused("run pendulum --method 'rattle(3)'", "rattle takes no argument '3'.");
  refused("run pendulum --method 'yoshida4(shake)'",
          "a composition needs a symmetric base of order 2: rattle, verlet, midpoint, mixed-midpoint or "
          "impulse, not 'shake'.");
  const auto ran = run_taut("run stiff-pendulum --method 'impulse(0)'");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.err.starts_with("taut: impulse(k) needs a whole number k of substeps")) << ran.err;
}

TEST(Refusals, AMethodThatDoesNotFitNamesOneThatDoes) {
  refused("run charged-particle --method rattle",
          "rattle needs a natural system, H = p'Wp/2 + V(q); charged-particle is not of that kind. Use "
          "lobatto(2) or midpoint. "
          "For higher order: lobatto(3), or a composition such as yoshida4(midpoint).\n  `taut methods` "
          "lists what each method needs.");
  refused("run pendulum --method impulse",
          "impulse needs a potential in two parts, V = V_slow + V_fast; pendulum is not of that kind. Use "
          "rattle.\n"
          "  `taut methods` lists what each method needs.");
}

TEST(Refusals, AStepThatIsNone) {
  refused("run pendulum --step 0",
          "the step is 0: time would stand still. Give a positive step, or a negative one to run backwards.");
  refused("run pendulum --step nan", "the step must be a finite number, not nan.");
  refused("run pendulum --step inf", "the step must be a finite number, not inf.");
  refused("run pendulum --step abc", "--step needs a number, not `abc`.");
  refused("run pendulum --step 1e-999", "--step is 1e-999, which is too large or too small for a double.");
}

TEST(Refusals, ALengthThatIsNone) {
  refused("run pendulum --steps -3",
          "the number of steps is -3; it cannot be negative. To run backwards, give a negative step.");
  refused("run pendulum --steps 2.5", "--steps needs a whole number, not `2.5`.");
  refused("run pendulum --steps 3 --until 4",
          "steps and until are both given; one of them decides how long the run is. Leave the other out.");
  refused("run pendulum --until -3",
          "a step of 0.01 never reaches t = -3: step and end time need the same sign.");
  refused(
      "run pendulum --until 1e30",
      "to reach t = 1e+30 with a step of 0.01 takes 1.0e+32 steps; 9e+15 is the most that can be counted.");
  refused("run pendulum --every 0", "--every 0: samples are taken every 1, 2, 3, … steps.");
}

TEST(Refusals, AToleranceOrSolverThatIsNone) {
  refused("run pendulum --tolerance -1",
          "the tolerance must be 0 (until rounding stops the iteration) or a positive number, not -1.");
  refused("run pendulum --solver newtn",
          "there is no solver `newtn`. Did you mean `newton`? The solvers are: newton, symmetric, sweep.");
}

TEST(Refusals, PlainUpdatesWhereTheyAreNotOffered) {
  refused("run pendulum --plain-updates --method verlet",
          "--plain-updates works with shake, rattle, midpoint and compositions of rattle, not with verlet.");
}

TEST(Refusals, AnUnknownNameToSet) {
  refused("run pendulum --set gravty=3",
          "pendulum has nothing called `gravty` to set. Did you mean `gravity`?\n"
          "  Known are: length, gravity, mass, and of the start q1 to q2 and p1 to p2.");
  refused("run pendulum --set q3=1",
          "pendulum has nothing called `q3` to set.\n"
          "  Known are: length, gravity, mass, and of the start q1 to q2 and p1 to p2.");
  refused("run pendulum --set gravity", "--set needs NAME=VALUE, as in --set gravity=9.81, not `gravity`.");
  refused("run pendulum --set length=-1", "length must be positive, not -1.");
  refused("run n-link-pendulum --set links=2.5", "links must be a whole number from 1 to 1000000, not 2.5.");
}

TEST(Refusals, AStartOffTheManifold) {
  refused("run pendulum --set q1=0.9",
          "pendulum: the start does not satisfy the constraints.\n"
          "  max |g(q)| = 9.5e-02, largest in: the rod.\n"
          "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.");
  refused("run double-pendulum --set p3=1",
          "double-pendulum: the start does not satisfy the constraints.\n"
          "  max |G H_p| = 5.0e-01, largest in: rod 1-2.\n"
          "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.");
}

TEST(Refusals, AStartThatIsNotFinite) {
  refused("run pendulum --set q1=nan", "q1 must be a finite number, not nan.");
  refused("run four-bar --set base=30",  // the bars do not reach each other
          "four-bar: the start is not finite: q, p, the energy or a residual is infinite or NaN.");
}

TEST(Refusals, DependentConstraintsByName) {
  // A parallelogram laid flat: crank, coupler and rocker in one line.
  refused(
      "run four-bar --set base=2 --set coupler=2 --set rocker=1 --set q1=1 --set q2=0 --set q3=3 --set q4=0 "
      "--set p1=0 "
      "--set p2=0 --set p3=0 --set p4=0",
      "four-bar: constraints depend on each other at the start.\n"
      "  The gradients of the crank, the coupler and the rocker combine to zero: their forces are not "
      "determined.");
}

TEST(Refusals, AnUnknownCommandOrOption) {
  refused("rum pendulum",
          "there is no command `rum`. Did you mean `run`?\n  The commands are: run, methods, problems.");
  refused("run pendulum --stepp 3",
          "there is no option `--stepp`. Did you mean `--step`?\n  The options are: --help, --method, "
          "--formulation, --projection, --projection-tolerance, --step, --steps, --until, "
          "--every, --set, --out, --json, --project-start, --tolerance, --solver, --plain-updates.");
  refused("run", "PROBLEM is required.\n  `taut --help` and `taut run --help` show what can be asked.");
}

}  // namespace
