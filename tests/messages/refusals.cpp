// What a user reads when the input is wrong: to the letter, on standard error, with exit status 2 and nothing
// on standard output.

#include <gtest/gtest.h>

#include <fstream>

#include "support/run_program.hpp"

namespace {

using taut::test::OwnFolder;
using taut::test::run_taut;

void refused(const std::string& arguments, const std::string& message) {
  const auto ran = run_taut(arguments);
  EXPECT_EQ(ran.status, 2) << arguments;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_EQ(ran.err, "taut: " + message + "\n") << arguments;
}

// Expects that an error in a model, or in an option that replaces something in it, is shown at its place.
void refused_at(const std::string& arguments, const std::string& text) {
  const auto ran = run_taut(arguments);
  EXPECT_EQ(ran.status, 2) << arguments;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_EQ(ran.err, text + "\n") << arguments;
}

TEST(Refusals, AnUnknownProblem) {
  const auto ran = run_taut("run pendulm");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(
      ran.err.starts_with("taut: there is no problem `pendulm`. Did you mean `pendulum`?\n  The problems "
                          "are: bead-on-wire, bead-past-attractor, "))
      << ran.err;
  EXPECT_NE(ran.err.find(", c60, car-axis, charged-particle, "), std::string::npos) << ran.err;
  EXPECT_TRUE(ran.err.ends_with(".\n  A model file has a name that ends in .toml.\n")) << ran.err;
}

TEST(Refusals, ALaboratoryThatIsNotInstalled) {
  const auto ran = run_taut("lab");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("taut: this installation has no laboratory: ")) << ran.err;
  EXPECT_TRUE(ran.err.ends_with(
      "share/taut/lab.html is not there. In a copy of taut's sources, ./taut lab builds it.\n"))
      << ran.err;
}

TEST(Refusals, AToleranceForAMethodThatSolvesNothing) {
  for (const char* method : {"euler", "rk2", "rk4", "dopri5", "dop853"})
    refused(
        "run pendulum --tolerance 1e-3 --method " + std::string(method),
        std::string(method) +
            " is explicit: its steps solve no equations that --tolerance 0.001 could stop. Leave it out, or "
            "project onto the constraints after each step: --projection both.");
  EXPECT_EQ(run_taut("run pendulum --tolerance 1e-3 --method rk4 --projection both --steps 10").status, 0);
  EXPECT_EQ(run_taut("compare pendulum --tolerance 1e-9 --methods rattle,rk4 --steps 10").status, 0);
}

// Every method that solves takes fewer iterations to a tolerance than to rounding.
TEST(Refusals, NoMethodIgnoresATolerance) {
  const std::string names = run_taut("methods").out;
  std::size_t at = names.find('\n') + 1;
  int looked_at = 0;
  for (; names[at] != '\n'; at = names.find('\n', at) + 1) {
    const std::string method = names.substr(at, names.find(' ', at) - at);
    const auto mean = [&](const std::string& options) {
      const auto ran = run_taut("run stiff-pendulum --step 0.02 --steps 20 --on-jump warn --method '" +
                                method + "' " + options);
      if (ran.status == 2) return -1.0;
      EXPECT_EQ(ran.status, 0) << method << options << ran.err;
      return std::stod(ran.out.substr(ran.out.find("  solve     ") + 12));
    };
    const double loose = mean("--tolerance 1e-6");
    if (loose < 0) continue;                            // it solves nothing, and says so
    if (method.starts_with("half-explicit")) continue;  // one correction solves its linear equations
    EXPECT_LT(loose, mean("")) << method;
    ++looked_at;
  }
  EXPECT_GE(looked_at, 50);
}

TEST(Refusals, AModelFileThatCannotBeRead) {
  refused("run no-such.toml", "cannot read no-such.toml: No such file or directory.");
  refused("run /tmp", "/tmp is a folder, not a model file.");
}

