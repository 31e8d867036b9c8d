// adaptive(M) as a user meets it: the summary, samples at equal times, resumed runs, refusals.

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/killable.hpp"
#include "support/run_json.hpp"

namespace {

using namespace taut::test;
using nlohmann::json;

json run_of(const std::string& arguments) { return run_json(arguments, "."); }

TEST(AdaptiveRuns, ASummaryHasTheSizesAndEndsAtTheTime) {
  const json run = run_of("kepler-on-sphere --until 20 --backend interpret");
  EXPECT_EQ(run["method"], "adaptive(rattle)");
  EXPECT_EQ(run["time"], 20.0);
  EXPECT_LE(run["steps"], 1600 * 20);
  EXPECT_LE(run["energy"]["max_error"], 3.4e-4);
  const json& sizes = run["step_sizes"];
  EXPECT_LT(sizes["shortest"], 3e-6);
  EXPECT_GT(sizes["longest"], 2e-3);
  EXPECT_NEAR(sizes["mean"].get<double>() * run["steps"].get<double>(), 20, 0.01);
  // The end is that of a method of order 8.
  const json exact = run_of("kepler-on-sphere --until 20 --method 'adaptive(kahan-li8)' --step 0.02");
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(run["q"][i], exact["q"][i], 3e-3);
}

TEST(AdaptiveRuns, TheExamplesKeepTheirEnergy) {
  for (const std::string model : {"satellite-dumbbell", "bead-past-attractor"}) {
    const json run = run_of(model);
    EXPECT_LT(run["energy"]["max_error"], 2e-3) << model;
    EXPECT_LT(std::abs(run["energy"]["drift"]["total"].get<double>()),
              run["energy"]["drift"]["error"].get<double>())
        << model;
    EXPECT_LT(run["residual"]["position_max"], 1e-14) << model;
    EXPECT_GT(run["step_sizes"]["longest"], 5 * run["step_sizes"]["shortest"].get<double>()) << model;
    const json alone = run_of(model + " --step-function auto --step 0.01 --until 20");
    EXPECT_LT(alone["energy"]["max_error"], 3e-2) << model;
  }
}

// The Hamiltonian σ(q)(H + p_time) has the motion of H in another time.
TEST(AdaptiveRuns, ATransformedHamiltonianHasTheSameMotion) {
  const json run = run_of("kepler-in-fictitious-time --steps 1000 --step 0.01 --method 'lobatto(4)'");
  const double time = run["q"][3];
  EXPECT_GT(time, 1.7);  // past the pole
  const json same =
      run_of(fmt::format("kepler-on-sphere --method 'adaptive(kahan-li8)' --step 0.02 --until {}", time));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(run["q"][i], same["q"][i], 1e-8);
  EXPECT_NEAR(run["quantities"]["energy_in_t"], same["energy"]["initial"], 1e-9);
}

// --time-transform writes it: the same motion in t, with energies and multipliers of H.
TEST(AdaptiveRuns, ATimeTransformGivesTheSameMotionByEveryMethodThatTakesIt) {
  const std::string sigma = " --time-transform '(x^2 + y^2)^0.75' --backend interpret";
  struct Case {
    std::string method, step;
    double error;
  };
  const json exact =
      run_of("kepler-on-sphere --until 1.9 --method 'adaptive(kahan-li8)' --step 0.02 --backend interpret");
  for (const Case& c : {Case{"lobatto(4)", "0.04", 1e-7}, Case{"midpoint", "0.02", 1e-2},
                        Case{"dirac-gauss(3)", "0.04", 1e-7}}) {
    const json run = run_of("kepler-on-sphere --until 1.9 --method '" + c.method + "' --step " + c.step +
                            sigma + " --quantity v=v_x");
    EXPECT_EQ(run["time"], 1.9) << c.method;
    EXPECT_NEAR(run["q"][3], 1.9, 1e-14) << c.method;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(run["q"][i], exact["q"][i], c.error) << c.method;
      EXPECT_NEAR(run["p"][i], exact["p"][i], 10 * c.error) << c.method;
    }
    EXPECT_NEAR(run["lambda"][0], exact["lambda"][0], 100 * c.error) << c.method;
    EXPECT_NEAR(run["quantities"]["v"], run["p"][0], 1e-14) << c.method;  // a velocity in t: the mass is 1
    EXPECT_DOUBLE_EQ(run["p"][3].get<double>(), -run["energy"]["initial"].get<double>()) << c.method;
    EXPECT_NEAR(run["energy"]["initial"], exact["energy"]["initial"], 1e-15) << c.method;
    EXPECT_LT(run["residual"]["position_max"], 1e-14) << c.method;
    EXPECT_GT(run["step_sizes"]["longest"], 100 * run["step_sizes"]["shortest"].get<double>()) << c.method;
  }
}

