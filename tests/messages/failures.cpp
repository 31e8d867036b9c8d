// What a user reads when a run fails on its way: to the letter, with status 1, and the results up
// to there kept.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <fstream>

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
            "taut: lobatto(3): the implicit equations of the step could not be met at t = 0.57 (step 19).\n"
            "  The iteration diverged: the residual is not a number after 7 Newton iterations.\n"
            "  Most often the step is too long for the forces or for the curvature of the constraint: try "
            "--step 0.015, or --method midpoint if the potential is stiff.\n"
            "  The last good state, of step 18 (t = 0.54), is on standard output.\n");
  EXPECT_EQ(run_taut(stiff + "midpoint").status, 0);
  for (const char* method : {"'radau(2)'", "'bdf(3)'"})
    EXPECT_NE(run_taut(stiff + method).err.find("or --method midpoint if"), std::string::npos) << method;
}

TEST(Failures, AMethodThatDivergesByNatureSaysSo) {
  const auto ran = run_taut("run pendulum --method 'gauss-unprojected(2)' --step 0.01 --steps 2000");
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

}  // namespace
