// What a user reads when a run fails on its way: to the letter, with status 1, and the results up
// to there kept.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/compile.hpp"
#include "support/killable.hpp"

namespace {

using nlohmann::json;
using taut::test::lines_of;
using taut::test::OwnFolder;
using taut::test::Process;
using taut::test::run_taut;

TEST(Failures, AStepTooLongSaysWhatWhereHowFarAndWhatToTry) {
  const auto ran = run_taut("run pendulum --step 3");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err,
            "taut: rattle: the position constraint g(q) = 0 could not be met at t = 3 (step 1).\n"
            "  |g| = 1.4e+01 after 50 Newton iterations, largest in: constraint 1 ((x^2 + y^2 - L^2)/2).\n"
            "  Most often the step is too long for the forces or for the curvature of the constraint: try "
            "--step 1.5.\n"
            "  The last good state, of step 0 (t = 0), is on standard output.\n");
  EXPECT_NE(ran.out.find("q = (1, 0)"), std::string::npos) << ran.out;
}

TEST(Failures, TheConstraintIsNamed) {
  const auto ran = run_taut("run triple-pendulum --step 0.1");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("largest in: constraint "), std::string::npos) << ran.err;
}

// Crank and coupler are almost in line with the base: these lengths let the linkage all but fold flat.
TEST(Failures, ConstraintsThatNearlyDependOnEachOtherAreToldOf) {
  const auto ran = run_taut("run four-bar --set crank=1.5000001 --step 0.05");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(
      ran.err.find("largest in: constraint 3 (((xb - base)^2 + yb^2 - rocker^2)/2).\n"
                   "  At the last good state the gradients of the constraints nearly depend on each other "
                   "(condition 2e+04), as those of a linkage do\n"
                   "  where it is stretched out or folded. Shorter steps come nearer to such a point, and "
                   "none passes it for certain: other lengths or\n"
                   "  another start avoid it.\n"
                   "  The last good state, of step 94 (t = 4.7), is on standard output.\n"),
      std::string::npos)
      << ran.err;
}

TEST(Failures, AToleranceBelowRounding) {
  const auto ran = run_taut("run pendulum --tolerance 1e-18");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err,
            "taut: rattle: the position constraint g(q) = 0 could not be met at t = 0.2 (step 4).\n"
            "  |g| = 5.6e-17 after 50 Newton iterations, largest in: constraint 1 ((x^2 + y^2 - L^2)/2); the "
            "tolerance is 1e-18.\n"
            "  That is the level of rounding: leave --tolerance out, and the iteration stops by itself.\n"
            "  The last good state, of step 3 (t = 0.15), is on standard output.\n");
}

// For a system of particles the sentence says what makes the solve hard: here a chain that is almost
// straight, turned too fast for its step.
TEST(Failures, OfConnectedConstraintsTheConditionIsEstimated) {
  const OwnFolder folder;
  std::ofstream(folder / "straight.toml")
      << "[particles]\ncount = 40\nposition = [\"i\", \"0.01*(-1)^i\", \"0\"]\n"
         "velocity = [\"0\", \"0\", \"3*sin(0.5*i)\"]\n[[rods]]\nbetween = [\"i\", \"i+1\"]\n"
         "for = \"i in 0..38\"\n[run]\nmethod = \"rattle\"\nstep = 0.1\nsteps = 20\n";
  const auto ran = run_taut("run '" + (folder / "straight.toml").string() + "'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err,
            "taut: rattle: the position constraint g(q) = 0 could not be met at t = 0.1 (step 1).\n"
            "  |g| = 2.1e-03 after 50 Newton iterations, largest in: rod 19-20, one of 39 connected "
            "constraints; their matrix has condition 5e+02.\n"
            "  Most often the step is too long for the forces or for the curvature of the constraint: try "
            "--step 0.05.\n"
            "  The last good state, of step 0 (t = 0), is on standard output.\n");
  EXPECT_NE(ran.out.find(", … and 100 more)\n"), std::string::npos) << ran.out;  // there are 120 coordinates
  EXPECT_EQ(run_taut("run '" + (folder / "straight.toml").string() + "' --step 0.01").status, 0);
}

