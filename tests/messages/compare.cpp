// taut compare, and the files that --report and --figures leave.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/run_program.hpp"

namespace {

using taut::test::OwnFolder;
using taut::test::Ran;
using taut::test::read_text;
using taut::test::run_taut;

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(Compare, ARowForEachMethod) {
  const Ran ran =
      run_taut("compare pendulum --methods 'rattle, lobatto(3),rk4' --formulation dirac-weak --until 20");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto all = lines(ran.out);
  ASSERT_EQ(all.size(), 8U) << ran.out;
  EXPECT_EQ(all[0], "Planar pendulum (Reich 1996), step 0.05, 400 steps");
  EXPECT_TRUE(all[2].starts_with("method")) << all[2];
  EXPECT_NE(all[2].find("error at t = 10"), std::string::npos) << all[2];
  EXPECT_TRUE(all[3].starts_with("rattle "));
  EXPECT_TRUE(all[4].starts_with("lobatto(3) "));
  EXPECT_TRUE(all[5].starts_with("rk4 on dirac-weak "));
  EXPECT_TRUE(all[7].starts_with("The error is that against lobatto(4) with step 0.000781")) << all[7];
}

// At 1e-8 the method of order 8 needs fewer gradients than the one of order 2 at 1e-4, and no error is shown
// that the reference does not know.
TEST(Compare, WorkForAPrecisionIsPrinted) {
  const Ran ran = run_taut("compare pendulum --methods rattle,multistep8 --until 5 --work-precision --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto all = nlohmann::json::parse(ran.out);
  const auto& methods = all["methods"];
  EXPECT_EQ(methods[0]["ladder"].size(), 11U);  // 2h … h/512
  const auto gradients_to = [](const nlohmann::json& method, double error) {
    for (const auto& rung : method["ladder"])
      if (rung["error"] <= error) return rung["gradients"].get<double>();
    return 1e300;
  };
  EXPECT_LT(gradients_to(methods[1], 1e-8), gradients_to(methods[0], 1e-4));
  EXPECT_LT(all["ladder"]["reference_error"], 1e-12);
  const Ran text = run_taut("compare pendulum --methods rattle,multistep8 --until 5 --work-precision");
  EXPECT_NE(text.out.find("error at most"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("(1.00)"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("not reached here"), std::string::npos) << text.out;
}

// A method whose longest step is already better than asked takes part in the ratios, with the work of that
// step.
TEST(Compare, AMethodThatIsBetterThanAskedIsNotCalledUnreached) {
  const Ran text =
      run_taut("compare pendulum --methods rattle,multistep8 --step 0.01 --until 2 --work-precision");
  ASSERT_EQ(text.status, 0) << text.err;
  const auto all = lines(text.out);
  const auto row =
      std::find_if(all.begin(), all.end(), [](const auto& line) { return line.starts_with("1e-04"); });
  ASSERT_NE(row, all.end()) << text.out;
  EXPECT_EQ(row->find("not reached"), std::string::npos) << *row;
  EXPECT_NE(row->find("at most"), std::string::npos) << *row;
}

TEST(Compare, TheLadderOfStepsIsChosenAndPrintedAsData) {
  const std::string command =
      "compare pendulum --methods 'rattle,lobatto(3)' --until 5 --steps-ladder 0.1,0.2,0.05 --ladder-time 2 ";
  const auto csv = lines(run_taut(command + "--csv").out);
  ASSERT_EQ(csv.size(), 7U);
  EXPECT_EQ(csv[0], "method,step,steps,error,cpu_seconds,gradients");
  EXPECT_TRUE(csv[1].starts_with("\"rattle\",0.2,10,")) << csv[1];
  EXPECT_TRUE(csv[6].starts_with("\"lobatto(3)\",0.05,40,")) << csv[6];
  const Ran ran = run_taut(command + "--json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["ladder"]["time"], 2);
  ASSERT_EQ(json["methods"].size(), 2U);
  const auto& rattle = json["methods"][0];
  EXPECT_EQ(rattle["result"], "done");
  EXPECT_GT(rattle["cpu_seconds_per_step"], 0);
  EXPECT_EQ(rattle["ladder"].size(), 3U);
  // The method has order 2: half the step, a quarter of the error.
  const double coarse = rattle["ladder"][1]["error"], fine = rattle["ladder"][2]["error"];
  EXPECT_NEAR(coarse / fine, 4, 0.2);
  const Ran text = run_taut(command);
  EXPECT_NE(text.out.find("CPU seconds"), std::string::npos) << text.out;
}

// The same method three times costs about the same three times, whatever its place in the list.
TEST(Compare, TheCostOfAStepDoesNotDependOnThePlaceInTheList) {
  const auto json = nlohmann::json::parse(
      run_taut("compare pendulum --methods rattle,rattle,rattle --until 10 --json").out);
  std::vector<double> costs;
  for (const auto& method : json["methods"]) costs.push_back(method["cpu_seconds_per_step"]);
  const auto [least, most] = std::minmax_element(costs.begin(), costs.end());
  EXPECT_LT(*most, 2 * *least) << json["methods"].size();
}

TEST(Compare, AFailedRunIsInTheTableAndInTheStatus) {
  const Ran ran = run_taut("compare pendulum --methods 'rattle,lobatto(3)' --step 3 --steps 50");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("failed at t ="), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("The last good state"), std::string::npos) << ran.err;
}

TEST(Compare, RefusesWhatItCannotDo) {
  const auto refused = [](const std::string& arguments, const std::string& part) {
    const Ran ran = run_taut("compare " + arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
  };
  refused("pendulum --methods rattle,,lobatto", "--methods needs names with commas between");
  refused("pendulum --methods rattle,ratle", "Did you mean `rattle`?");
  refused("charged-particle --methods 'lobatto(2),rattle'", "rattle");
  refused("pendulum", "--methods is required");
  refused("pendulum --methods rattle --steps-ladder 0.3 --ladder-time 1",
          "the errors are compared at t = 1, which is no whole number of steps of 0.3.");
  refused("pendulum --methods rattle --steps-ladder 0.1,,0.2",
          "--steps-ladder needs steps with commas between");
  refused("pendulum --methods rattle --steps-ladder 0.1,x", "--steps-ladder needs a number");
  refused("pendulum --methods rattle --json --csv", "standard output takes one of them");
}

TEST(Reports, ArePlacedWhereAskedAndNextToTheSamplesOtherwise) {
  const OwnFolder folder;
  const std::string out = (folder / "out").string();
  EXPECT_EQ(run_taut("run pendulum --until 10 --report", folder.string()).status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "report.html"));
  EXPECT_EQ(run_taut("run pendulum --until 10 --report --out " + out).status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "out/report.html"));
  EXPECT_EQ(run_taut("run pendulum --until 10 --figures " + (folder / "figures").string()).status, 0);
  std::size_t figures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "figures"))
    figures += entry.path().extension() == ".svg" ? 1 : 0;
  EXPECT_EQ(figures, 11U);
}

TEST(Reports, DoNotChangeTheSamples) {
  const OwnFolder folder;
  const std::string a = (folder / "a").string(), b = (folder / "b").string();
  for (const std::string options : {"--steps 1000 --every 7", "--steps 5003"}) {
    EXPECT_EQ(run_taut("run pendulum " + options + " --out " + a).status, 0);
    EXPECT_EQ(run_taut("run pendulum " + options + " --report --out " + b).status, 0);
    EXPECT_EQ(read_text(a + "/samples.csv"), read_text(b + "/samples.csv")) << options;
  }
}

TEST(Reports, OfARunThatFailsAtOnceOrHasNoStepsExistAllTheSame) {
  const OwnFolder folder;
  const std::string page = (folder / "report.html").string();
  EXPECT_EQ(run_taut("run pendulum --step 50 --steps 10 --report " + page).status, 1);
  EXPECT_NE(read_text(page).find("\"text\":\"! "), std::string::npos);  // the failure, on the page
  std::filesystem::remove(page);
  EXPECT_EQ(run_taut("run pendulum --steps 0 --report " + page).status, 0);
  EXPECT_NE(read_text(page).find("the run has no steps"), std::string::npos);
}

TEST(Reports, ThatCannotBeWrittenFailTheRun) {
  const Ran ran = run_taut("run pendulum --until 10 --report /proc/no/report.html");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("cannot make the folder /proc/no"), std::string::npos) << ran.err;
}

}  // namespace