TEST(Refusals, AFormulationOrProjectionThatIsNone) {
  refused_at(
      "run pendulum --method rk4 --formulation dirc",
      "--formulation: unknown formulation `dirc`\n     | run.formulation=dirc\n     |                 ^^^^  "
      "known here: underlying, dirac, dirac-simplified, dirac-weak, hamilton-dirac, state-space, "
      "parametrised, parametrised-velocity, linear, baumgarte, penalty, impetus-striction, index-2, ggl. "
      "Did you mean `dirac`?");
  refused_at("run pendulum --method rk4 --projection q",
             "--projection: unknown projection `q`\n     | run.projection.kind=q\n     |                     "
             "^  known "
             "here: none, position, momentum, both.");
  refused_at(
      "run pendulum --method rk4 --projection-tolerance 1e-6",
      "--projection-tolerance: the projection has no kind\n     | run.projection.tolerance=1e-06\n     | "
      "^^^^^^^^^^^^^^^^^^^^^^^^  one of none, position, momentum, both");
  refused_at("run pendulum --method rk4 --projection both --projection-tolerance -1",
             "--projection-tolerance: the tolerance is -1\n     | run.projection.tolerance=-1\n     |        "
             "           "
             "       ^^  it cannot be negative; 0 projects at every step");
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

TEST(Refusals, AnUnknownMethodNamesTheNearestOrAll) {
  for (const char* typed : {"ratle", "RATTLE", "Rattle"})
    refused(std::string("run pendulum --method ") + typed,
            std::string("there is no method '") + typed +
                "'. Did you mean `rattle`?\n  `taut methods` lists all of them.");
  const auto ran = run_taut("run pendulum --method leapfrog");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.err.starts_with("taut: there is no method 'leapfrog'.\n  The methods are: shake, "))
      << ran.err;
}

TEST(Refusals, AMisspeltMethodIsSuggestedWithTheArgumentThatWasTyped) {
  const auto suggested = [](const std::string& typed, const std::string& meant) {
    const auto ran = run_taut("run pendulum --method '" + typed + "'");
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(ran.err.starts_with("taut: there is no method '" + typed + "'. Did you mean `" + meant +
                                    "`?\n  `taut methods` lists all of them."))
        << ran.err;
  };
  suggested("lobato(3)", "lobatto(3)");
  suggested("lobattto(7)", "lobatto(7)");
  suggested("yoshid4", "yoshida4");
  suggested("yoshid4(midpoint)", "yoshida4(midpoint)");
  suggested("gaus(2)", "gauss(2)");
}

