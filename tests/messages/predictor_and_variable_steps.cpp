// What the papers' own implementations had: a predictor and its stopping rule, backward differentiation with
// steps chosen by their error, estimates of the error of a step. All of it through the program.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

#include "support/own_model.hpp"
#include "support/run_program.hpp"

namespace {

using nlohmann::json;
using taut::test::OwnFolder;
using taut::test::run_taut;

json done(const std::string& command) {
  const auto ran = run_taut("run " + command + " --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  return ran.status == 0 ? json::parse(ran.out) : json();
}

double iterations(const std::string& command) {
  return done(command)["newton"]["iterations_mean"].get<double>();
}

void expect_refused(const std::string& command, const std::string& words) {
  const auto refused = run_taut(command);
  EXPECT_EQ(refused.status, 2) << command;
  EXPECT_NE(refused.err.find(words), std::string::npos) << command << "\n" << refused.err;
}

// Leimkuhler and Skeel 7.1, on their chain: the predictor saves corrections in both methods, VS and VR; with
// their stopping rule about a whole one. Measured: VS 4.03 and 3.16 to rounding, 2.87 and 1.88 by the rule;
// VR 2.72 and 1.88 by the rule.
TEST(Predictor, SavesCorrectionsOfBothMethods) {
  for (const std::string method : {"rattle", "shake-velocity", "shake", "'shake(two-step)'", "yoshida4"}) {
    const std::string command = "six-node-chain --step 0.05 --until 10 --method " + method;
    EXPECT_LT(iterations(command + " --first-guess quadratic"), iterations(command) - 0.4) << method;
  }
  for (const std::string method : {"rattle", "shake-velocity"}) {
    const std::string command =
        "six-node-chain --step 0.01 --until 10 --tolerance 1e-6 --stop-rule change --method " + method;
    EXPECT_LT(iterations(command + " --first-guess quadratic"), iterations(command) - 0.7) << method;
  }
  const std::string command = "six-node-chain --step 0.01 --until 1 --method rattle";
  const json zero = done(command), guessed = done(command + " --first-guess quadratic");
  EXPECT_EQ(guessed["method"], "rattle");
  EXPECT_NEAR(zero["q"][0].get<double>(), guessed["q"][0].get<double>(), 1e-12);
}

// Measured: 5.00 and 3.01 corrections a step for rattle, 5.85 and 3.02 for VS.
TEST(Predictor, ServesSystemsOfParticles) {
  for (const std::string method : {"rattle", "shake-velocity"}) {
    const std::string command = "c60 --steps 100 --method " + method;
    EXPECT_LT(iterations(command + " --first-guess quadratic"), iterations(command) - 1.5) << method;
  }
}

TEST(Predictor, IsRefusedWhereNothingIsRemembered) {
  expect_refused("run pendulum --method midpoint --first-guess quadratic",
                 "midpoint cannot begin at a guess from earlier steps");
  expect_refused("run pendulum --method shake --first-guess multiplier",
                 "shake cannot begin at the multiplier");
  expect_refused("run rigid-water --first-guess multiplier",
                 "systems of particles do not begin at the multiplier");
  expect_refused("run pendulum --first-guess cubic", "cubic");
}

// The stopping rule asks for the change, too: more corrections, and less left of g.
TEST(StopRule, AsksForTheChangeToo) {
  const std::string command = "six-node-chain --step 0.01 --until 10 --tolerance 1e-6 --method ";
  for (const std::string method : {"rattle", "shake-velocity"}) {
    const json residual = done(command + method), change = done(command + method + " --stop-rule change");
    EXPECT_GT(change["newton"]["iterations_mean"], residual["newton"]["iterations_mean"]) << method;
    EXPECT_LT(change["residual"]["position_max"].get<double>(),
              residual["residual"]["position_max"].get<double>() / 10)
        << method;
  }
  expect_refused("run pendulum --stop-rule change", "needs a tolerance");
  expect_refused("run pendulum --stop-rule change --tolerance 1e-6 --method midpoint",
                 "midpoint stops by the residual alone");
  expect_refused("run pendulum --stop-rule both --tolerance 1e-6", "both");
}

// tests/papers/pendulums.py has the values: H(T) of the pendulum from rest at a right angle.
TEST(VariableSteps, HaveTheEnergyOfASecondImplementation) {
  const std::string command = "pendulum --step 0.2966519483682195 --steps 25 --method 'bdf-variable(4)' ";
  const auto gained = [&](const std::string& tolerance) {
    const json run = done(command + "--error-tolerance " + tolerance);
    return run["energy"]["final"].get<double>() - run["energy"]["initial"].get<double>();
  };
  EXPECT_NEAR(gained("1e-3"), 1.7960582e-2, 1e-8);
  EXPECT_NEAR(gained("1e-4"), 3.5061848e-3, 1e-9);
  EXPECT_NEAR(gained("1e-6"), 1.7616643e-4, 1e-10);
  EXPECT_EQ(gained("1e-6"), done(command)["energy"]["final"].get<double>());  // the default; H(0) is 0
}

// The same with orders that are chosen: a loose tolerance makes the method leave the highest, a tight one
// does not.
TEST(VariableOrder, HasTheEnergyOfASecondImplementation) {
  const std::string command = "pendulum --step 0.2966519483682195 --steps 25 --method ";
  const auto gained = [&](const std::string& method, const std::string& tolerance) {
    const json run = done(command + method + " --error-tolerance " + tolerance);
    return run["energy"]["final"].get<double>() - run["energy"]["initial"].get<double>();
  };
  EXPECT_NEAR(gained("'bdf-variable-order(5)'", "1e-2"), 0.2612378771, 1e-7);
  EXPECT_NEAR(gained("'bdf-variable-order(5)'", "1e-3"), 6.9374637e-3, 1e-9);
  EXPECT_EQ(gained("bdf-variable-order", "1e-3"), gained("'bdf-variable-order(5)'", "1e-3"));
  EXPECT_NE(gained("'bdf-variable(5)'", "1e-3"), gained("'bdf-variable-order(5)'", "1e-3"));
  EXPECT_EQ(gained("'bdf-variable(5)'", "1e-6"), gained("'bdf-variable-order(5)'", "1e-6"));
  expect_refused("run pendulum --method 'bdf-variable-order(7)'", "from 1 to 6");
}

TEST(VariableSteps, AreRefusedOfOthersAndOutOfRange) {
  expect_refused("run pendulum --method rattle --error-tolerance 1e-6", "rattle takes steps of one size");
  expect_refused("run pendulum --method 'bdf-variable(4)' --error-tolerance 2", "the error tolerance is 2");
  expect_refused("run pendulum --method 'bdf-variable(4)' --error-tolerance 1e-16",
                 "the error tolerance is 1e-16");
  expect_refused("run pendulum --method 'bdf-variable(7)'", "from 1 to 6");
  expect_refused("run rigid-water --method 'bdf-variable(2)'", "is not offered for systems of particles");
}

// Solves must leave less than the errors by which the steps are chosen.
TEST(VariableSteps, TakeNoToleranceThatHidesTheirErrors) {
  for (const char* loose : {"'bdf-variable(4)' --tolerance 1e-2", "'bdf-variable(2)' --tolerance 1e-4"})
    expect_refused("run double-pendulum --steps 100 --method " + std::string(loose),
                   "Give a tolerance of at most 1e-08");
  expect_refused("run pendulum --method 'bdf-variable(2)' --tolerance 1e-4 --error-tolerance 1e-3",
                 "at most 1e-05");
  const json run = done("double-pendulum --steps 100 --method 'bdf-variable(4)' --tolerance 1e-8");
  EXPECT_EQ(run["steps"], 100);
  EXPECT_EQ(
      done("pendulum --steps 20 --method 'bdf-variable(2)' --tolerance 1e-4 --error-tolerance 1e-2")["steps"],
      20);
}

// The constraint has noise of 1e-9, which no step is short enough for.
TEST(VariableSteps, ThatCollapseSaySo) {
  const taut::test::OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2 + 1e7*(sin(x)^2 + cos(x)^2 - 1)"]
[initial]
x = 1
[run]
step = 0.05
steps = 20
)toml");
  const auto ran = model.run("--method 'bdf-variable(2)' --error-tolerance 1e-11");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_NE(ran.err.find("stays above the error tolerance down to a size of"), std::string::npos) << ran.err;
}

// The estimates are columns and parts of the summary, and they are errors: of a Lobatto step they bound the
// error, and dopri5's is that of its embedded method, of order 4.
TEST(LocalError, IsShownAndHasItsOrder) {
  const auto estimate = [](const std::string& method, double h) {
    const json run = done("double-pendulum --local-error estimate --until 2 --step " + std::to_string(h) +
                          " --method " + method);
    EXPECT_LT(run["local_error"]["last"], run["local_error"]["max"]);
    return run["local_error"]["max"].get<double>();
  };
  const auto slope = [&](const std::string& method, double h) {
    return std::log2(estimate(method, h) / estimate(method, h / 2));
  };
  for (int s = 2; s <= 4; ++s) EXPECT_NEAR(slope("'lobatto(" + std::to_string(s) + ")'", 0.02), s, 0.35) << s;
  EXPECT_NEAR(slope("dopri5 --formulation underlying", 0.02), 5, 0.35);
  EXPECT_NEAR(slope("dop853 --formulation underlying", 0.1), 8, 0.6);
  const json step =
                 done("double-pendulum --local-error estimate --steps 1 --step 0.05 --method 'lobatto(3)'"),
             exact = done("double-pendulum --steps 10 --step 0.005 --method 'lobatto(6)'");
  double off = 0;
  for (const char* part : {"q", "p"})
    for (std::size_t i = 0; i < step[part].size(); ++i)
      off += std::pow(step[part][i].get<double>() - exact[part][i].get<double>(), 2);
  EXPECT_GT(step["local_error"]["max"].get<double>(), std::sqrt(off));
  EXPECT_FALSE(exact.contains("local_error"));

  const OwnFolder folder;
  const auto kept =
      run_taut("run pendulum --method 'lobatto(3)' --steps 10 --every 1 --local-error estimate --out " +
               folder.string() + "/run");
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_NE(kept.out.find("by the method's own estimate"), std::string::npos) << kept.out;
  const std::string samples = taut::test::read_text(folder.string() + "/run/samples.csv");
  EXPECT_NE(samples.substr(0, samples.find('\n')).find("local_error"), std::string::npos) << samples;
}

TEST(LocalError, IsRefusedWhereThereIsNone) {
  expect_refused("run pendulum --method rattle --local-error estimate",
                 "rattle has no estimate of its error");
  expect_refused("run pendulum --method rk4 --local-error estimate", "rk4");
  expect_refused("run pendulum --local-error yes", "yes");
}

}  // namespace
