// Steps across a pole of the potential, and runs that lose their energy in steps that are too long for the
// forces: the program says so, and does not call such a run done.

#include <gtest/gtest.h>

#include "support/own_model.hpp"
#include "support/run_json.hpp"

namespace {

using taut::test::OwnModel;
using taut::test::Ran;
using taut::test::run_json;
using taut::test::run_taut;
using taut::test::says;

struct Pole {
  const char *potential, *initial, *step;
  const char* constraints = "";
};
std::string text_of(const Pole& m) {
  const bool bead = *m.constraints != 0;
  return std::string("[system]\ncoordinates = [\"x\"") + (bead ? ", \"y\"" : "") +
         "]\nmass = 1.0\npotential = \"" + m.potential + "\"\n" +
         (bead ? std::string("constraints = [\"") + m.constraints + "\"]\n" : "") + "[initial]\n" +
         m.initial + "\n[run]\nsteps = 100\n";
}
// A step across a pole of V finds another energy behind it.
TEST(AStepAcrossAPole, IsNoticed) {
  const Pole models[] = {{"tan(x)", "x = 1.0\np_x = 4.0", "0.1"},
                         {"tan(x)", "x = 1.0\np_x = 4.0", "0.5"},
                         {"1e-3*tan(x)", "p_x = 2.0", "0.1"},
                         {"1/x", "x = 1.0\np_x = -5.0", "0.3"},
                         {"1/x^12 - 1/x^6", "x = 3.0\np_x = -5.0", "0.2"},
                         {"-1/abs(x)", "x = 0.1", "0.01"},
                         {"atan2(x, -1)", "x = 1.0\np_x = -3.0", "0.1"},
                         {"abs(x)/x", "x = 1.0\np_x = -3.0", "0.1"},
                         {"tan(x)", "p_x = 3.0", "0.1", "y - x^2/4"},
                         {"1/(x - y)^2", "x = 1.0\np_y = 5.0", "0.2", "x^2 + y^2 - 1"}};
  for (const Pole& m : models) {
    const Ran ran = OwnModel(text_of(m)).run(std::string("--step ") + m.step);
    EXPECT_EQ(ran.status, 1) << m.potential << ran.out;
    EXPECT_TRUE(says(ran, "the energy jumped at t = ") || says(ran, "the step went across a pole at t = "))
        << m.potential << ran.err;
    EXPECT_TRUE(says(ran, "a pole of the potential") || says(ran, "near the pole")) << m.potential << ran.err;
  }
  // The particle turns round before the pole if the step is short.
  EXPECT_EQ(OwnModel(text_of(models[3])).run("--step 1e-3 --steps 1000").status, 0);
}
// The energy is the same on both sides, and shows nothing; the sign of what is divided by does.
TEST(AStepAcrossAPole, IsNoticedIfItLeavesNoTraceInTheEnergy) {
  const Pole models[] = {{"1e-3/x^2", "x = 1.0\np_x = -5.0", "0.3"},
                         {"1e-6/x^4", "x = 1.0\np_x = -2.0", "0.15"},
                         {"1e-3*x^(-2)", "x = 1.0\np_x = -5.0", "0.3"},
                         {"1e-3/abs(x)", "x = 1.0\np_x = -5.0", "0.3"},
                         {"-1e-2*log(x^2)", "x = 1.0\np_x = -5.0", "0.3"},
                         {"1e-3*cos(x)/sin(x)", "x = 1.0\np_x = 3.0", "0.25"},
                         {"1e-6/(1 - x*x)^2", "p_x = 3.0", "0.3"},
                         {"1e-6/(x - y)^2", "x = 1.0\np_y = 3.0", "0.2", "x^2 + y^2 - 1"},
                         {"tan(x)", "x = 1.0\np_x = 3.0", "0.1"},
                         {"1e-6*y/x^4", "x = 1.0\ny = 1.0\np_x = -3.0\np_y = -6.0", "0.05", "y - x^2"}};
  for (const Pole& m : models) {
    const OwnModel model(text_of(m));
    const Ran ran = model.run(std::string("--step ") + m.step);
    EXPECT_EQ(ran.status, 1) << m.potential << ran.out;
    EXPECT_TRUE(says(ran, "the step went across a pole at t = ") || says(ran, "the energy jumped at t = "))
        << m.potential << ran.err;
    const auto warned =
        run_json(std::string("m.toml --on-jump warn --steps 20 --step ") + m.step, model.folder.string());
    EXPECT_EQ(warned["steps"], 20) << m.potential;
    EXPECT_GE(warned["jumps"]["steps"], 1) << m.potential;
  }
}
// A wall behind the pole throws the particle back across it, so that its sign is soon what it was.
TEST(AStepAcrossAPole, IsNoticedIfTheNextOnesGoBack) {
  const Pole models[] = {{"1e-6/x^2 + exp(-x - 5)", "x = 1000.1\np_x = -1.0", "0.3"},
                         {"1e-6/(x - y)^2 + exp(-x - 5)", "x = 1000.1\np_x = -1.0", "0.3", "y"}};
  for (const Pole& m : models) {
    const OwnModel model(text_of(m));
    const Ran ran = model.run("--steps 4000 --every 100000 --step 0.3");
    EXPECT_EQ(ran.status, 1) << m.potential << ran.out;
    EXPECT_TRUE(says(ran, "the step went across a pole at t = 1000.2 (step 3334)")) << ran.err;
  }
}
// H has a bound at the pole of a mass, and yet nothing passes.
TEST(AStepAcrossAPole, IsNoticedIfItIsThatOfAMass) {
  for (const char* system :
       {"mass = \"1 + 1e-3/x^2\"\npotential = \"0\"", "mass = [[\"1 + 1e-3/x^2\"]]\npotential = \"0\"",
        "mass = \"1 + 1e-3/(x - t/10)^2\"\npotential = \"0\"",
        "kinetic = \"(1 + 1e-3/x^2)*v_x^2/2\"\npotential = \"0\"",
        "lagrangian = \"(1 + 1e-3/x^2)*v_x^2/2\""}) {
    const OwnModel model("[system]\ncoordinates = [\"x\"]\n" + std::string(system) +
                         "\n[initial]\nx = 1.0\np_x = -3.0\n[run]\nsteps = 20\n");
    const Ran ran = model.run("--method midpoint --step 0.17");
    EXPECT_EQ(ran.status, 1) << system << ran.out;
    EXPECT_TRUE(says(ran, "the step went across a pole at t = ")) << system << ran.err;
    EXPECT_TRUE(says(ran, " changed its sign in `")) << system << ran.err;
  }
}
// The last good state is that before the pole, and a run with samples or a checkpoint ends at the same step.
TEST(AStepAcrossAPole, IsFoundAtTheSameStepHoweverTheRunIsKept) {
  const OwnModel model(text_of(Pole{"1e-6/x^4", "x = 100.0\np_x = -2.0", "0.15"}));
  const Ran plain = model.run("--step 0.15 --steps 5000"),
            kept = model.run("--step 0.15 --steps 5000 --out d");
  EXPECT_TRUE(says(plain, "the step went across a pole at t = 50.1 (step 334)")) << plain.err;
  EXPECT_TRUE(says(plain, "`x` changed its sign in `1e-6/x^4`")) << plain.err;
  EXPECT_EQ(kept.err.substr(0, 80), plain.err.substr(0, 80));
  EXPECT_TRUE(says(kept, "All up to step 333 is safe in d")) << kept.err;
  const Ran again = run_taut("resume d", model.folder.string());
  EXPECT_TRUE(says(again, "(step 334)")) << again.err;
  const Ran warned = run_taut("resume d --on-jump warn", model.folder.string());
  EXPECT_EQ(warned.status, 0) << warned.err;
}
// Each of these divides by something that changes its sign where the formula has a bound, or is on the
// constraint.
TEST(AStepAcrossAPole, IsNotSeenWhereThereIsNone) {
  const Pole models[] = {{"sin(x)/x", "x = 1.0\np_x = -3.0", "0.1"},
                         {"(1 - cos(x))/x^2", "x = 1.0\np_x = -3.0", "0.1"},
                         {"exp(-1/x^2)", "x = 1.0\np_x = -3.0", "0.1"},
                         {"x^2*log(x^2)", "x = 1.0\np_x = -3.0", "0.1"},
                         {"atan(y/x)/100", "x = 1.0\np_y = 0.2", "0.1", "x^2 + y^2 - 1"},
                         {"y", "x = 1.0\ny = 1.0\np_x = -3.0\np_y = -6.0", "0.013", "y/x - x"},
                         {"y/x", "x = 1.0\ny = 1.0\np_x = -3.0\np_y = -6.0", "0.013", "y - x^2"},
                         {"y/x", "x = 1.0\ny = 1.0\np_x = -3.0\np_y = -6.0", "0.05", "y - x^2"},
                         {"sin(y)/x + x", "x = 1.0\ny = 1.0\np_x = -3.0\np_y = -9.0", "0.02", "y - x^3"}};
  for (const Pole& m : models) {
    const Ran ran = OwnModel(text_of(m)).run(std::string("--step ") + m.step + " --steps 60");
    EXPECT_EQ(ran.status, 0) << m.potential << ran.err;
  }
}
// The constraint that gives y/x a bound is found among many, and beside one that says the same.
TEST(AStepAcrossAPole, IsNotSeenWhereThereIsNoneOnManyConstraints) {
  std::string coordinates = "\"x\", \"y\"", constraints = "\"y - x^2\"", initial;
  for (int k = 0; k < 20; ++k) {
    coordinates += ", \"z" + std::to_string(k) + "\"";
    constraints = "\"z" + std::to_string(k) + " - " + std::to_string(k + 1) + "\", " + constraints;
    initial += "z" + std::to_string(k) + " = " + std::to_string(k + 1) + "\n";
  }
  const auto text = [&](const std::string& more_constraints, const std::string& run) {
    return "[system]\ncoordinates = [" + coordinates + "]\nmass = 1.0\npotential = \"y/x\"\nconstraints = [" +
           constraints + more_constraints + "]\n[initial]\nx = 1.0\ny = 1.0\np_x = -3.0\np_y = -6.0\n" +
           initial + "[run]\nsteps = 60\nstep = 0.013\nmethod = \"rattle\"\n" + run;
  };
  const Ran many = OwnModel(text("", "")).run("");
  EXPECT_EQ(many.status, 0) << many.err;
  const Ran redundant = OwnModel(text(", \"2*y - 2*x^2\"", "redundant = \"least-squares\"\n")).run("");
  EXPECT_EQ(redundant.status, 0) << redundant.err;
}
// No step jumps here; the particle is thrown back with another energy by steps that are too long.
TEST(AnEnergyThatIsLost, IsAFailure) {
  const OwnModel model(text_of(Pole{"exp(-x)/x", "x = 2.0\np_x = -4.0", ""}));
  const Ran ran = model.run("--step 0.1 --report page.html");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_TRUE(says(ran, "the energy is lost. H = 8.06767 at the start, and was off by 16")) << ran.err;
  EXPECT_TRUE(says(ran, "try --step 0.05")) << ran.err;
  EXPECT_NE(ran.out.find("lost      the energy was off by 1.6e+01"), std::string::npos) << ran.out;
  EXPECT_NE(taut::test::read_text(model.folder / "page.html").find("the energy was off by 1.6e+01"),
            std::string::npos);
  EXPECT_EQ(model.run("--step 0.1 --on-jump warn").status, 0);
  EXPECT_EQ(run_json("m.toml --step 0.1 --on-jump warn", model.folder.string())["energy_lost"]["stays"],
            true);
  EXPECT_FALSE(run_json("m.toml --step 0.001", model.folder.string()).contains("energy_lost"));
  const Ran checked = model.check("--step 0.1");
  EXPECT_EQ(checked.status, 1);
  EXPECT_NE(checked.out.find("the energy is lost"), std::string::npos) << checked.out;
}
// A particle is thrown back by a wall, and stays with another energy: a tenth of the kinetic energy is
// enough if a single step changed H by as much.
TEST(AnEnergyThatIsLost, IsAFailureIfATenthIsLostAtAWall) {
  const Pole models[] = {
      {"1/x^12", "x = 2.0\np_x = -4.0", "0.05"},   {"1/x^12", "x = 2.0\np_x = -2.0", "0.1"},
      {"1/x^12", "x = 1.0\np_x = -3.0", "0.05"},   {"1/x^2", "x = 2.0\np_x = -4.0", "0.1"},
      {"exp(-8*x)", "x = 2.0\np_x = -2.0", "0.2"}, {"1/x^6", "x = 3.0\np_x = -5.0", "0.05"}};
  for (const Pole& m : models) {
    const OwnModel model(text_of(m));
    const Ran ran = model.run(std::string("--step ") + m.step);
    EXPECT_EQ(ran.status, 1) << m.potential << ran.out;
    EXPECT_TRUE(says(ran, "the energy is lost")) << m.potential << ran.err;
    EXPECT_NE(ran.out.find("  lost      the energy was off by"), std::string::npos) << ran.out;
    EXPECT_EQ(model.run(std::string("--on-jump warn --step ") + m.step).status, 0) << m.potential;
    EXPECT_EQ(model.run("--step 0.002 --steps 2000").status, 0) << m.potential;
  }
}
// It is off at the wall alone, and comes back: the summary says so, and the run is none the worse.
TEST(AnEnergyThatIsLost, IsOnlyNamedIfItComesBack) {
  const OwnModel model(text_of(Pole{"exp(-8*x)", "x = 2.0\np_x = -4.0", ""}));
  const Ran ran = model.run("--step 0.05");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("coarse    the energy was off by 5.6e-01, and changed by 9.2e-01 in one step"),
            std::string::npos)
      << ran.out;
  const auto lost = run_json("m.toml --step 0.05", model.folder.string())["energy_lost"];
  EXPECT_NEAR(lost["in_a_step"].get<double>(), 0.916, 0.001);
  EXPECT_EQ(lost["stays"], false);
}
// Walls that throw a particle back with another energy.
TEST(AnEnergyThatIsLost, IsAFailureBehindWalls) {
  const Pole models[] = {
      {"exp(-x)/x + x/10", "x = 2.0\np_x = -4.0", "0.1"},
      {"10*(1 - exp(-3*(x - 1)))^2", "x = 0.3", "0.2"},
      {"y + exp(-x)/x", "x = 2.0\ny = \"sin(2)\"\np_x = -4.0\np_y = \"-4*cos(2)\"", "0.1", "y - sin(x)"}};
  for (const Pole& m : models) {
    const Ran ran = OwnModel(text_of(m)).run(std::string("--step ") + m.step);
    EXPECT_EQ(ran.status, 1) << m.potential << ran.out;
    EXPECT_TRUE(says(ran, "the energy is lost")) << m.potential << ran.err;
  }
}
// A step taken in parts has no claim left that it could break, and yet 10⁶ times the energy is no motion.
TEST(AnEnergyThatIsLost, IsAFailureIfStepsWereTakenInParts) {
  for (const char* method : {"rattle --step 0.4", "'impulse(8)' --step 0.3", "yoshida4 --step 0.4"}) {
    const Ran ran =
        run_taut("run stiff-pendulum --steps 1000 --on-failure halve --method " + std::string(method));
    EXPECT_EQ(ran.status, 1) << method << ran.out;
    EXPECT_TRUE(says(ran, "the energy is lost") || says(ran, "the run is unstable")) << method << ran.err;
  }
  const Ran fine = run_taut("run stiff-pendulum --step 0.02 --steps 500 --on-failure halve --method rattle");
  EXPECT_EQ(fine.status, 0) << fine.err;
}
// An error that comes and goes with the phase counts by its mean; a method that claims nothing may have any.
TEST(AnEnergyThatIsLost, IsNotSeenInBoundedErrorsAndBaselines) {
  const OwnModel model(text_of(Pole{"x^2/2", "x = 1.0", ""}));
  EXPECT_EQ(model.run("--step 1 --method symplectic-euler").status, 0);
  EXPECT_EQ(model.run("--step 1.2").status, 0);
  for (const char* step : {"0.9", "1.5", "1.8", "1.9"})
    EXPECT_EQ(model.run(std::string("--steps 1000 --step ") + step).status, 0) << step;
  EXPECT_EQ(model.run("--step 0.1 --steps 500 --method euler").status, 0);
  EXPECT_EQ(model.run("--step 1 --steps 500 --method rk4").status, 0);
}
TEST(AnEnergyThatIsLost, IsNotSeenInRegularRuns) {
  for (const char* model : {"pendulum", "double-pendulum", "bead-on-wire", "four-bar", "charged-particle",
                            "lennard-jones-chain", "stiff-pendulum"})
    EXPECT_EQ(run_taut(std::string("run ") + model + " --steps 2000").out.find("lost"), std::string::npos)
        << model;
}
// The energy grows to 1e263 within the run, though not in each part of it.
TEST(ARunThatBlowsUp, IsCalledUnstable) {
  const Ran ran =
      run_taut("run geodesic-on-ellipsoid --method rk4 --step 0.3 --steps 300 --backend interpret");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(says(ran, "the run is unstable")) << ran.err;
}

// Rounding moves H by a unit though nothing moves: that is no loss of energy.
TEST(AnEnergyThatIsLost, IsNotSeenInAnEquilibrium) {
  for (const char* method : {"rattle", "lobatto(3)", "kahan-li8"})
    for (const char* steps : {"100", "3000"}) {
      const Ran ran = run_taut("run pendulum --set x=0 --set y=-1 --method '" + std::string(method) +
                               "' --steps " + steps);
      EXPECT_EQ(ran.status, 0) << ran.err;
      EXPECT_EQ(ran.out.find("lost"), std::string::npos) << ran.out;
    }
}

}  // namespace