TEST(Refusals, AMethodWithAnArgumentItDoesNotTake) {
  refused("run pendulum --method 'rattle(3)'", "rattle takes no argument '3'.");
  refused(
      "run pendulum --method 'yoshida4(shake)'",
      "yoshida4 needs a symmetric base: rattle, verlet, midpoint, mixed-midpoint, impulse(k), lobatto(s), "
      "dirac-gauss(s) or another composition; shake is not one of them.");
  refused("run pendulum --method 'suzuki4(symplectic-euler)'",
          "suzuki4 needs a symmetric base: rattle, verlet, midpoint, mixed-midpoint, impulse(k), lobatto(s), "
          "dirac-gauss(s) or another composition; symplectic-euler is not symmetric.");
  refused("run pendulum --method 'yoshida6(lobatto(4))'",
          "yoshida6 is made for a base of order 2 and gains nothing on lobatto(4), of order 6. Use "
          "yoshida4(lobatto(4)) or suzuki4(lobatto(4)), which lead to order 8.");
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

// A square of six rods in the plane, one more than it needs; and two rods that contradict each other.
const std::string square =
    "[particles]\ndimension = 2\ncount = 4\nposition = [[0, 0], [1, 0], [1, 1], [0, 1]]\n[[rods]]\n"
    "between = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]]\n";
const std::string contradicting =
    "[particles]\ncount = 3\nposition = [\"i\", \"0\", \"0\"]\n[[rods]]\nbetween = [[0, 1], [0, 1]]\n"
    "length = 1\n[[rods]]\nbetween = [0, 1]\nlength = 1.0001\n";

TEST(Refusals, OfSystemsOfParticles) {
  const OwnFolder folder;
  const auto refused_of = [&](const std::string& model, const std::string& options,
                              const std::string& sentence) {
    const std::string name = (folder / "model.toml").string();
    std::ofstream(name) << model;
    const auto ran = run_taut("run '" + name + "' --steps 5 --step 0.01 " + options);
    EXPECT_EQ(ran.status, 2) << options;
    std::string text = ran.err;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, name.size(), "model.toml");
    EXPECT_EQ(text, "taut: " + sentence + "\n") << options;
  };
  const std::string solve_all =
      "solve them all in the sense of least squares: redundant = \"least-squares\" in [run].";
  refused_of(
      square, "",
      "model.toml: constraints depend on each other at the start.\n  The gradients of rod 0-1, rod "
      "1-2, rod 2-3, rod 3-0, rod 0-2 and rod 1-3 combine to zero: their forces are not determined.\n  "
      "Leave one of them out, or " +
          solve_all);
  refused_of(
      contradicting, "--project-start",
      "model.toml: constraints depend on each other at the start.\n  The gradients of rod 0-1, rod "
      "0-1 and rod 0-1 combine to zero: their forces are not determined.\n  Leave one of them out, or " +
          solve_all);
  refused_of(
      contradicting + "[run]\nredundant = \"least-squares\"\n", "--project-start",
      "model.toml: --project-start found no point of the manifold near this start.\n  |g| = 1.0e-04 "
      "after 50 Newton iterations, largest in: rod 0-1.\n  Choose a start nearer to it, or constraints "
      "that do not contradict each other.");
  refused_of(square, "--method midpoint",
             "midpoint is not offered for systems of particles. What runs on model.toml: shake, "
             "shake(two-step), shake-velocity, rattle, symplectic-euler, verlet, multistep4, multistep6, "
             "multistep8, multistep10, lobatto(s), compositions "
             "such as yoshida4.\n  "
             "`taut methods` lists what each method needs.");
  refused_of(
      square, "--method impulse",
      "impulse needs a potential in two parts, V = V_slow + V_fast; model.toml is not of that kind. Use "
      "rattle.\n  `taut methods` lists what each method needs.");
  refused_of("[particles]\ncount = 2\nposition = [\"i\", \"0\", \"0\"]\n",
             "--plain-updates --method yoshida4",
             "--plain-updates works with rattle on systems of particles, not with yoshida4.");
}

// A square of 120 momenta has 14 400 second derivatives and a full mass matrix: half a second of work in a
// file of 3 kB. What ends the reading is the clock, so the same file is read if there is time.
TEST(Refusals, AModelThatTakesTooLongToRead) {
  const OwnFolder folder;
  std::string names, sum, squares;
  for (int i = 0; i < 120; ++i) {
    const std::string x = "x" + std::to_string(i), comma = i == 0 ? "" : ", ", plus = i == 0 ? "" : " + ";
    names += comma + "\"" + x + "\"";
    sum += plus + "p_" + x;
    squares += plus + "p_" + x + "^2";
  }
  std::ofstream(folder / "m.toml") << "[system]\ncoordinates = [" << names << "]\nhamiltonian = \"((" << sum
                                   << ")^2 + " << squares << ")/2\"\n[run]\nstep = 0.1\nsteps = 0\n";
  const auto ran = run_taut("run m.toml", folder.string(), "export TAUT_READING_SECONDS=0.02; ");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(
      ran.err,
      "taut: m.toml: reading the model took longer than 0.02 s, and was ended.\n  Formulas with many names "
      "in common have many derivatives: write the sums shorter, or allow more time with "
      "TAUT_READING_SECONDS=0.2.\n");
  EXPECT_EQ(run_taut("run m.toml", folder.string()).status, 0);
  std::ofstream(folder / "p.toml") << "[particles]\ncount = 1000000\nposition = [\"sin(i)\", \"cos(i)\", "
                                      "\"exp(-i/1e6)\"]\n[run]\nstep = 0.1\nsteps = 0\n";
  EXPECT_EQ(run_taut("run p.toml", folder.string(), "export TAUT_READING_SECONDS=0.02; ").status, 2);
  for (const char* wrong : {"no", "0", "-1", "nan", "1s"}) {
    const auto refused =
        run_taut("run pendulum", "/", std::string("export TAUT_READING_SECONDS=") + wrong + "; ");
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.err.find("which is not a positive number of seconds"), std::string::npos)
        << refused.err;
  }
}

