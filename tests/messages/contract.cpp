// The public contract of the command line: keys, meaning of the numbers, standard output apart from
// standard error, files.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "support/run_json.hpp"

namespace {

using nlohmann::json;
using taut::test::lines_of;
using taut::test::OwnFolder;
using taut::test::read_text;
using taut::test::run_taut;

json run_json(const std::string& arguments) {
  const OwnFolder folder;  // models may have an output folder of their own
  return taut::test::run_json(arguments, folder.string());
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

TEST(Contract, TheObjectOfARun) {
  const json run = run_json("pendulum --steps 100");
  EXPECT_EQ(keys(run), (std::set<std::string>{"model", "method", "step", "steps", "time", "q", "p", "lambda",
                                              "energy", "residual", "newton", "gradients", "projections",
                                              "seconds", "steps_per_second", "backend", "options"}));
  EXPECT_EQ(run["model"], "Planar pendulum (Reich 1996)");
  EXPECT_EQ(run["method"], "rattle");
  EXPECT_EQ(run["steps"], 100);
  EXPECT_EQ(run["time"], 100 * 0.05);
  EXPECT_EQ(keys(run["residual"]), (std::set<std::string>{"position_max", "momentum_max"}));
  EXPECT_EQ(keys(run["newton"]), (std::set<std::string>{"iterations_mean", "iterations_max"}));
  EXPECT_EQ(keys(run["projections"]), (std::set<std::string>{"position", "momentum"}));
  for (const char* key : {"initial", "final", "max_error"}) EXPECT_TRUE(run["energy"].contains(key)) << key;
}

// Verlet evaluates the gradient once a step, Yoshida's method three times, whoever evaluates the formulas.
// Lobatto's methods evaluate it at all stages but the first in each iteration, and a few times more.
TEST(Contract, GradientsAreCounted) {
  const auto gradients = [](const std::string& arguments) {
    return run_json(arguments)["gradients"].get<double>();
  };
  for (const char* backend : {"interpret", "compile", "specialise"}) {
    const std::string by = std::string(" --steps 50 --backend ") + backend;
    EXPECT_EQ(gradients("double-pendulum --method rattle" + by), 50) << backend;
    EXPECT_EQ(gradients("double-pendulum --method yoshida4" + by), 150) << backend;
  }
  EXPECT_EQ(gradients("pendulum --method rattle --steps 70"), 70);  // a size that the compiler knows
  EXPECT_EQ(gradients("rigid-water --method rattle --steps 20"), 20);
  EXPECT_EQ(gradients("pendulum --method rk4 --formulation underlying --steps 10"), 40);
  const json run = run_json("double-pendulum --method 'lobatto(3)' --steps 100");
  const double l = run["newton"]["iterations_mean"].get<double>(),
               each = run["gradients"].get<double>() / 100;
  EXPECT_GE(each, 2 * l);
  EXPECT_LE(each, 2 * l + 3.001);
}

// A page beside the samples of another run would be taken for that run's.
TEST(Contract, ARunInAFolderTakesThePageOfTheOneBeforeAway) {
  const OwnFolder folder;
  const auto page = folder / "report.html";
  EXPECT_EQ(run_taut("run pendulum --steps 10 --out . --report", folder.string()).status, 0);
  EXPECT_TRUE(std::filesystem::exists(page));
  EXPECT_EQ(run_taut("run double-pendulum --steps 10 --out .", folder.string()).status, 0);
  EXPECT_FALSE(std::filesystem::exists(page));
  std::ofstream(page) << "of somebody else";
  EXPECT_EQ(run_taut("run pendulum --steps 10 --out .", folder.string()).status, 0);
  EXPECT_TRUE(std::filesystem::exists(page));
}

TEST(Contract, ARunBackwardsHasAnOrderInItsFigures) {
  const OwnFolder folder;
  EXPECT_EQ(run_taut("run pendulum --step -0.05 --steps 200 --figures .", folder.string()).status, 0);
  EXPECT_NE(read_text(folder / "order-and-cost-error-against-step-size.svg").find("slope 2.00"),
            std::string::npos);
}

TEST(Contract, OptionsAboutFilesThatAreNotKeptAreToldOf) {
  EXPECT_EQ(run_taut("run pendulum --steps 1 --every 2").err,
            "taut: --every has no effect without --out: nothing is kept.\n");
  EXPECT_EQ(run_taut("run pendulum --steps 1 --format csv --checkpoint-every 2").err,
            "taut: --format and --checkpoint-every have no effect without --out: nothing is kept.\n");
}

// Results say which method it was, even if the number of stages was left out.
TEST(Contract, TheMethodIsNamedWithItsNumber) {
  EXPECT_EQ(run_json("pendulum --steps 1 --method lobatto")["method"], "lobatto(3)");
  EXPECT_EQ(run_json("pendulum --steps 1 --method gauss")["method"], "gauss(2)");
  EXPECT_EQ(run_json("stiff-pendulum --steps 1 --method impulse")["method"], "impulse(4)");
  EXPECT_EQ(run_json("pendulum --steps 1 --method yoshida6")["method"], "yoshida6");
}

TEST(Contract, EveryProblemRunsAndStaysOnItsManifold) {
  const auto listed = run_taut("problems --json");
  ASSERT_EQ(listed.status, 0);
  const json problems = json::parse(listed.out);
  EXPECT_GE(problems.size(), 11U);
  for (const json& problem : problems) {
    const std::string name = problem["name"];
    const json run = run_json(name + " --steps 1000");
    EXPECT_EQ(run["q"].size(), problem["coordinates"]) << name;
    EXPECT_EQ(run["lambda"].size(), problem["constraints"]) << name;
    EXPECT_LT(run["residual"]["position_max"], 1e-13) << name;
    EXPECT_LT(run["residual"]["momentum_max"], 1e-13) << name;
    // A net of many particles has more terms to err with.
    const double parts = std::max(1.0, static_cast<double>(run["q"].size()) / 20);
    EXPECT_LT(run["energy"]["max_error"], 0.05 * parts) << name;
  }
}

TEST(Contract, MethodsAreDescribedInALineAndOneByOne) {
  const auto all = run_taut("methods");
  EXPECT_NE(all.out.find("velocity Verlet with position and momentum constraints (VR)\n"), std::string::npos);
  EXPECT_NE(all.out.find("other names: "), std::string::npos) << "yoshida8 and others are no rows";
  const auto family = run_taut("methods lobatto");
  EXPECT_EQ(family.out.find("lobatto(2)\n"), 0U) << family.out;
  EXPECT_NE(family.out.find("lobatto(6)\n"), std::string::npos) << family.out;
  EXPECT_NE(family.out.find("; docs/theory/lobatto.md\n"), std::string::npos) << family.out;
  const auto base = run_taut("methods 'yoshida4(midpoint)'");
  EXPECT_NE(base.out.find("order 4, symmetric, symplectic"), std::string::npos) << base.out;
  EXPECT_EQ(run_taut("methods rattel").status, 2);
}

TEST(Contract, EveryMethodRunsOnTheSplitProblem) {
  const auto listed = run_taut("methods --json");
  ASSERT_EQ(listed.status, 0);
  for (const json& method : json::parse(listed.out)) {
    for (const char* key : {"name", "order", "symmetric", "symplectic", "tier", "source", "theory"})
      EXPECT_TRUE(method.contains(key)) << method;
    const std::string name = method["name"];
    if (name == "conformal") {  // its damping is not there
      const auto refused = run_taut("run stiff-pendulum --steps 100 --method conformal");
      EXPECT_EQ(refused.status, 2);
      EXPECT_NE(refused.err.find("conformal is for models with [damping], and stiff-pendulum has none"),
                std::string::npos)
          << refused.err;
      continue;
    }
    if (name == "nonholonomic") {  // nor are constraints on velocities
      const auto refused = run_taut("run stiff-pendulum --steps 100 --method nonholonomic");
      EXPECT_EQ(refused.status, 2);
      EXPECT_NE(refused.err.find("nonholonomic"), std::string::npos) << refused.err;
      continue;
    }
    // At the step of the model explicit methods are unstable, and their runs say so; h·ω is 0.71 there,
    // which is more than multistep10 bears.
    const bool is_explicit =
        name == "euler" || name.starts_with("half-explicit") || name.starts_with("multistep");
    const std::string step = is_explicit ? "--step 0.0005 " : "";
    const json run = run_json("stiff-pendulum --steps 100 " + step + "--method '" + name + "'");
    const std::string keeps = method["keeps"];
    if (keeps.starts_with("position")) {
      EXPECT_LT(run["residual"]["position_max"], 1e-13) << name;
    }
    if (keeps.ends_with("momentum")) {
      EXPECT_LT(run["residual"]["momentum_max"], 1e-13) << name;
    }
  }
}

TEST(Contract, EveryOrdinaryMethodRunsOnEveryFormulation) {
  const json exact = run_json("spherical-pendulum --steps 100 --step 0.01 --method dop853");
  int pairs = 0;
  for (const json& method : json::parse(run_taut("methods --json").out)) {
    if (!method.contains("formulations")) continue;
    for (const std::string formulation : method["formulations"]) {
      if (formulation == "linear") continue;                  // a sphere is not
      if (formulation.starts_with("parametrised")) continue;  // the model has no parametrisation
      if (formulation == "penalty") continue;                 // it has other solutions
      const std::string name = method["name"];
      const json run = run_json("spherical-pendulum --steps 100 --step 0.01 --method '" + name +
                                "' --formulation " + formulation);
      EXPECT_EQ(run["formulation"], formulation);
      EXPECT_EQ(run["projection"], "none");
      const int order = method["order"];
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(run["q"][i], exact["q"][i],
                    order == 1   ? 0.05
                    : order == 2 ? 1e-3
                    : order == 3 ? 1e-6
                                 : 1e-8)
            << name << formulation;
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 10 * 8 + (6 + 2) * 2) << "ordinary methods; bdf(k) and radau(s) on index-2 and ggl";
}

TEST(Contract, ProjectionsAreCounted) {
  const std::string rk4 = "pendulum --steps 200 --step 0.05 --method rk4 --projection ";
  EXPECT_EQ(run_json(rk4 + "none")["projections"], (json{{"position", 0}, {"momentum", 0}}));
  const json both = run_json(rk4 + "both");
  EXPECT_EQ(both["projections"], (json{{"position", 200}, {"momentum", 200}}));
  EXPECT_LT(both["residual"]["position_max"], 1e-14);
  EXPECT_LT(both["residual"]["momentum_max"], 1e-14);
  const json position = run_json(rk4 + "position");
  EXPECT_EQ(position["projections"], (json{{"position", 200}, {"momentum", 0}}));
  const json on_demand = run_json(rk4 + "both --projection-tolerance 1e-6");
  EXPECT_GT(on_demand["projections"]["position"], 0);
  EXPECT_LT(on_demand["projections"]["position"], 200);
  EXPECT_LT(on_demand["residual"]["position_max"], 2e-6);
}

// A rod under tension has a positive multiplier: at the lowest point of a swing λ = m (g + v²/L)/L.
TEST(Contract, LambdaHasTheSignOfTheEquations) {
  const json run = run_json("pendulum --steps 0 --set x=0 --set y=-1 --set p_x=0.5");
  EXPECT_DOUBLE_EQ(run["lambda"][0], 1.25);
}

TEST(Contract, UntilTakesTheLeastNumberOfWholeSteps) {
  EXPECT_EQ(run_json("pendulum --step 0.1 --until 0.3")["steps"], 3);  // 0.3/0.1 rounds below 3
  EXPECT_EQ(run_json("pendulum --step 0.1 --until 0.31")["steps"], 4);
  EXPECT_EQ(run_json("pendulum --step -0.1 --until -0.3")["steps"], 3);
  EXPECT_EQ(run_json("pendulum --step 0.1 --until 0")["steps"], 0);
  EXPECT_EQ(run_json("pendulum --step 0.01 --until 1e3")["steps"], 100000);
}

TEST(Contract, ANegativeStepRunsBack) {
  const json there = run_json("spherical-pendulum --step 0.05 --steps 200");
  std::ostringstream start;
  start.precision(17);
  for (int i = 0; i < 3; ++i) {
    const char name = "xyz"[i];
    start << " --set " << name << '=' << there["q"][i] << " --set p_" << name << '=' << there["p"][i];
  }
  const json back = run_json("spherical-pendulum --step -0.05 --steps 200" + start.str());
  EXPECT_NEAR(back["q"][0], 0.6, 1e-12);
  EXPECT_NEAR(back["p"][1], 0.9, 1e-12);
}

TEST(Contract, AProjectedStartIsReported) {
  const json run = run_json("pendulum --set x=0.9 --project-start --steps 1");
  EXPECT_NEAR(run["start_moved"]["q"], 0.1, 1e-12);
  const auto ran = run_taut("run pendulum --set x=0.9 --project-start --steps 1");
  EXPECT_NE(ran.out.find("  start     moved onto the manifold: q by 1.0e-01, p by 0.0e+00\n"),
            std::string::npos)
      << ran.out;
}

TEST(Contract, SamplesReadBackAsTheSameBits) {
  const OwnFolder folder;
  const auto ran = run_taut("run pendulum --steps 25 --every 10 --json --out '" + folder.string() + "/a/b'");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json run = json::parse(ran.out);
  EXPECT_EQ(json::parse(read_text(folder / "a/b/summary.json")), run);
  const auto rows = lines_of(read_text(folder / "a/b/samples.csv"));
  ASSERT_EQ(rows.size(), 5U);  // the header, steps 0, 10, 20, and the last
  EXPECT_EQ(rows[0], "t,x,y,p_x,p_y,energy,position_residual,momentum_residual");
  std::vector<double> last;
  std::istringstream in(rows[4]);
  for (std::string cell; std::getline(in, cell, ',');) last.push_back(std::stod(cell));
  ASSERT_EQ(last.size(), 8U);
  EXPECT_EQ(last[0], run["time"].get<double>());
  EXPECT_EQ(last[1], run["q"][0].get<double>());
  EXPECT_EQ(last[4], run["p"][1].get<double>());
  EXPECT_EQ(last[5], run["energy"]["final"].get<double>());
}

TEST(Contract, TheSameRunGivesTheSameBits) {
  const json one = run_json("heavy-top --method yoshida4"), two = run_json("heavy-top --method yoshida4");
  EXPECT_EQ(one["q"], two["q"]);
  EXPECT_EQ(one["p"], two["p"]);
}

// The digests are those of the bytes of q and p of the same run, made with sha256sum.
TEST(Contract, TheHashOfARunIsThatOfItsLastState) {
  for (const std::string run : {"pendulum --steps 100", "charged-particle --steps 50", "polymer --steps 3"}) {
    const json whole = run_json(run + " --backend interpret");
    const OwnFolder folder;
    const std::string file = folder.string() + "/state";
    std::ofstream bytes(file, std::ios::binary);
    for (const char* key : {"q", "p"})
      for (const double x : whole[key]) bytes.write(reinterpret_cast<const char*>(&x), sizeof x);
    bytes.close();
    ASSERT_EQ(std::system(("sha256sum < " + file + " > " + file + ".sum").c_str()), 0);
    const std::string expected = read_text(file + ".sum").substr(0, 64);
    const auto printed = run_taut("run " + run + " --backend interpret --hash", folder.string());
    EXPECT_EQ(printed.out, expected + "\n") << run;
    EXPECT_EQ(printed.status, 0) << run;
  }
  const auto both = run_taut("run pendulum --hash --json");
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("--json and --hash both say what is printed"), std::string::npos) << both.err;
}

TEST(Contract, SolversAndPlainUpdatesReachTheSamePoint) {
  const json newton = run_json("six-node-chain --steps 100");
  for (const char* flag : {"--solver symmetric", "--solver sweep", "--plain-updates"}) {
    const json other = run_json(std::string("six-node-chain --steps 100 ") + flag);
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(newton["q"][i], other["q"][i], 1e-11) << flag;
  }
}

TEST(Contract, HelpAndVersionGoToStandardOutput) {
  for (const char* flag : {"--help", "run --help", "--version", "", "methods", "problems"}) {
    const auto ran = run_taut(flag);
    EXPECT_EQ(ran.status, 0) << flag;
    EXPECT_EQ(ran.err, "") << flag;
    EXPECT_NE(ran.out, "") << flag;
  }
}

}  // namespace