TEST(Failures, AStiffPotentialIsSentToMidpoint) {
  const std::string stiff = "run stiff-pendulum --set k=1e4 --step 0.03 --steps 200 --method ";
  const auto ran = run_taut(stiff + "'lobatto(3)'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err,
            "taut: lobatto(3): the implicit equations of the step could not be met at t = 0.72 (step 24).\n"
            "  the residual = 2.8e+00 after 161 damped Newton iterations.\n"
            "  Most often the step is too long for the forces or for the curvature of the constraint: try "
            "--step 0.015, or --method midpoint if the potential is stiff.\n"
            "  The last good state, of step 23 (t = 0.69), is on standard output.\n");
  for (const char* method : {"midpoint", "'radau(2)'", "'bdf(2)'"})
    EXPECT_EQ(run_taut(stiff + method).status, 0) << method;
}

// Steps whose equations have a solution are made. The numbers expected are the first two coordinates at the
// end, from solutions of the same equations in another language, with derivatives by differences.
TEST(NoFalseFailure, LongStepsAreMadeIfTheirEquationsCanBeSolved) {
  struct Case {
    const char* arguments;
    double x, y;
  };
  for (const Case& c :
       {Case{"stiff-pendulum --method 'impulse(8)' --step 0.2 --steps 1000", 0.323047467873, -0.946382762681},
        Case{"stiff-pendulum --method 'impulse(16)' --step 0.2 --steps 1000", 0.284541996681,
             -0.958663576092},
        Case{"pendulum --method 'dirac-gauss(1)' --step 0.5 --steps 100", -0.703733821575, -0.710463727696},
        Case{"pendulum --method 'dirac-gauss(2)' --step 0.5 --steps 100", -0.177493099215, -0.984122045140},
        Case{"pendulum --method 'dirac-gauss(2)' --step 0.8 --steps 100", -0.435938063342, -0.899976669103},
        Case{"stiff-pendulum --set k=1e4 --method midpoint --step 0.05 --steps 200", -0.079902744668,
             -0.996802664219},
        Case{"stiff-pendulum --set k=1e5 --method mixed-midpoint --step 0.05 --steps 200", 0.425264399717,
             -0.905069163287},
        Case{"stiff-pendulum --set k=1e6 --set y2=-1.8 --method midpoint --step 0.05 --steps 200",
             -0.051842391596, -0.998655279080}}) {
    const auto ran = run_taut(std::string("run ") + c.arguments + " --json");
    ASSERT_EQ(ran.status, 0) << c.arguments << "\n" << ran.err;
    const json summary = json::parse(ran.out);
    EXPECT_NEAR(summary.at("q").at(0).get<double>(), c.x, 1e-8) << c.arguments;
    EXPECT_NEAR(summary.at("q").at(1).get<double>(), c.y, 1e-8) << c.arguments;
  }
}

TEST(NoFalseFailure, NewtonsIterationNeedsFewCorrections) {
  struct Case {
    const char* arguments;
    int most_in_a_step;
  };
  for (const Case& c : {Case{"stiff-pendulum --method 'impulse(8)' --step 0.2 --steps 1000", 8},
                        Case{"stiff-pendulum --method 'impulse(8)' --steps 1000", 5},
                        Case{"pendulum --method 'dirac-gauss(2)' --step 0.5 --steps 100", 12},
                        Case{"double-pendulum --method 'dirac-gauss(2)' --step 0.3 --steps 100", 12},
                        Case{"double-pendulum --method verlet --step 1e-4 --steps 100", 3},
                        Case{"double-pendulum --method kahan-li8 --step 1e-3 --steps 100", 2 * 17},
                        Case{"double-pendulum --method kahan-li8 --step 1e-4 --steps 100", 2 * 17}}) {
    const auto ran = run_taut(std::string("run ") + c.arguments + " --json");
    ASSERT_EQ(ran.status, 0) << c.arguments << "\n" << ran.err;
    EXPECT_LE(json::parse(ran.out).at("newton").at("iterations_max").get<int>(), c.most_in_a_step)
        << c.arguments;
  }
}