TEST(Refusals, AModelWithoutEnd) {
  refused("run /dev/zero", "/dev/zero has more than 8388608 bytes, and is not read further.");
}

TEST(Refusals, ThreadsThatHaveNothingToShareAreSaid) {
  const auto ran = run_taut("run pendulum --steps 5 --threads 2");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "taut: only systems of particles share a step among threads: this one runs on one.\n");
}

TEST(Refusals, AStepThatIsNone) {
  refused_at("run pendulum --step 0",
             "--step: the step is 0, and time would stand still\n     | run.step=0\n     |          ^  a "
             "negative step "
             "runs backwards");
  refused_at("run pendulum --step nan",
             "--step: the step is not a number\n     | run.step=nan\n     |          ^^^");
  refused_at("run pendulum --step inf",
             "--step: the step is infinite\n     | run.step=inf\n     |          ^^^");
  refused("run pendulum --step abc", "--step needs a number, not `abc`. A formula goes with --set run.step.");
  refused("run pendulum --step 1e-999", "--step is 1e-999, which is too large or too small for a double.");
}

TEST(Refusals, ALengthThatIsNone) {
  refused_at("run pendulum --steps -3",
             "--steps: the number of steps is -3\n     | run.steps=-3\n     |           ^^  it must be a "
             "whole number, 0 "
             "or more");
  refused("run pendulum --steps 2.5", "--steps needs a whole number, not `2.5`.");
  refused(
      "run pendulum --steps 3 --until 4",
      "--steps and --until are both given; one of them decides how long the run is. Leave the other out.");
  refused_at("run pendulum --until -3",
             "--until: a step of 0.05 never reaches t = -3\n     | run.until=-3\n     |           ^^  step "
             "and end time "
             "need the same sign");
  refused_at("run pendulum --until 1e30",
             "--until: a step of 0.05 takes 2e31 steps to t = 1e30\n     | run.until=1e+30\n     |           "
             "^^^^^  at "
             "most 9e15");
  refused(
      "run pendulum --step 1e307 --steps 100",
      "100 steps of 1e+307 end at a time that no number holds: the largest is 1.8e308. Give a shorter step, "
      "or fewer of them.");
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
  refused_at("run pendulum --set gravty=3",
             "--set: the model has nothing called `gravty` to set\n     | gravty=3\n     | ^^^^^^  known: L, "
             "gravity, x, "
             "p_x, v_x, y, p_y, v_y. Did you mean `gravity`? Other keys are written with their table, as in "
             "run.step");
  refused_at("run pendulum --set gravity",
             "--set: this is not of the form NAME=VALUE\n     | gravity\n     | ^^^^^^^");
}

TEST(Refusals, AnOptionWithoutItsValue) {
  refused("run pendulum --step \"$unset\"", "--step is empty: give a value, or leave it out.");
  refused("compare pendulum --methods ''", "--methods is empty: give a value, or leave it out.");
  refused("run ''", "PROBLEM is empty: give a value, or leave it out.");
  const OwnFolder folder;
  EXPECT_EQ(run_taut("run pendulum --steps 10 --report", folder.string()).status, 0);
}

TEST(Refusals, AKeyOfATableThatMayBeThereMoreThanOnce) {
  refused_at(
      "run rigid-water --set pairs.cutoff=3",
      "--set: the model has no key `pairs.cutoff` to set\n     | pairs.cutoff=3\n     | ^^^^^^^^^^^^  there "
      "may be several [[pairs]]: write this value as a parameter, and set that");
}

