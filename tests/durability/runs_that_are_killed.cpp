// Runs that are killed, cut short of disk or damaged: the resumed run is the run that was never touched, to
// the last bit, and damage is reported. If TAUT_DURABILITY=full is set, the numbers are those of
// docs/guide/long-runs.md, otherwise a tenth of them.
#include <taut/store/recording.hpp>
#include <taut/store/trajectory.hpp>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>
#include <random>

#include "support/killable.hpp"

namespace taut {
namespace {

using test::finish;
using test::OwnFolder;
using test::Process;
namespace fs = std::filesystem;

bool is_full() {
  const char* wanted = std::getenv("TAUT_DURABILITY");
  return wanted != nullptr && std::string(wanted) == "full";
}
int number(int full) { return is_full() ? full : full / 10; }

// Methods with and without memory, all formats, all backends; long enough to be killed inside, and no longer.
const std::vector<std::vector<std::string>> runs = {
    {"double-pendulum", "--method", "rattle", "--every", "100", "--format", "binary", "--backend",
     "specialise"},
    {"double-pendulum", "--method", "shake-velocity", "--every", "20", "--format", "compressed", "--backend",
     "compile"},
    {"pendulum", "--method", "bdf(4)", "--every", "20", "--format", "csv", "--backend", "interpret"},
    {"pendulum", "--method", "rk4", "--formulation", "state-space", "--every", "7", "--format", "binary"},
    {"double-pendulum", "--method", "rattle", "--first-guess", "quadratic", "--every", "100", "--format",
     "binary", "--backend", "interpret"},
    {"pendulum", "--method", "bdf-variable(4)", "--error-tolerance", "1e-9", "--local-error", "estimate",
     "--every", "20", "--format", "csv", "--backend", "interpret"},
};
const std::vector<std::string> lengths = {"2000000", "300000", "100000", "20000", "100000", "20000"};

std::vector<std::string> command(std::size_t which, const std::string& folder) {
  std::vector<std::string> words = {"run"};
  words.insert(words.end(), runs[which].begin(), runs[which].end());
  words.insert(words.end(),
               {"--step", "0.01", "--steps", lengths[which], "--checkpoint-every", "0.05", "--out", folder});
  return words;
}

std::vector<double> rows_of(const std::string& path) {
  TrajectoryReader reader(path);
  std::vector<double> all;
  while (const auto rows = reader.next()) all.insert(all.end(), rows->begin(), rows->end());
  EXPECT_EQ(reader.damage(), "");
  return all;
}

// Asks whether `whole` begins with `part`, to the bit.
bool begins(const std::vector<double>& whole, const std::vector<double>& part) {
  return part.empty() || (part.size() <= whole.size() &&
                          std::memcmp(part.data(), whole.data(), part.size() * sizeof(double)) == 0);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && begins(b, a);
}

// All that a run leaves behind, except for the time it took.
struct Result {
  std::vector<double> rows;
  std::string text, machine, tally;
  nlohmann::json summary;
  bool operator==(const Result& other) const {
    return same_bits(rows, other.rows) && text == other.text && machine == other.machine &&
           tally == other.tally && summary == other.summary;
  }
};

Result result_of(const std::string& folder) {
  const fs::path at(folder);
  Result result;
  if (fs::exists(at / "trajectory.taut")) result.rows = rows_of((at / "trajectory.taut").string());
  if (fs::exists(at / "samples.csv")) result.text = test::read_text((at / "samples.csv").string());
  const Checkpoint last = read_checkpoint((at / checkpoint_name).string());
  EXPECT_EQ(last.snapshot.status, RunStatus::finished);
  result.machine = last.snapshot.machine;
  result.tally = last.snapshot.tally;
  result.summary = nlohmann::json::parse(test::read_text((at / "summary.json").string()));
  result.summary.erase("seconds");
  result.summary.erase("steps_per_second");
  return result;
}

struct Reference {
  Result result;
  double seconds = 0;
};

const Reference& reference(std::size_t which) {
  static std::array<std::optional<Reference>, 6> made;
  if (!made[which]) {
    const OwnFolder folder;
    EXPECT_EQ(finish(command(which, folder.string())), 0);  // the first may have to compile
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(finish(command(which, folder.string())), 0);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    made[which] = Reference{result_of(folder.string()), seconds};
  }
  return *made[which];
}

TEST(AKilledRun, IsResumedToTheSameBits) {
  std::mt19937 random(20260729);
  std::uniform_real_distribution<double> part(0, 1);
  const int wanted = number(200);
  int same = 0, inside = 0, before_anything = 0, twice = 0;
  for (int i = 0; i < wanted; ++i) {
    const std::size_t which = static_cast<std::size_t>(i) % runs.size();
    const Reference& whole = reference(which);
    const OwnFolder folder;
    const auto killed = [&](const std::vector<std::string>& words, double seconds) {
      Process process(words);
      test::sleep_seconds(seconds);
      process.send(SIGKILL);
      return process.wait() == -SIGKILL;
    };
    inside += killed(command(which, folder.string()), part(random) * whole.seconds);
    if (part(random) < 0.3)
      twice +=
          killed({"resume", folder.string(), "--checkpoint-every", "0.05"}, part(random) * whole.seconds);
    const bool has_checkpoint = fs::exists(folder / checkpoint_name);
    before_anything += !has_checkpoint;
    const int status =
        has_checkpoint ? finish({"resume", folder.string()}) : finish(command(which, folder.string()));
    EXPECT_EQ(status, 0) << "run " << i;
    const bool equal = status == 0 && result_of(folder.string()) == whole.result;
    EXPECT_TRUE(equal) << "run " << i << ", " << runs[which][2];
    same += equal;
  }
  fmt::print(
      "killed with SIGKILL and resumed: {} of {} bit-identical ({} inside the run, {} of them before the "
      "first checkpoint, {} "
      "resumed runs killed again)\n",
      same, wanted, inside, before_anything, twice);
  EXPECT_GT(inside, wanted / 2);
}

std::string bytes_of(const fs::path& path) { return test::read_text(path.string()); }
void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Makes a run that was stopped, with both checkpoints and a trajectory; the cases below damage it. It may
// have to wait for a compiler before its first step.
void stopped_run(const OwnFolder& folder) {
  Process process(command(0, folder.string()));
  for (int i = 0; i < 20000 && !fs::exists(folder / previous_checkpoint_name); ++i)
    test::sleep_seconds(0.005);
  process.send(SIGTERM);
  ASSERT_EQ(process.wait(), 128 + SIGTERM);
}

std::string refusal(const std::string& folder) {
  try {
    FoundRun found = find_run(folder, false);
    const Recording recording(found, false);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ADamagedFile, IsFoundOut) {
  std::mt19937 random(7);
  const OwnFolder folder;
  stopped_run(folder);
  const std::string path = folder.string();
  ASSERT_EQ(refusal(path), "");
  const std::vector<double> good = rows_of((folder / trajectory_name).string());
  int flips = 0, cuts = 0, found_flips = 0, found_cuts = 0;
  for (const char* name : {checkpoint_name, trajectory_name}) {
    const std::string whole = bytes_of(folder / name);
    const auto is_found = [&](const std::string& damaged) {
      write(folder / name, damaged);
      const std::string reason = refusal(path);
      EXPECT_NE(reason, "");
      // A reader of the damaged file returns a beginning of what was written.
      std::vector<double> rest;
      try {
        TrajectoryReader reader((folder / trajectory_name).string());
        while (const auto rows = reader.next()) rest.insert(rest.end(), rows->begin(), rows->end());
      } catch (const InputError& refused) {
        EXPECT_STRNE(refused.what(), "");
      }
      EXPECT_TRUE(begins(good, rest));
      if (name == std::string(checkpoint_name)) {
        EXPECT_NE(reason.find("The one before it, of step"), std::string::npos) << reason;
        EXPECT_NO_THROW(find_run(path, true));
      }
      return !reason.empty();
    };
    for (int i = 0; i < number(100); ++i, ++flips) {
      std::string damaged = whole;
      const std::size_t bit = std::uniform_int_distribution<std::size_t>(0, 8 * whole.size() - 1)(random);
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      found_flips += is_found(damaged);
    }
    for (int i = 0; i < number(30); ++i, ++cuts)
      found_cuts +=
          is_found(whole.substr(0, std::uniform_int_distribution<std::size_t>(0, whole.size() - 1)(random)));
    write(folder / name, whole);
  }
  fmt::print(
      "damaged checkpoints and trajectories: {} of {} single-bit flips and {} of {} truncations found, none "
      "used\n",
      found_flips, flips, found_cuts, cuts);
  EXPECT_EQ(refusal(path), "");
  EXPECT_EQ(finish({"resume", path}), 0);
  EXPECT_TRUE(result_of(path) == reference(0).result);
}

// Everything that a message calls safe is safe.
TEST(AFullDisk, LosesNothingThatWasReportedAsSaved) {
  const Reference& whole = reference(0);
  const std::uint64_t size = whole.result.rows.size() * sizeof(double);
  const int wanted = is_full() ? 20 : 4;
  int kept = 0, with_checkpoint = 0;
  for (int i = 0; i < wanted; ++i) {
    const OwnFolder folder;
    const std::uint64_t limit =
        1000 + size * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(wanted);
    Process process(command(0, folder.string()), limit);
    EXPECT_EQ(process.wait(), 1);
    EXPECT_NE(process.error().find("cannot write"), std::string::npos) << process.error();
    const std::string said = "All up to step ";
    const std::size_t at = process.error().find(said);
    // There is not even a first checkpoint: nothing was reported as saved.
    if (at == std::string::npos) {
      EXPECT_FALSE(fs::exists(folder / checkpoint_name));
      EXPECT_EQ(finish(command(0, folder.string())), 0);
    } else {
      ++with_checkpoint;
      const long step = std::stol(process.error().substr(at + said.size()));
      const Checkpoint saved = read_checkpoint((folder / checkpoint_name).string());
      EXPECT_EQ(saved.snapshot.steps, step);
      const std::vector<double> rows = rows_of((folder / trajectory_name).string());
      EXPECT_GE((rows.size() + saved.mark.waiting.size()) / 12,
                static_cast<std::size_t>(step / 100));  // 12 columns, a sample every 100 steps
      EXPECT_TRUE(begins(whole.result.rows, rows));
      EXPECT_EQ(finish({"resume", folder.string()}), 0);
    }
    const bool equal = result_of(folder.string()) == whole.result;
    EXPECT_TRUE(equal) << "limit " << limit;
    kept += equal;
  }
  fmt::print(
      "disk full at {} places: {} runs came to the same end after room was made, {} of them from a "
      "checkpoint; nothing that had "
      "been reported as saved was lost\n",
      wanted, kept, with_checkpoint);
  EXPECT_GT(with_checkpoint, 0);
}

}  // namespace
}  // namespace taut