// Two bodies on the unit sphere that attract each other. The number of corrections is that of the method, and
// not of the way in which its formulas are evaluated; a compiled step sums in another order.
TEST(NoFalseFailure, TheCorrectionsDoNotDependOnTheBackendNorGrowForShortSteps) {
  const OwnFolder folder;
  const std::string model = folder.string() + "/sphere.toml";
  for (const auto& [first, second] : {std::pair{"sqrt(x^2 + y^2 + z^2) - 1", "sqrt(u^2 + v^2 + w^2) - 1"},
                                      std::pair{"(x^2 + y^2 + z^2 - 1)/2", "(u^2 + v^2 + w^2 - 1)/2"}}) {
    std::ofstream(model) << "[system]\ncoordinates = [\"x\", \"y\", \"z\", \"u\", \"v\", \"w\"]\nmass = 1.0\n"
                            "potential = \"-(x*u + y*v + z*w)/sqrt(1 - (x*u + y*v + z*w)^2)\"\n"
                            "constraints = [\""
                         << first << "\", \"" << second
                         << "\"]\n[initial]\nx = 1.0\nv = 1.0\np_z = 0.3\np_u = 0.5\np_w = 0.2\n"
                            "[run]\nmethod = \"kahan-li8\"\nstep = 0.001\nsteps = 800\n";
    const auto corrections = [&](const std::string& how) {
      const auto ran = run_taut("run '" + model + "' --json " + how);
      EXPECT_EQ(ran.status, 0) << ran.err;
      return json::parse(ran.out).at("newton").at("iterations_mean").get<double>();
    };
    const double interpreted = corrections("--backend interpret");
    EXPECT_LT(interpreted, 2 * 17) << first;
    EXPECT_EQ(corrections("--backend compile"), interpreted) << first;
    EXPECT_NEAR(corrections("--backend specialise"), interpreted, 2) << first;
    EXPECT_LE(corrections("--backend interpret --step 1e-4"), interpreted + 1) << first;
  }
}

// The rounding of coordinates that pass through zero is that of the step.
TEST(NoFalseFailure, AStartAtRestInTheOriginIsLeft) {
  const OwnFolder folder;
  const std::string model = folder.string() + "/origin.toml";
  std::ofstream(model)
      << "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"y\"\nconstraints = "
         "[\"((x - 2.1)^2 + y^2 - 4.41)/2\"]\n[run]\nstep = 0.01\nsteps = 1000\n";
  for (const char* how :
       {"midpoint", "'dirac-gauss(1)'", "'dirac-gauss(2)'", "'dirac-gauss(3)'", "verlet",
        "'gauss(2)' --formulation dirac", "'gauss(3)' --formulation underlying",
        "'gauss(2)' --formulation hamilton-dirac", "implicit-midpoint --formulation dirac-weak"}) {
    const auto ran = run_taut("run '" + model + "' --method " + how);
    EXPECT_EQ(ran.status, 0) << how << "\n" << ran.err;
  }
}

// The momentum of a pendulum that turns is the difference of larger ones, and rounded as they are.
TEST(NoFalseFailure, MomentaThatVanishInAStepAreSolvedFor) {
  for (const char* how :
       {"'bdf(2)' --formulation ggl", "'bdf(2)' --formulation index-2", "'radau(2)' --formulation ggl"}) {
    const auto ran = run_taut(std::string("run pendulum --until 600 --method ") + how);
    EXPECT_EQ(ran.status, 0) << how << "\n" << ran.err;
  }
}

