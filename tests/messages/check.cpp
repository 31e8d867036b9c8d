// The certificate: every example passes with its own method, and a claim that does not hold is seen.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/run_program.hpp"

namespace {

using nlohmann::json;
using taut::test::run_taut;

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(TAUT_SOURCE_DIR "/examples"))
    if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
  return names;
}

json certificate(const std::string& arguments, int status) {
  const auto ran = run_taut("check " + arguments + " --json");
  EXPECT_EQ(ran.status, status) << arguments << ran.err << ran.out;
  const json object = json::parse(ran.out);
  EXPECT_EQ(object["pass"], status == 0) << arguments;
  return object;
}

json check_of(const json& object, const std::string& name) {
  for (const json& check : object["checks"])
    if (check["name"] == name) return check;
  ADD_FAILURE() << "no check " << name;
  return {};
}

std::set<std::string> failed(const json& object) {
  std::set<std::string> names;
  for (const json& check : object["checks"])
    if (!check["pass"].get<bool>()) names.insert(check["name"]);
  return names;
}

TEST(Check, TheObject) {
  const json object = certificate("pendulum", 0);
  EXPECT_EQ(object["model"], "Planar pendulum (Reich 1996)");
  EXPECT_EQ(object["method"], "rattle");
  std::vector<std::string> names;
  for (const json& check : object["checks"]) {
    names.push_back(check["name"]);
    for (const char* key : {"claimed", "measured", "pass"}) EXPECT_TRUE(check.contains(key)) << check;
    EXPECT_TRUE(check["claimed"].is_number() && check["measured"].is_number()) << check;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"steps", "order", "symplectic defect", "reversibility defect",
                                             "position residual", "momentum residual", "energy drift",
                                             "energy error ratio", "changes of branch", "solve iterations"}));
  EXPECT_NEAR(check_of(object, "energy error ratio")["measured"], 4, 0.5);
  EXPECT_EQ(check_of(object, "changes of branch")["measured"], 0);
  EXPECT_NEAR(check_of(object, "order")["measured"], 2, 0.05);
  EXPECT_LT(check_of(object, "symplectic defect")["measured"], 1e-11);
  EXPECT_LT(check_of(object, "reversibility defect")["measured"], 1e-13);
}

double measured(const json& object, const std::string& name) {
  return check_of(object, name)["measured"].get<double>();
}

// --further has rows that nothing is claimed about. A pendulum without gravity and with |p| = 2 has σ = 4.
TEST(Check, FurtherRowsShowTheModifiedEnergyAndTheStabilityOfM) {
  const json circle = certificate(
      "pendulum --set gravity=0 --set x=1 --set y=0 --set p_y=-2 --step 0.01 --steps 2000 --further", 0);
  EXPECT_NEAR(measured(circle, "M, dirac-simplified") / (4 * std::sinh(8)), 1, 0.01);
  EXPECT_NEAR(measured(circle, "M, dirac"), 4, 0.01);
  EXPECT_NEAR(measured(circle, "M, underlying"), 2, 0.01);  // the time
  EXPECT_NE(check_of(circle, "M, dirac-simplified")["note"].get<std::string>().find(
                "saddle, at most like exp(4 t)"),
            std::string::npos);
  EXPECT_NEAR(measured(circle, "M, hamilton-dirac"), 1, 1e-6);
  const json swinging = certificate("double-pendulum --method rattle --steps 2000 --further", 0);
  EXPECT_LT(measured(swinging, "modified energy"), 1e-6);  // H moves by 1.1e-3
  EXPECT_TRUE(check_of(swinging, "modified energy")["claimed"].is_null());
}

// A step that is too long for differences over many of them shows no modified energy, rather than noise.
TEST(Check, AModifiedEnergyBelowTheNoiseIsNotShown) {
  const json noisy = certificate("double-pendulum --method 'lobatto(4)' --steps 2000 --further", 0);
  const json row = check_of(noisy, "modified energy");
  EXPECT_TRUE(row["measured"].is_null()) << row;
  EXPECT_NE(row["note"].get<std::string>().find("not to be seen: H moves by"), std::string::npos) << row;
}