TEST(Refusals, AFormulationOfParticles) {
  refused(
      "run net --method rk4",
      "systems of particles are not offered in the formulation underlying, nor the methods that integrate "
      "one. Use rattle, lobatto(s) or a composition such as yoshida4.");
}

TEST(Refusals, AFormulaOfTime) {
  refused(
      "run pendulum --set 'system.potential=y*cos(t)' --method 'bdf-variable(2)'",
      "bdf-variable(2) does not take a model that depends on t: pendulum is one. Use lobatto(s), of order "
      "2s-2, or a composition of it such as yoshida4(lobatto(2)).");
  refused_at("run pendulum --set 'L=cos(t)'",
             "--set: unknown name `t` in the parameter `L`\n     | L=cos(t)\n     |       ^  known here: "
             "nothing. The time is t, in formulas of the mechanics");
}

TEST(Refusals, AStartOffTheManifold) {
  refused("run pendulum --set x=0.9",
          "pendulum: the start does not satisfy the constraints.\n"
          "  max |g(q)| = 9.5e-02, largest in: constraint 1 ((x^2 + y^2 - L^2)/2).\n"
          "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.");
  refused("run double-pendulum --set p_x2=1",
          "double-pendulum: the start does not satisfy the constraints.\n"
          "  max |G H_p| = 5.0e-01, largest in: constraint 2 (((x2 - x1)^2 + (y2 - y1)^2 - L2^2)/2).\n"
          "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.");
}

// Metres and metres a second have no common size: a rod of an ångström is ten per cent too short, and a
// velocity goes along a long one.
TEST(Refusals, AStartOffTheManifoldInSmallAndLargeUnits) {
  refused("run pendulum --set L=1e-10 --set x=0.9e-10 --set p_y=300",
          "pendulum: the start does not satisfy the constraints.\n"
          "  max |g(q)| = 9.5e-22, largest in: constraint 1 ((x^2 + y^2 - L^2)/2).\n"
          "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.");
  refused("run pendulum --set L=1e10 --set p_x=1",
          "pendulum: the start does not satisfy the constraints.\n"
          "  max |G H_p| = 1.0e+10, largest in: constraint 1 ((x^2 + y^2 - L^2)/2).\n"
          "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.");
}

TEST(Refusals, AFolderWithFilesOfOthers) {
  const OwnFolder folder;
  for (const std::string name : {"samples.csv", "summary.json"}) {
    const std::string path = (folder / name).string();
    std::ofstream(path) << "t,weight\n0,81.3\n";
    refused("run pendulum --steps 10 --out " + folder.string(),
            path +
                " is not of a run of taut, and this run would replace it.\n  Choose another folder, or "
                "--overwrite it.");
    EXPECT_EQ(taut::test::read_text(path), "t,weight\n0,81.3\n");
    EXPECT_EQ(run_taut("run pendulum --steps 10 --overwrite --out " + folder.string()).status, 0);
    // Without the checkpoint, a run's own files may still be replaced.
    std::filesystem::remove(folder / "checkpoint.taut");
    std::filesystem::remove(folder / "checkpoint.previous.taut");
    EXPECT_EQ(run_taut("run pendulum --steps 10 --out " + folder.string()).status, 0);
  }
}

TEST(Refusals, NoneOfAStartThatIsOffByRounding) {
  const OwnFolder folder;
  std::ofstream((folder / "m.toml").string())
      << "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"y\"\n"
         "constraints = [\"(x - 0.1)^2 + (y - 0.7)^2 - 0.5\"]\n";  // g(0, 0) ≠ 0 in double precision
  EXPECT_EQ(run_taut("run m.toml --steps 1", folder.string()).status, 0);
  EXPECT_EQ(run_taut("run pendulum --steps 1 --set 'p_x=sin(pi)'").status, 0);
}