// The step of (q, t, p, p_t) is symplectic, which that of adaptive(M) is not; and the order is in τ.
TEST(AdaptiveRuns, ACertificateOfATimeTransformIsThatOfASymplecticMethod) {
  const std::string what = "check kepler-on-sphere --method 'lobatto(3)' --step 0.02 --steps 400 ";
  const Ran check = run_taut(what + "--time-transform '(x^2 + y^2)^0.75'");
  EXPECT_EQ(check.status, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("symplectic defect     0 "), std::string::npos) << check.out;
  EXPECT_EQ(check.out, run_taut(what + "--set 'run.time-transform=(x^2 + y^2)^0.75'").out);
}

std::vector<std::vector<double>> rows_of(const std::string& csv) {
  std::istringstream lines(read_text(csv));
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (line.starts_with("#") || line.starts_with("t,")) continue;
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

TEST(AdaptiveRuns, SamplesAreAtEqualTimesOrAtEveryStep) {
  const OwnFolder folder;
  const std::string base = "run kepler-on-sphere --until 5 --backend interpret --out ";
  const std::string even = (folder / "even").string(), each = (folder / "each").string();
  ASSERT_EQ(run_taut(base + even + " --interval 0.25").status, 0);
  const auto rows = rows_of(even + "/samples.csv");
  ASSERT_EQ(rows.size(), 21U);
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_DOUBLE_EQ(rows[k][0], 0.25 * static_cast<double>(k));
  ASSERT_EQ(run_taut(base + each + " --every 100").status, 0);
  const auto steps = rows_of(each + "/samples.csv");
  EXPECT_GT(steps.size(), 60U);
  double shortest = 1, longest = 0;
  for (std::size_t k = 2; k + 1 < steps.size(); ++k) {
    shortest = std::min(shortest, steps[k][0] - steps[k - 1][0]);
    longest = std::max(longest, steps[k][0] - steps[k - 1][0]);
  }
  EXPECT_GT(longest, 20 * shortest);
  EXPECT_EQ(steps.back()[0], 5.0);
  EXPECT_EQ(steps.back()[1], rows.back()[1]);  // x at the end
}

TEST(AdaptiveRuns, AResumedRunHasTheSameBits) {
  const OwnFolder folder;
  const std::string whole = (folder / "whole").string(), part = (folder / "part").string();
  const std::string options =
      " --until 250 --interval 0.5 --backend interpret --checkpoint-every 0.01 --out ";
  ASSERT_EQ(run_taut("run kepler-on-sphere" + options + whole).status, 0);
  std::istringstream words("run kepler-on-sphere" + options + part);
  Process process(std::vector<std::string>(std::istream_iterator<std::string>(words), {}));
  for (int i = 0; i < 12000 && !std::filesystem::exists(part + "/checkpoint.taut"); ++i) sleep_seconds(0.005);
  sleep_seconds(0.1);
  process.send(SIGINT);
  ASSERT_EQ(process.wait(), 130) << "the run was over too soon";
  const Ran resumed = run_taut("resume " + part);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(read_text(whole + "/samples.csv"), read_text(part + "/samples.csv"));
  const json a = json::parse(read_text(whole + "/summary.json")),
             b = json::parse(read_text(part + "/summary.json"));
  for (const char* key : {"q", "p", "steps", "energy", "step_sizes", "time"})
    EXPECT_EQ(a[key], b[key]) << key;
}

TEST(AdaptiveRuns, ATransformedRunIsSampledAtEqualTimesAndResumedToTheSameBits) {
  const OwnFolder folder;
  const std::string even = (folder / "even").string();
  const std::string base =
      "run kepler-on-sphere --method lobatto(3) --step 0.02 --time-transform (x^2+y^2)^0.75 --backend "
      "interpret ";
  const auto words_of = [&](const std::string& more) {
    std::istringstream words(base + more);
    return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
  };
  const auto run = [&](const std::string& more) {
    Process process(words_of(more));
    return process.wait();
  };
  ASSERT_EQ(run("--until 5 --interval 0.25 --out " + even), 0);
  const auto rows = rows_of(even + "/samples.csv");
  ASSERT_EQ(rows.size(), 21U);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_DOUBLE_EQ(rows[k][0], 0.25 * static_cast<double>(k));
    EXPECT_NEAR(rows[k][4], rows[k][0], 1e-14);  // the coordinate `time`
  }
  const std::string whole = (folder / "whole").string(), part = (folder / "part").string();
  const std::string options = "--until 40 --interval 0.5 --checkpoint-every 0.01 --out ";
  ASSERT_EQ(run(options + whole), 0);
  Process process(words_of(options + part));
  for (int i = 0; i < 12000 && !std::filesystem::exists(part + "/checkpoint.taut"); ++i) sleep_seconds(0.005);
  sleep_seconds(0.1);
  process.send(SIGINT);
  ASSERT_EQ(process.wait(), 130) << "the run was over too soon";
  const Ran resumed = run_taut("resume " + part);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(read_text(whole + "/samples.csv"), read_text(part + "/samples.csv"));
}