// H need not be natural, nor the mass diagonal.
TEST(Check, StabilityOfMIsThereForAnyHamiltonian) {
  const json charged = certificate("charged-particle --steps 2000 --further", 0);
  EXPECT_GT(measured(charged, "M, dirac-simplified"), 1e3);
  EXPECT_LT(measured(charged, "M, dirac"), 100);
  const taut::test::OwnFolder folder;
  std::ofstream(folder / "full.toml")
      << "[system]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [[2, 0.5, 0], [0.5, 1, 0.1], [0, 0.1, 1.5]]\n"
         "potential = \"y + 0.1*z^3\"\nconstraints = [\"(x^2 + y^2 + z^2 - 1)/2\"]\n"
         "[initial]\nx = 0.6\ny = -0.8\n[run]\nstep = 0.05\n";
  const json full = certificate((folder / "full.toml").string() + " --steps 2000 --further", 0);
  EXPECT_NEAR(measured(full, "M, dirac-weak"), 1, 1e-6);
  EXPECT_LT(measured(full, "modified energy"), 1e-6);
}

// The row shows the solve that failed, and not the most of those that did not.
TEST(Check, ASolveThatFailedIsTheOneShown) {
  const json row =
      check_of(certificate("pendulum --formulation dirac-simplified --method implicit-midpoint", 1),
               "solve iterations");
  EXPECT_FALSE(row["pass"].get<bool>());
  EXPECT_GT(row["measured"], row["claimed"]) << row;
}

// At t = 1000 the time is rounded by 1e-13, and so is a constraint that turns with it.
TEST(Check, AConstraintThatDependsOnTheTimeIsRoundedWithIt) {
  certificate("rotating-hoop --steps 20000", 0);
  EXPECT_TRUE(
      failed(certificate("rotating-hoop --steps 2000 --tolerance 1e-6", 1)).contains("position residual"));
}

TEST(Check, FitsOneScreen) {
  const auto ran = run_taut("check pendulum");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  const auto lines = taut::test::lines_of(ran.out);
  EXPECT_LE(lines.size(), 12U);
  EXPECT_EQ(lines[0], "Planar pendulum (Reich 1996), rattle, step 0.05: pass");
  EXPECT_TRUE(lines[3].starts_with("order                 2         2 ± ")) << lines[3];
}

class EveryExample : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryExample, PassesWithItsOwnMethod) {
  const auto ran = run_taut("check '" TAUT_SOURCE_DIR "/examples/" + GetParam() + ".toml'");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}
INSTANTIATE_TEST_SUITE_P(Of, EveryExample, ::testing::ValuesIn(examples()), [](const auto& example) {
  return std::regex_replace(example.param, std::regex("-"), "_");
});

TEST(Check, ClaimsOfHigherOrderAndOtherFamilies) {
  EXPECT_NEAR(check_of(certificate("charged-particle --method 'lobatto(3)'", 0), "order")["measured"], 4,
              0.1);
  EXPECT_NEAR(check_of(certificate("pendulum --method yoshida8", 0), "order")["measured"], 8, 0.3);
  EXPECT_NEAR(check_of(certificate("double-pendulum --method symplectic-euler", 0), "order")["measured"], 1,
              0.1);
  // It lives on g = 0 alone, and does not claim the other constraint.
  const json object = certificate("pendulum --method shake-velocity", 0);
  EXPECT_TRUE(check_of(object, "momentum residual")["claimed"].is_null());
  EXPECT_GT(check_of(object, "momentum residual")["measured"], 1e-6);
}