// A clock has no momentum of its own: H + p_t says how fast it goes. Its pendulum is that of a heavy flywheel
// that turns as fast.
TEST(NoFalseFailure, AClockIsACoordinate) {
  const OwnFolder folder;
  const auto ends = [&](const std::string& name, const std::string& system, const std::string& method) {
    const std::string model = folder.string() + "/" + name;
    std::ofstream(model) << system;
    const auto ran = run_taut("run '" + model + "' --json --method " + method);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  };
  const std::string rest =
      "constraints = [\"(x^2 + y^2 - 1)/2\"]\n[initial]\nx = 1\n[run]\nstep = 0.01\nsteps = 100\n";
  const std::string clock =
      "[system]\ncoordinates = [\"x\", \"y\", \"s\"]\nhamiltonian = \"(p_x^2 + p_y^2)/2 + y*cos(3*s) + "
      "p_s\"\n" +
      rest;
  const auto wheel = ends("wheel.toml",
                          "[system]\ncoordinates = [\"x\", \"y\", \"s\"]\nmass = [1, 1, 1e12]\npotential = "
                          "\"y*cos(3*s)\"\nconstraints = [\"(x^2 + y^2 - 1)/2\"]\n[initial]\nx = 1\np_s = "
                          "1e12\n[run]\nstep = 0.01\nsteps = 100\n",
                          "'lobatto(4)'");
  for (const char* method : {"'lobatto(4)'", "'dirac-gauss(3)'", "'gauss(3)' --formulation dirac-weak"}) {
    const auto ran = ends("clock.toml", clock, method);
    EXPECT_NEAR(ran["q"][2].get<double>(), 1, 1e-14) << method;
    for (const int k : {0, 1}) {
      EXPECT_NEAR(ran["q"][k].get<double>(), wheel["q"][k].get<double>(), 1e-10) << method;
      EXPECT_NEAR(ran["p"][k].get<double>(), wheel["p"][k].get<double>(), 1e-10) << method;
    }
  }
}

// The names of the first table of `taut methods`, without those that need a potential in two parts, damping
// or constraints on velocities.
std::vector<std::string> every_method() {
  const auto listed = run_taut("methods");
  EXPECT_EQ(listed.status, 0);
  std::vector<std::string> names;
  for (const std::string& line : lines_of(listed.out.substr(0, listed.out.find("\n\n")))) {
    const std::string name = line.substr(0, line.find(' '));
    const std::set<std::string> left_out{"name", "impulse(4)", "mixed-midpoint", "conformal", "nonholonomic"};
    if (!left_out.contains(name)) names.push_back(name);
  }
  return names;
}

// Near the origin (x - 2.1)² - 4.41 is rounded like 4.41, and not like x. On the curve of fourth degree the
// momentum along x is the cube of y, so that projections must keep numbers far below the largest velocity.
TEST(NoFalseFailure, NearTheOriginByEveryMethod) {
  const OwnFolder folder;
  const std::string model = folder.string() + "/origin.toml";
  const std::vector<std::string> names = every_method();
  ASSERT_GT(names.size(), 60U);
  for (const auto& [constraint, step] : {std::pair{"((x - 2.1)^2 + y^2 - 4.41)/2", "0.05"},
                                         std::pair{"((x - 2.1)^4 + y^4 - 19.4481)/4", "1e-6"}}) {
    std::ofstream(model) << "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"y + 0.3*x\"\n"
                            "constraints = [\""
                         << constraint << "\"]\n[initial]\np_y = 1.0\n[run]\nstep = " << step
                         << "\nsteps = 12\n";
    for (const std::string& name : names) {
      if (name == "gauss-unprojected(2)") continue;  // it diverges by nature
      const auto ran = run_taut("run '" + model + "' --backend interpret --method '" + name + "'");
      EXPECT_EQ(ran.status, 0) << name << "\n" << ran.err;
    }
  }
}