void refuses(const std::string& arguments, const std::string& words, int status = 2) {
  const Ran ran = run_taut("run " + arguments);
  EXPECT_EQ(ran.status, status) << arguments;
  EXPECT_NE(ran.err.find(words), std::string::npos) << arguments << "\n" << ran.err;
}

TEST(AdaptiveRuns, RefusalsSayWhy) {
  refuses("pendulum --method 'adaptive(bdf(2))'", "bdf(2) is not symmetric");
  refuses("pendulum --method 'adaptive(multistep8)'", "remembers points");
  refuses("pendulum --method 'adaptive(rk4)'", "integrates a formulation");
  refuses("pendulum --method 'adaptive(adaptive(rattle))'", "its steps have one size");
  refuses("pendulum --step-function y", "a step function is for adaptive(M)");
  refuses("pendulum --longest-step 0.1", "no step is too short or too long for it");
  refuses("pendulum --interval 1", "for adaptive(M)");
  refuses("kepler-on-sphere --step-function '-x'", "must be positive");
  refuses("kepler-on-sphere --step-function p_x", "uses the momentum `p_x`");
  refuses("kepler-on-sphere --precision quad", "double precision alone");
  refuses("kepler-on-sphere --on-failure halve", "not reversible");
  refuses("polymer --method 'adaptive(rattle)'", "system of particles");
  refuses("kepler-on-sphere --shortest-step 1e-4", "the shortest that is allowed is 0.0001", 1);
  refuses("kepler-on-sphere --longest-step 1e-3", "the longest that is allowed is 0.001", 1);
  refuses("kepler-on-sphere --step 20", "could not be met at t = 0", 1);
  refuses("bead-past-attractor --step-function '1/sqrt(x^2 + y^2)'", "density of steps is no longer positive",
          1);
  const std::string transform = " --time-transform '(x^2 + y^2)^0.75'";
  refuses("kepler-on-sphere" + transform, "beside adaptive(M)");
  refuses("kepler-on-sphere --step-function auto" + transform, "leave one out");
  refuses("kepler-on-sphere --method 'lobatto(3)' --time-transform '-x'", "it must be positive");
  refuses("kepler-on-sphere --method 'lobatto(3)' --time-transform p_x", "uses the momentum `p_x`");
  refuses("kepler-on-sphere --method 'bdf(2)'" + transform, "takes no time transform");
  refuses("kepler-on-sphere --method 'lobatto(3)' --longest-step 1" + transform, "limits on the sizes");
  refuses("kepler-on-sphere --method 'lobatto(3)' --precision quad" + transform, "double precision alone");
  refuses("rotating-hoop --method 'lobatto(3)' --time-transform 2", "depends on t or has forces");
  refuses("pendulum --method 'lobatto(3)' --step 0.01 --until 20 --time-transform 'x'", "no longer positive",
          1);
  const Ran ensemble = run_taut("ensemble kepler-on-sphere --size 2");
  EXPECT_EQ(ensemble.status, 2);
  EXPECT_NE(ensemble.err.find("steps of one size"), std::string::npos) << ensemble.err;
}

TEST(AdaptiveRuns, ACertificateAndAComparisonKnowThem) {
  const Ran check =
      run_taut("check kepler-on-sphere --method 'adaptive(lobatto(3))' --step 0.05 --steps 2000");
  EXPECT_EQ(check.status, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("order                 4         4 "), std::string::npos) << check.out;
  const Ran compared = run_taut(
      "compare kepler-on-sphere --methods 'adaptive(rattle),adaptive(kahan-li8)' --step 0.02 --until 4 "
      "--steps-ladder 0.02,0.01 --ladder-time 1 --json");
  ASSERT_EQ(compared.status, 0) << compared.err;
  const json methods = json::parse(compared.out)["methods"];
  ASSERT_EQ(methods.size(), 2U);
  const json& rungs = methods[0]["ladder"];
  EXPECT_NEAR(rungs[0]["error"].get<double>() / rungs[1]["error"].get<double>(), 4, 0.5);
}

}  // namespace