TEST(Refusals, AValueThatIsNotFinite) {
  const auto ran = run_taut("run pendulum --set x=1/0");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.err.starts_with("--set: ")) << ran.err;
  refused_at("run four-bar --set base=30",  // the bars do not reach each other
             "four-bar:14:11: the parameter `across` is not a number\n  14 | across = \"sqrt(coupler^2/d2 - "
             "along^2)\"\n     |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^");
  refused_at(
      "run relativistic-pendulum --set 'system.hamiltonian=p_x^2 + log(y)'",
      "--set: `log(y)` in the hamiltonian is not a number at the start\n     | system.hamiltonian=p_x^2 + "
      "log(y)\n     |                            ^^^^^^");
}

TEST(Refusals, DependentConstraintsByName) {
  // A parallelogram laid flat: crank, coupler and rocker in one line.
  refused(
      "run four-bar --set base=2 --set coupler=2 --set rocker=1 --set across=0 --set rate=0 --set xa=1 --set "
      "ya=0 --set "
      "xb=3 --set yb=0 "
      "--set p_xa=0 --set p_ya=0 --set p_xb=0 --set p_yb=0",
      "four-bar: constraints depend on each other at the start.\n"
      "  The gradients of constraint 1 ((xa^2 + ya^2 - crank^2)/2), constraint 2 (((xa - xb)^2 + (ya - yb)^2 "
      "- "
      "coupler^2)/…) and constraint 3 (((xb - base)^2 + yb^2 - rocker^2)/2) combine to zero: their forces "
      "are not "
      "determined.\n  Leave one of them out, or solve them all in the sense of least squares: redundant = "
      "\"least-squares\" in [run].");
}

// Two hundred rods lie on a line between two walls: the first of all that depend on each other are named.
TEST(Refusals, OfManyDependentConstraintsTheFirstAreNamed) {
  const taut::test::OwnFolder folder;
  const std::string file = (folder / "line.toml").string();
  std::ofstream(file) << "[particles]\ncount = 201\nposition = [\"i\", \"0\", \"0\"]\n[[rods]]\n"
                         "between = [\"i\", \"i+1\"]\nfor = \"i in 0..199\"\n[[surface]]\nof = \"0\"\n"
                         "formula = \"x\"\n[[surface]]\nof = \"200\"\nformula = \"x - 200\"\n[run]\n"
                         "method = \"rattle\"\nstep = 0.01\nsteps = 3\n";
  refused("run '" + file + "'",
          file +
              ": constraints depend on each other at the start.\n  The gradients of rod 0-1, rod 1-2, rod "
              "2-3, rod 3-4, rod 4-5, rod 5-6 and 196 others combine to zero: their forces are not "
              "determined.\n  Leave one of them out, or solve them all in the sense of least squares: "
              "redundant = \"least-squares\" in [run].");
}

TEST(Refusals, AnUnknownCommandOrOption) {
  const auto command = run_taut("rum pendulum");
  EXPECT_EQ(command.status, 2);
  EXPECT_TRUE(
      command.err.starts_with("taut: there is no command `rum`. Did you mean `run`?\n  The commands are: "))
      << command.err;
  const auto option = run_taut("run pendulum --stepp 3");
  EXPECT_EQ(option.status, 2);
  EXPECT_TRUE(option.err.starts_with(
      "taut: there is no option `--stepp`. Did you mean `--step`?\n  The options are: --help, "))
      << option.err;
  const OwnFolder folder;
  ASSERT_EQ(run_taut("run pendulum --steps 10 --out " + folder.string()).status, 0);
  for (const std::string asked : {"--report", "--figures"})
    refused(
        "resume " + folder.string() + " " + asked + "=x",
        R"text(the checkpoints of this run hold nothing to draw, because it was begun without --report and --figures.
  Begin it anew with `taut run … --report --overwrite`, or plot its samples, which `taut export DIR --csv` prints.)text");
  refused("run", "PROBLEM is required.\n  `taut --help` and `taut run --help` show what can be asked.");
  refused("compile pendulum",
          "--emit is required.\n  `taut --help` and `taut compile --help` show what can be asked.");
  refused("compile",
          "PROBLEM is required.\n  `taut --help` and `taut compile --help` show what can be asked.");
}

}  // namespace