// Newton's iteration from a guess leads far out, or past the solution; a damped one finds it. The numbers of
// hem are those of an independent program (tests/truth/half_explicit.py).
TEST(NoFalseFailure, LongStepsLandIfTheyCan) {
  for (const char* arguments : {"bead-on-wire --method yoshida6c --step 0.8 --steps 6",
                                "four-bar --method 'bdf(6)' --step 0.8 --steps 20"}) {
    const auto ran = run_taut(std::string("run ") + arguments + " --on-jump warn --json");
    ASSERT_EQ(ran.status, 0) << arguments << "\n" << ran.err;
    EXPECT_LT(json::parse(ran.out).at("residual").at("position_max").get<double>(), 1e-13) << arguments;
  }
  const auto ran = run_taut("run relativistic-pendulum --method hem --step 0.8 --steps 1 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json summary = json::parse(ran.out);
  EXPECT_NEAR(summary.at("q").at(1).get<double>(), -0.065722418, 1e-9);
  EXPECT_NEAR(summary.at("p").at(1).get<double>(), 2.247124605, 1e-9);
}

// No damping finds these solutions from the state; followed from h = 0 they are reached. The numbers are
// those of an independent program that follows them too (tests/truth/branch.py).
TEST(NoFalseFailure, ASolutionIsFollowedIfItIsFarAway) {
  struct Far {
    const char* arguments;
    double x1, y2, exact_to;
  };
  for (const Far& far :
       {Far{"--method 'gauss(4)' --step 3.2 --steps 1", -0.351134, -2.092209, 2e-6},
        Far{"--method mixed-midpoint --step 0.8 --steps 6", -0.9965119067, -0.9492272118, 1e-9}}) {
    const auto ran = run_taut(std::string("run stiff-pendulum --on-jump warn --json ") + far.arguments);
    ASSERT_EQ(ran.status, 0) << far.arguments << "\n" << ran.err;
    const json q = json::parse(ran.out).at("q");
    EXPECT_NEAR(q.at(0).get<double>(), far.x1, far.exact_to) << far.arguments;
    EXPECT_NEAR(q.at(3).get<double>(), far.y2, far.exact_to) << far.arguments;
  }
}

// The matrix of the start of the step, which Reich prints, and Newton's at the stages lead to one solution.
// Both find stages and impulse together, and need fewer gradients than stages inside the search for the
// impulse, which sweeps still take; a stated tolerance too.
TEST(NoFalseFailure, DiracGaussFindsStagesAndImpulseAtOnce) {
  for (const char* step : {"0.01", "0.1", "0.3"}) {
    const auto solved = [&](const std::string& how) {
      const auto ran =
          run_taut(std::string("run double-pendulum --method 'dirac-gauss(2)' --steps 100 --step ") + step +
                   " --backend interpret --json " + how);
      EXPECT_EQ(ran.status, 0) << ran.err;
      return json::parse(ran.out);
    };
    const json newton = solved(""), printed = solved("--solver symmetric"),
               nested = solved("--tolerance 1e-14");
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(newton.at("q").at(j).get<double>(), printed.at("q").at(j).get<double>(), 1e-12) << step;
      EXPECT_NEAR(newton.at("q").at(j).get<double>(), nested.at("q").at(j).get<double>(), 1e-11) << step;
    }
    EXPECT_LT(1.5 * newton.at("gradients").get<int>(), printed.at("gradients").get<int>()) << step;
    EXPECT_LT(1.4 * newton.at("gradients").get<int>(), nested.at("gradients").get<int>()) << step;
  }
}

// The spring is stretched and so stiff that the tenth step has no solution nearby.
TEST(Failures, TheIterationIsCalledByItsName) {
  const auto ran = run_taut("run stiff-pendulum --set k=1e6 --method midpoint --step 0.05 --steps 200");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err,
            "taut: midpoint: the implicit equations of the step could not be met at t = 0.5 (step 10).\n"
            "  the residual = 2.4e-01 after 100 damped Newton iterations.\n"
            "  Most often the step is too long for the forces or for the curvature of the constraint: try "
            "--step 0.025.\n"
            "  The last good state, of step 9 (t = 0.45), is on standard output.\n");
}