TEST(Check, StepsFarBelowTheErrorOfTheMethodAreMadeLonger) {
  const json order = check_of(certificate("double-pendulum --method suzuki4 --step 1e-5", 0), "order");
  EXPECT_NEAR(order["measured"], 4, 0.3);
  EXPECT_NE(order["note"].get<std::string>().find("at 1e-05 the error is at rounding"), std::string::npos)
      << order;
}

// A step that bends sharply is still smooth.
TEST(Check, AStraightChainOfManyLinksPasses) {
  EXPECT_TRUE(failed(certificate("n-link-pendulum --set links=60", 0)).empty());
}

TEST(Check, NewtonStoppedEarlyIsSeen) {
  const auto names = failed(certificate("pendulum --tolerance 1e-3", 1));
  for (const char* name : {"order", "symplectic defect", "reversibility defect", "position residual"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Check, AStepThatIsTooLongIsSeen) {
  const auto ran = run_taut("check pendulum --step 1.9");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.out.starts_with("Planar pendulum (Reich 1996), rattle, step 1.9: does not pass\n"))
      << ran.out;
  EXPECT_TRUE(ran.err.starts_with("taut: rattle: the position constraint g(q) = 0 could not be met"))
      << ran.err;
  EXPECT_NE(ran.out.find("FAIL  the run failed before it could be seen\n"), std::string::npos) << ran.out;
  const auto names = failed(certificate("pendulum --step 1.9", 1));
  EXPECT_TRUE(names.contains("steps") && names.contains("symplectic defect"));
}

// It claims neither, so it passes; but what it does is reported.
TEST(Check, BdfIsNotSymplecticAndDrifts) {
  const json object = certificate("double-pendulum --method 'bdf(2)'", 0);
  const json defect = check_of(object, "symplectic defect"), drift = check_of(object, "energy drift");
  EXPECT_TRUE(defect["claimed"].is_null());
  EXPECT_GT(defect["measured"], 1e-4);
  EXPECT_TRUE(drift["claimed"].is_null());
  EXPECT_LT(drift["measured"], -1e-2);
  EXPECT_NE(run_taut("check double-pendulum --method 'bdf(2)'").out.find("symplectic defect     none      "),
            std::string::npos);
}

TEST(Check, AMethodOnAFormulationClaimsNoManifoldItDoesNotKeep) {
  const json plain = certificate("pendulum --method rk4", 0);
  for (const char* name : {"symplectic defect", "reversibility defect", "position residual",
                           "momentum residual", "energy drift"})
    EXPECT_TRUE(check_of(plain, name)["claimed"].is_null()) << name;
  EXPECT_NEAR(check_of(plain, "order")["measured"], 4, 0.2);
  EXPECT_EQ(
      check_of(certificate("pendulum --method rk4 --projection both", 0), "position residual")["claimed"], 0);
}

TEST(Check, WrongInputIsRefusedAsByARun) {
  for (const char* arguments :
       {"check pendulm", "check pendulum --method ratle", "check pendulum --set x=3"}) {
    const auto ran = run_taut(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_TRUE(ran.err.find("pendulum") != std::string::npos || ran.err.find("rattle") != std::string::npos)
        << ran.err;
  }
}

// The spring has ω = 11.8 at the start: h ω is 0.59 at the step of the model, and multistep10 bears 0.56.
TEST(Certificate, OfAMultistepMethodHasTheLimitOfStepTimesFrequency) {
  const auto good = run_taut("check stiff-pendulum --method multistep10 --step 0.02 --steps 400");
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("step times frequency  5.6e-01   2.4e-01                 pass"), std::string::npos)
      << good.out;
  const auto bad = run_taut("check stiff-pendulum --method multistep10 --step 0.05 --steps 400");
  EXPECT_EQ(bad.status, 1) << bad.out;
  EXPECT_NE(bad.out.find("step times frequency  5.6e-01   5.9e-01                 FAIL"), std::string::npos)
      << bad.out;
}

}  // namespace
