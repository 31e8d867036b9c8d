// --precision as a user meets it: digits in JSON and text, formulas of the model, resumed runs, refusals.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/all_digits.hpp"
#include "support/killable.hpp"
#include "support/run_program.hpp"

namespace {

using namespace taut::test;

// What mpmath gives.
constexpr const char* root = "0.959166304662543908319487612832538784";    // sqrt(0.92)
constexpr const char* energy = "0.480833695337456091680512387167461216";  // 1.44 - sqrt(0.92)

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

TEST(Precision, FormulasOfTheModelHaveAllDigits) {
  const Ran ran = run_taut(
      "run charged-particle --steps 0 --precision quad --json --quantity 'twice=2*z' --quantity "
      "'part=p_x/3'");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto q = digits_after(ran.out, "q");
  ASSERT_EQ(q.size(), 3U) << ran.out;
  EXPECT_EQ(q[0], "0.2");
  EXPECT_LT(std::abs(difference(q[2], root)), 2e-34);
  EXPECT_LT(std::abs(difference(digits_after(ran.out, "initial")[0], energy)), 4e-34);
  EXPECT_LT(std::abs(difference(digits_after(ran.out, "twice")[0], "1.918332609325087816638975225665077568")),
            6e-34);
  EXPECT_LT(std::abs(difference(digits_after(ran.out, "part")[0], "0.333333333333333333333333333333333333")),
            2e-34);
  const auto json = nlohmann::json::parse(ran.out);  // the contract: numbers, the usual members
  EXPECT_EQ(json["precision"], "quad");
  EXPECT_EQ(json["backend"], "specialise");
  EXPECT_DOUBLE_EQ(json["q"][2].get<double>(), std::sqrt(0.92));
}

// The step is one tenth, and not the double next to it: 30 steps end at 3 to the last digit.
TEST(Precision, TheStepAndTheTimeHaveAllDigits) {
  const Ran ran = run_taut("run pendulum --step 0.1 --steps 30 --precision quad --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_LT(std::abs(difference(digits_after(ran.out, "time")[0], "3")), 1e-33);
  EXPECT_LT(std::abs(std::stod(digits_after(ran.out, "position_max")[0])), 1e-32);
  EXPECT_LT(std::abs(std::stod(digits_after(ran.out, "momentum_max")[0])), 1e-32);
}

TEST(Precision, SamplesHaveTheDigitsInText) {
  const OwnFolder folder;
  for (const auto& [precision, least, most] : {std::tuple{"long", 17, 21}, std::tuple{"quad", 32, 36}}) {
    const std::string out = (folder / precision).string();
    const Ran ran =
        run_taut("run charged-particle --steps 7 --every 7 --out " + out + " --precision " + precision);
    ASSERT_EQ(ran.status, 0) << ran.err;
    std::istringstream line(last_line(read_text(out + "/samples.csv")));
    std::string time, x;
    std::getline(line, time, ',');
    std::getline(line, x, ',');
    EXPECT_LT(std::abs(difference(time, "0.84")), precision == std::string("quad") ? 1e-33 : 1e-18);
    const std::string digits = x.substr(x.find_first_not_of("-0."));
    EXPECT_GE(static_cast<int>(digits.size()), least) << x;
    EXPECT_LE(static_cast<int>(digits.size()), most) << x;
    const Ran shown = run_taut("show " + out);
    EXPECT_EQ(shown.status, 0) << shown.err;
  }
}

// Starts a run and stops it as soon as it has written a checkpoint. Returns whether that was before its end.
bool stopped_at_its_first_checkpoint(const std::string& command, const std::string& folder) {
  std::istringstream words(command);
  Process process(std::vector<std::string>(std::istream_iterator<std::string>(words), {}));
  for (int i = 0; i < 12000 && !std::filesystem::exists(folder + "/checkpoint.taut"); ++i)
    sleep_seconds(0.005);
  process.send(SIGINT);
  return process.wait() == 130;
}

// A run that is stopped in the middle and resumed has the samples and the end of one that is not.
TEST(Precision, AResumedRunHasTheSameDigits) {
  const OwnFolder folder;
  for (const std::string precision : {"long", "quad"}) {
    const std::string whole = (folder / (precision + "-whole")).string(),
                      part = (folder / (precision + "-part")).string();
    const std::string options =
        " --method yoshida4 --step 0.02 --checkpoint-every 0.01 --precision " + precision +
        (precision == "long" ? " --every 1000 --steps 1000000" : " --every 50 --steps 50000");
    ASSERT_EQ(run_taut("run pendulum --out " + whole + options).status, 0);
    ASSERT_TRUE(stopped_at_its_first_checkpoint("run pendulum --out " + part + options, part))
        << "the run was over too soon";
    const Ran resumed = run_taut("resume " + part);
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(read_text(whole + "/samples.csv"), read_text(part + "/samples.csv"));
    const auto of_whole = read_text(whole + "/summary.json"), of_part = read_text(part + "/summary.json");
    for (const char* key : {"q", "p", "final", "max_error", "gradients"})
      EXPECT_EQ(digits_after(of_whole, key), digits_after(of_part, key)) << key;
  }
}

// An order of 8 is hidden by rounding in a double; the residuals are those of 128 bits.
TEST(Precision, ACertificateIsMeasuredInIt) {
  const Ran ran = run_taut("check pendulum --method 'lobatto(5)' --steps 200 --precision quad");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("order                 8         8 "), std::string::npos) << ran.out;
  const std::size_t row = ran.out.find("position residual");
  ASSERT_NE(row, std::string::npos);
  EXPECT_LT(std::stod(ran.out.substr(row + std::string("position residual     0").size())), 1e-30) << ran.out;
  // A tolerance that stops the solves at 1e-20 is seen.
  const Ran loose = run_taut("check pendulum --method rattle --steps 200 --precision quad --tolerance 1e-20");
  EXPECT_EQ(loose.status, 1) << loose.out;
}
TEST(Precision, MethodsAreComparedInIt) {
  const Ran ran = run_taut(
      "compare pendulum --methods 'lobatto(5)' --precision quad --until 1 --steps-ladder 0.05,0.025,0.0125 "
      "--ladder-time 1 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto rungs = nlohmann::json::parse(ran.out)["methods"][0]["ladder"];
  ASSERT_EQ(rungs.size(), 3U) << ran.out;
  const double coarse = rungs[1]["error"].get<double>(), fine = rungs[2]["error"].get<double>();
  EXPECT_LT(fine, 1e-17);
  EXPECT_NEAR(std::log2(coarse / fine), 8, 0.1);
}

// A formulation has the digits too: dop853 shows its order far below the rounding of a double. What keeps
// g = 0 keeps it to the rounding of the precision; dop853 does not, so it is not kept by chance.
TEST(Precision, FormulationsHaveTheDigits) {
  const auto ends = [](const std::string& how) {
    const Ran ran = run_taut("run pendulum --precision quad --json " + how);
    EXPECT_EQ(ran.status, 0) << how << "\n" << ran.err;
    return ran.out;
  };
  const auto x = [&](const std::string& step) {
    return digits_after(ends("--method dop853 --formulation dirac-weak " + step), "q")[0];
  };
  const std::string coarse = x("--step 0.01 --steps 50"), fine = x("--step 0.005 --steps 100"),
                    finest = x("--step 0.0025 --steps 200");
  const double by = std::abs(difference(coarse, fine)) / std::abs(difference(fine, finest));
  EXPECT_LT(std::abs(difference(fine, finest)), 1e-19);
  EXPECT_NEAR(std::log2(by), 8, 0.5);
  const auto residual = [&](const std::string& how) {
    return std::abs(std::stod(digits_after(ends(how), "position_max")[0]));
  };
  EXPECT_GT(residual("--method dop853 --formulation dirac-weak --step 0.05 --steps 50"), 1e-20);
  EXPECT_LT(residual("--method 'radau(2)' --formulation ggl --steps 20"), 1e-32);
}

TEST(Precision, RefusalsNameWhatHasIt) {
  struct Refused {
    std::string arguments, words;
  };
  for (const Refused& r :
       {Refused{"run rigid-water --precision quad", "systems of particles"},
        Refused{"run heavy-top --method rk4 --formulation parametrised --precision quad", "parametris"},
        Refused{"run pendulum --backend interpret --precision long", "backend specialise"},
        Refused{"run pendulum --precision quadruple", "double, long, quad"},
        Refused{"run pendulum --set run.precision=sextuple", "known here: double, long, quad"},
        Refused{"check water-box --precision quad",
                "the precision quad is not there for systems of particles"}}) {
    const Ran ran = run_taut(r.arguments);
    EXPECT_EQ(ran.status, 2) << r.arguments << "\n" << ran.err;
    EXPECT_NE(ran.err.find(r.words), std::string::npos) << r.arguments << "\n" << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Precision, WithoutACompilerItIsRefused) {
  const OwnFolder empty;
  const Ran ran = run_taut("run pendulum --steps 3 --precision quad", "/",
                           "export PATH=" + empty.string() + " XDG_CACHE_HOME=" + empty.string() + " CXX=; ");
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_NE(ran.err.find("the precision quad needs a step that is compiled for the run"), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("double runs everywhere"), std::string::npos) << ran.err;
}

// A start that was typed with few digits is on the manifold to that many; --project-start brings it there to
// all.
TEST(Precision, AStartOfFewDigitsIsProjectedToAll) {
  const std::string start =
      "run pendulum --steps 1 --step 0.01 --precision quad --json --set x=0.866025403784 --set y=-0.5";
  const Ran off = run_taut(start), on = run_taut(start + " --project-start");
  ASSERT_EQ(off.status, 0) << off.err;
  ASSERT_EQ(on.status, 0) << on.err;
  EXPECT_GT(std::stod(digits_after(off.out, "position_max")[0]), 1e-14);
  EXPECT_LT(std::stod(digits_after(on.out, "position_max")[0]), 1e-33);
  EXPECT_NE(on.out.find("start_moved"), std::string::npos);
}

}  // namespace