// The fixed-point iteration of Gauss' methods diverges at this step; the equations have a solution.
TEST(Failures, ALongStepOfGaussOnAFormulationIsNone) {
  const std::string run = "run double-pendulum --step 0.8 --steps 20 --on-jump warn --method ";
  EXPECT_EQ(run_taut(run + "'gauss(1)'").status, 0);
  EXPECT_EQ(run_taut(run + "'gauss(2)'").status, 0);
}

// What cancels in a formula still has its domain: the run ends where the formula has no value any more.
TEST(Failures, ARunThatLeavesTheDomainOfItsFormulasStops) {
  const OwnFolder folder;
  for (const char* potential :
       {"sqrt(x)*sqrt(x) + y", "0*log(x) + y", "y + sqrt(x) - sqrt(x)", "y + log(x)^0"}) {
    std::ofstream(folder / "domain.toml")
        << "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"" << potential
        << "\"\n[initial]\nx = 0.1\np_x = -1.0\n[run]\nstep = 0.01\nsteps = 100\n";
    for (const char* backend : {"interpret", "compile", "specialise"}) {
      const auto ran = run_taut("run '" + folder.string() + "/domain.toml' --json --backend " + backend);
      EXPECT_EQ(ran.status, 1) << potential << backend;
      EXPECT_NE(ran.err.find("the energy is infinite or NaN"), std::string::npos) << ran.err;
      EXPECT_GE(json::parse(ran.out).at("q").at(0).get<double>(), 0) << potential;
    }
  }
}

