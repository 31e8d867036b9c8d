// Signals, failed steps, folders that cannot be used: what the user reads, and that the run can go on.
#include <taut/run/recording.hpp>
#include <taut/run/trajectory.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

#include "support/killable.hpp"

namespace taut {
namespace {

using test::finish;
using test::OwnFolder;
using test::Process;
using test::run_taut;
namespace fs = std::filesystem;

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::vector<std::string> long_run(const std::string& folder, const std::string& steps = "100000") {
  return {"run", "double-pendulum", "--method", "shake", "--steps", steps, "--every",
          "10",  "--format",        "binary",   "--out", folder};
}

std::vector<double> rows_of(const fs::path& folder) {
  TrajectoryReader reader((folder / trajectory_name).string());
  std::vector<double> all;
  while (const auto rows = reader.next()) all.insert(all.end(), rows->begin(), rows->end());
  EXPECT_EQ(reader.damage(), "");
  EXPECT_TRUE(reader.is_finished());
  return all;
}

bool same_rows(const fs::path& a, const fs::path& b) {
  const auto x = rows_of(a), y = rows_of(b);
  return x.size() == y.size() && !x.empty() &&
         std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

void wait_for(const fs::path& file) {
  for (int i = 0; i < 2000 && !fs::exists(file); ++i) test::sleep_seconds(0.005);
}

TEST(ASignal, EndsTheRunAfterItsStepAndTheRunGoesOn) {
  const OwnFolder folder;
  ASSERT_EQ(finish(long_run((folder / "whole").string())), 0);
  for (const auto& [signal, name] : {std::pair{SIGINT, "SIGINT"}, std::pair{SIGTERM, "SIGTERM"}}) {
    const std::string out = (folder / name).string();
    Process process(long_run(out));
    wait_for(folder / name / checkpoint_name);
    process.send(signal);
    EXPECT_EQ(process.wait(), 128 + signal);
    EXPECT_SAYS(process.error(), std::string("stopped by ") + name);
    EXPECT_SAYS(process.error(), "`taut resume " + out + "` continues from there");
    const Checkpoint last = read_checkpoint((folder / name / checkpoint_name).string());
    EXPECT_EQ(last.snapshot.status, RunStatus::stopped);
    EXPECT_SAYS(process.error(), "All up to step " + std::to_string(last.snapshot.steps) + " is safe");
    const auto summary = nlohmann::json::parse(test::read_text((folder / name / "summary.json").string()));
    EXPECT_EQ(summary["steps"], last.snapshot.steps);

    const auto refused = run_taut("run double-pendulum --steps 10 --out " + out);
    EXPECT_EQ(refused.status, 2);
    EXPECT_SAYS(refused.err, "holds a run that is not finished");
    EXPECT_EQ(finish({"resume", out}), 0);
    EXPECT_TRUE(same_rows(folder / name, folder / "whole")) << name;
    const auto again = run_taut("resume " + out);
    EXPECT_EQ(again.status, 0);
    EXPECT_SAYS(again.err, "is finished: 100000 steps");
    const std::string summary_of_all = test::read_text(out + "/summary.json");
    fs::remove(out + "/summary.json");  // as when killed after the last step
    EXPECT_EQ(finish({"resume", out}), 0);
    EXPECT_EQ(nlohmann::json::parse(test::read_text(out + "/summary.json"))["q"],
              nlohmann::json::parse(summary_of_all)["q"]);
    EXPECT_TRUE(same_rows(folder / name, folder / "whole")) << name;
  }
}

TEST(ASignal, WithoutAFolderSaysThatNothingWasKept) {
  Process process({"run", "pendulum", "--steps", "1e9"});
  test::sleep_seconds(0.3);
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_SAYS(process.error(), "Nothing was kept: with --out DIR a run can be continued.");
}

// Two runs in one folder would spoil each other's files.
TEST(AFolder, BelongsToOneRunAtATime) {
  const OwnFolder folder;
  Process process(long_run((folder / "out").string(), "1e9"));
  wait_for(folder / "out" / checkpoint_name);
  const auto second = run_taut("resume " + (folder / "out").string());
  EXPECT_EQ(second.status, 2);
  EXPECT_SAYS(second.err, "another run is writing into");
}

TEST(AFileThatIsRemoved, IsNoticedAndTheStateIsKept) {
  const OwnFolder folder;
  auto words = long_run((folder / "out").string(), "300000");
  words.insert(words.end(), {"--checkpoint-every", "0.05"});
  Process process(words);
  wait_for(folder / "out" / checkpoint_name);
  fs::remove(folder / "out" / trajectory_name);
  EXPECT_EQ(process.wait(), 1);
  EXPECT_SAYS(process.error(), "the file was removed while the run wrote to it");
  const std::string resume = "resume " + (folder / "out").string();
  const auto refused = run_taut(resume);
  EXPECT_EQ(refused.status, 2);
  EXPECT_SAYS(refused.err, "No such file");
  EXPECT_SAYS(refused.err, "--new-samples");
  EXPECT_EQ(run_taut(resume + " --new-samples").status, 0);
  ASSERT_EQ(finish(long_run((folder / "whole").string(), "300000")), 0);
  const auto end = [&](const char* name) {
    return read_checkpoint((folder / name / checkpoint_name).string()).snapshot.machine;
  };
  EXPECT_EQ(end("out"), end("whole"));
}

TEST(AFolder, ThatCannotBeWrittenIsNamed) {
  const auto ran = run_taut("run pendulum --steps 10 --out /proc/taut");
  EXPECT_EQ(ran.status, 1);
  EXPECT_SAYS(ran.err, "/proc/taut");
  EXPECT_EQ(ran.err.find("resume"), std::string::npos) << ran.err;
}

// --- a checkpoint that is not this run's

TEST(ACheckpoint, OfOtherDigitsIsRefused) {
  const OwnFolder folder;
  Process process(long_run((folder / "out").string(), "1e9"));
  wait_for(folder / "out" / checkpoint_name);
  test::sleep_seconds(0.05);
  process.send(SIGTERM);
  process.wait();
  const std::string out = (folder / "out").string();
  Checkpoint c = read_checkpoint((folder / "out" / checkpoint_name).string());
  c.snapshot.start_digest = "00000000";
  write_checkpoint(out, c);
  const auto ran = run_taut("resume " + out);
  EXPECT_EQ(ran.status, 2);
  EXPECT_SAYS(ran.err, "computes other digits");
}

TEST(ACheckpoint, OfAnotherRunIsRefused) {
  const OwnFolder folder;
  for (const char* steps : {"1000000000", "1000000001"}) {
    Process process(long_run((folder / steps).string(), steps));
    wait_for(folder / steps / checkpoint_name);
    process.send(SIGTERM);
    process.wait();
  }
  fs::copy_file(folder / "1000000000" / checkpoint_name, folder / "1000000001" / checkpoint_name,
                fs::copy_options::overwrite_existing);
  const auto ran = run_taut("resume " + (folder / "1000000001").string());
  EXPECT_EQ(ran.status, 2);
  EXPECT_SAYS(ran.err, "is of another run than the checkpoint");
  const auto nothing = run_taut("resume " + folder.string());
  EXPECT_EQ(nothing.status, 2);
  EXPECT_SAYS(nothing.err, "holds no checkpoint of a run");
}

// --- steps that fail

// The pendulum with a step that is too long for its rod now and then.
const std::string failing =
    "run pendulum --set x=0.6 --set y=-0.8 --method rattle --step 1.4 --steps 500 --every 1 --format binary";

TEST(AFailedStep, LeavesTheLastGoodOneAndIsTakenByHalves) {
  const OwnFolder folder;
  const std::string out = (folder / "out").string(), halved = (folder / "halved").string();
  const auto failed = run_taut(failing + " --out " + out);
  EXPECT_EQ(failed.status, 1) << failed.out;
  EXPECT_SAYS(failed.err, "could not be met");
  EXPECT_SAYS(failed.err, "`taut resume " + out + "`");
  const Checkpoint last = read_checkpoint((folder / "out" / checkpoint_name).string());
  EXPECT_EQ(last.snapshot.status, RunStatus::failed);
  EXPECT_SAYS(failed.err, "(step " + std::to_string(last.snapshot.steps + 1) + ")");

  const auto whole = run_taut(failing + " --on-failure halve --out " + halved);
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_SAYS(whole.out, "parts: the run is no longer of fixed step");
  EXPECT_EQ(run_taut("resume " + out + " --on-failure halve").status, 0);
  EXPECT_TRUE(same_rows(folder / "out", folder / "halved"));
  const auto summary = nlohmann::json::parse(test::read_text(halved + "/summary.json"));
  EXPECT_GT(summary["halved"]["steps"], 0);
  EXPECT_LT(summary["residual"]["position_max"], 1e-15);
}

// The step that ends where the energy has no value has moved the machine already: the checkpoint is of the step before.
TEST(AFailedStep, ThatEndedBadlyIsGoneBackFrom) {
  const OwnFolder folder;
  const std::string explosive = "run pendulum --method euler --step 3 --format binary --every 1 --steps ";
  ASSERT_EQ(run_taut(explosive + "100000 --out " + (folder / "out").string()).status, 1);
  const Checkpoint failed = read_checkpoint((folder / "out" / checkpoint_name).string());
  ASSERT_GT(failed.snapshot.steps, 0);
  ASSERT_EQ(
      run_taut(explosive + std::to_string(failed.snapshot.steps) + " --out " + (folder / "good").string())
          .status,
      0);
  const Checkpoint good = read_checkpoint((folder / "good" / checkpoint_name).string());
  EXPECT_EQ(failed.snapshot.machine, good.snapshot.machine);
}

}  // namespace
}  // namespace taut