// A step beyond the limit of stability: every step is made, and nothing in the summary says that all is well.
TEST(Failures, AnUnstableRunIsCalledSo) {
  const OwnFolder folder;
  const std::string model = folder.string() + "/oscillator.toml";
  std::ofstream(model) << "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = "
                          "\"1e4*(x^2 + y^2)/2\"\n[initial]\nx = 1.0\n[run]\nmethod = \"rattle\"\nstep = "
                          "0.03\nsteps = 150\n";
  const auto ran = run_taut("run '" + model + "'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(
      ran.err,
      "taut: rattle: the run is unstable. The energy grew without end, from H = 5000 to 1.7e+254 at t = "
      "4.5.\n"
      "  Most often the step is too long for the stiffest part of the potential: try --step 0.015, or "
      "--method midpoint.\n"
      "  All 150 steps were made, but the numbers mean nothing; the last state is on standard output.\n");
  EXPECT_EQ(ran.out.find("none beyond"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(" over the run (the run is unstable)"), std::string::npos) << ran.out;
  const auto shorter = run_taut("run '" + model + "' --steps 30 --json --out '" + folder.string() + "/o'");
  EXPECT_EQ(shorter.status, 1);
  EXPECT_NE(json::parse(shorter.out).at("error").get<std::string>().find("the run is unstable"),
            std::string::npos);
  EXPECT_EQ(shorter.err.find("taut resume"), std::string::npos) << shorter.err;
  const auto checked = run_taut("check '" + model + "' --steps 150");
  EXPECT_EQ(checked.status, 1);
  EXPECT_NE(checked.out.find("FAIL  the run is unstable: max |H - H0| = 1.7e+254"), std::string::npos)
      << checked.out;
  EXPECT_EQ(run_taut("run '" + model + "' --step 0.015").status, 0);
}

// An orbit that leaves an unstable equilibrium: its energy error grows by as many orders of magnitude.
TEST(Failures, AnOrbitThatLeavesAnEquilibriumIsNotUnstable) {
  const OwnFolder folder;
  const std::string model = folder.string() + "/well.toml";
  std::ofstream(model) << "[system]\ncoordinates = [\"x\"]\nmass = 1.0\npotential = \"x^4/4 - x^2/2\"\n"
                          "[initial]\nx = 1e-9\n[run]\nmethod = \"rattle\"\nstep = 0.05\n";
  for (const int steps : {300, 400, 410, 420, 430, 450, 500, 800, 850, 2000, 10000})
    EXPECT_EQ(run_taut("run '" + model + "' --steps " + std::to_string(steps)).err, "") << steps;
}

// A sanitizer needs more address space than these limits leave.
#if !defined(__SANITIZE_ADDRESS__)
TEST(Failures, ThreadsThatCannotBeMadeAreDoneWithout) {
  const std::string run = "run water-box --steps 2 --json --threads ";
  const auto few = run_taut(run + "1024", "/", "ulimit -v 3000000; ");
  EXPECT_EQ(few.status, 0);
  EXPECT_NE(few.err.find(" of 1024 threads, and with the same digits: Resource temporarily unavailable.\n"),
            std::string::npos)
      << few.err;
  EXPECT_EQ(json::parse(few.out).at("q"), json::parse(run_taut(run + "1").out).at("q"));
}

// Memory that ends inside a loop that threads share is the same sentence as with one thread.
TEST(Failures, MemoryThatEndsInASharedLoop) {
  const OwnFolder folder;
  const std::string model = folder.string() + "/contracting.toml";
  std::ofstream(model) << "[particles]\ndimension = 1\ncount = 20000\nposition = [\"10*i\"]\nvelocity = "
                          "[\"-999.9*i\"]\n[[pairs]]\npotential = \"exp(-r)\"\ncutoff = 2.5\n[run]\nmethod = "
                          "\"rattle\"\nstep = 0.01\nsteps = 1\n";
  for (const char* threads : {"1", "3", "3"}) {
    const auto ran = run_taut("run '" + model + "' --threads " + threads, "/", "ulimit -v 500000; ");
    EXPECT_EQ(ran.status, 1) << threads;
    EXPECT_NE(ran.err.find("there is not enough memory. The list of all pairs"), std::string::npos)
        << ran.err;
  }
}
#endif

TEST(Failures, AMethodThatDivergesByNatureSaysSo) {
  const auto ran = run_taut("run double-pendulum --method 'gauss-unprojected(2)' --step 0.12 --steps 100");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find(
                "  Without a projection this method diverges by nature, whatever the step: it is here to be "
                "compared with. Try --method 'gauss-projected(2)'.\n"),
            std::string::npos)
      << ran.err;
}

TEST(Failures, TheJsonObjectHasTheErrorAndTheLastGoodState) {
  const auto ran = run_taut("run triple-pendulum --step 0.1 --json");
  EXPECT_EQ(ran.status, 1);
  const json object = json::parse(ran.out);
  EXPECT_NE(object.at("error").get<std::string>().find("is in the JSON object on standard output."),
            std::string::npos);
  EXPECT_GT(object.at("steps").get<int>(), 0);
  EXPECT_EQ(object.at("time").get<double>(), 0.1 * object.at("steps").get<int>());
  EXPECT_LT(object.at("residual").at("position_max").get<double>(), 1e-13);  // the last good state is good
}

TEST(Failures, ResultsUpToThereAreKeptInFiles) {
  const OwnFolder folder;
  const auto ran = run_taut("run triple-pendulum --step 0.1 --every 1 --out '" + folder.string() + "/o'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("is in " + folder.string() + "/o/summary.json."), std::string::npos) << ran.err;
  const json object = json::parse(taut::test::read_text(folder / "o/summary.json"));
  EXPECT_TRUE(object.contains("error"));
  EXPECT_EQ(lines_of(taut::test::read_text(folder / "o/samples.csv")).size(),
            object.at("steps").get<std::size_t>() + 2);
}

TEST(Failures, AFolderThatCannotBeMade) {
  const auto ran = run_taut("run pendulum --out /proc/taut");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "taut: cannot make the folder /proc/taut: No such file or directory\n");
}

TEST(Failures, AFullDisk) {
  const OwnFolder folder;
  Process process({"run", "pendulum", "--steps", "20000", "--every", "1", "--checkpoint-every", "1000",
                   "--out", folder.string()},
                  300000);
  EXPECT_EQ(process.wait(), 1);
  EXPECT_TRUE(
      process.error().starts_with("taut: cannot write " + folder.string() + "/samples.csv: File too large\n"))
      << process.error();
}

// The failure must not come after hours of computing.
TEST(Failures, AReportThatCannotBeWrittenIsKnownBeforeTheRun) {
  const OwnFolder folder;
  std::ofstream(folder / "file") << "text";
  const std::string in = folder.string();
  for (const std::string command : {"run pendulum", "compare pendulum --methods rattle"}) {
    EXPECT_EQ(run_taut(command + " --report " + in).err, "taut: cannot write " + in + ": Is a directory\n");
    const auto ran = run_taut(command + " --report file/r.html", in);
    EXPECT_EQ(ran.err, "taut: cannot write file/r.html: Not a directory\n");
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(run_taut(command + " --figures file", in).err,
              "taut: cannot write file/figure.svg: Not a directory\n");
  }
  const auto ran = run_taut("reproduce seiler/section6 --report file", in);
  EXPECT_EQ(ran.err, "taut: cannot write file/report.html: Not a directory\n");
  EXPECT_EQ(ran.out, "");
}

// A device, a pipe or a link in the place of a file stays what it is.
TEST(Failures, NoneOfAPipeOrALinkThatIsWrittenTo) {
  const OwnFolder folder;
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto ran = run_taut("compile pendulum --emit " + pipe + " & timeout 10 cat " + pipe);
  EXPECT_TRUE(ran.out.starts_with("// Planar pendulum")) << ran.out;
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::ofstream(folder / "page.html") << "an earlier one";
  std::filesystem::create_symlink("page.html", folder / "link");
  EXPECT_EQ(run_taut("run pendulum --steps 100 --report link", folder.string()).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(taut::test::read_text(folder / "page.html").starts_with("<!doctype html>"));
}

TEST(Failures, StandardOutputThatCannotBeWritten) {
  const auto ran = run_taut("methods >/dev/full 2>&2; test $? = 1 && echo noticed");
  EXPECT_NE(ran.out.find("noticed"), std::string::npos) << ran.err;
}

// xop was only ever in a few processors of the years after 2011.
TEST(Failures, AProgramBuiltForAnotherProcessorSaysSo) {
#ifndef __x86_64__
  GTEST_SKIP() << "another kind of processor";
#else
  if (__builtin_cpu_supports("xop")) GTEST_SKIP() << "this processor has what the test says it has not";
  const OwnFolder folder;
  const auto exit_of = [&](const std::string& extensions) {
    const auto made = taut::test::compiled(
        folder, "#include \"" TAUT_SOURCE_DIR "/cli/processor.cpp\"\nint main() { return 7; }\n",
        "-march=x86-64 '-DTAUT_BUILT_WITH=" + extensions + "'");
    EXPECT_TRUE(made.succeeded) << made.log;
    const int status = std::system((folder.string() + "/a.out 2>" + folder.string() + "/err").c_str());
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(exit_of("TAUT_ASK(\"sse2\")"), 7);
  EXPECT_EQ(exit_of("TAUT_ASK(\"xop\") TAUT_ASK(\"sse2\")"), 1);
  EXPECT_EQ(taut::test::read_text(folder / "err"),
            "taut: this program was built for another processor: it uses xop, which this one does not have.\n"
            "  Build it on this machine, or with cmake -D TAUT_NATIVE=OFF for any.\n");
#endif
}

}  // namespace
