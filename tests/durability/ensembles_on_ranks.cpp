// taut-mpi: ensembles on the ranks of a real MPI job have the bits of `taut ensemble`, also if a rank is
// killed.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/in_full.hpp"
#include "support/run_program.hpp"

namespace {

using taut::test::in_full, taut::test::OwnFolder, taut::test::Ran, taut::test::read_text,
    taut::test::run_taut;

const std::string& program() {
  static const std::string path =
      (std::filesystem::path(TAUT_PROGRAM).parent_path() / "mpi/taut-mpi").string();
  return path;
}

std::string mpirun(int ranks, const std::string& more = {}) {
  return "mpirun --allow-run-as-root --oversubscribe " + more + " -n " + std::to_string(ranks) + " '" +
         program() + "' ";
}

Ran run_shell(const std::string& text, const std::string& where) {
  const OwnFolder folder;
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  const std::string command =
      "cd '" + where + "' && { " + text + "\n} >'" + out + "' 2>'" + err + "' </dev/null";
  const int status = std::system(command.c_str());
  return {read_text(out), read_text(err), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

nlohmann::json parsed(const Ran& ran) {
  EXPECT_EQ(ran.status, 0) << ran.err;
  return nlohmann::json::parse(ran.out, nullptr, false);
}
std::string hash_in(const Ran& ran) { return parsed(ran).value("sha256", "none"); }

// The folder begins with a unit or two; then the last of the ranks is killed.
std::string and_kill_one(const std::string& command, const std::string& folder, int ranks) {
  return command + " & job=$!\n" + "while kill -0 $job && ! find " + folder +
         "/units -name '*.taut' | grep -q .; do sleep 0.02; done\n" + "for child in $(pgrep -P $job); do\n" +
         "  if tr '\\0' '\\n' </proc/$child/environ | grep -qx OMPI_COMM_WORLD_RANK=" +
         std::to_string(ranks - 1) + "; then kill -9 $child && touch killed; fi\ndone\nwait $job\n";
}

std::int64_t units_in(const std::filesystem::path& folder) {
  std::int64_t count = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    count += file.is_regular_file() && file.path().extension() == ".taut" ? 1 : 0;
  return count;
}

struct WoundedJob {
  std::string words;  // what the ensemble says
  Ran ran;
};

// Runs an ensemble in the folder e and kills one of its ranks. How long a job takes is not known: on a busy
// machine the kill may come after its end. It gets four times the steps then.
WoundedJob kill_one(const std::string& start, int ranks, const std::string& words, int steps,
                    const std::filesystem::path& where, const std::function<bool(const Ran&)>& came_in_time) {
  constexpr int most_tries = 5;
  WoundedJob job;
  for (int tries = 0; tries < most_tries; ++tries, steps *= 4) {
    std::filesystem::remove_all(where / "e");
    job.words = words + " --steps " + std::to_string(steps);
    job.ran = run_shell(and_kill_one(start + job.words + " --out e", "e", ranks), where.string());
    if (came_in_time(job.ran)) return job;
  }
  ADD_FAILURE() << "the kill came too late every time: " << start << job.words << "\n" << job.ran.err;
  return job;
}

class OnRanks : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(program()) || std::system("mpirun --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "NOT TESTED: taut-mpi was not built, or there is no mpirun (packages libopenmpi-dev, "
                      "openmpi-bin).";
  }
};

const std::map<std::string, std::string> varied = {
    {"pendulum", "--vary 'p_y ~ normal(0, 0.5)' --vary 'L ~ uniform(0.9, 1.1)'"},
    {"double-pendulum", "--vary 'p_x2 ~ normal(0, 0.5)'"},
    {"bead-on-wire", "--vary 'p_x ~ uniform(0.1, 1)'"},
    {"spherical-pendulum", "--vary 'p_x ~ normal(0, 0.3)' --vary 'p_y ~ normal(0, 0.3)'"},
    {"six-node-chain", "--vary 'kappa = linspace(0.5, 1.5)'"}};
const std::vector<std::string> methods = {"rattle", "lobatto(3)", "kahan-li8", "midpoint", "bdf(2)"};

struct Layout {
  int lanes, threads, ranks;
  std::string words() const {
    return " --lanes " + std::to_string(lanes) + " --threads " + std::to_string(threads);
  }
};
std::vector<Layout> layouts_on(const std::vector<int>& all_ranks) {
  std::vector<Layout> layouts;
  for (const int ranks : all_ranks)
    for (const int threads : {1, 2, 5})
      for (const int lanes : {1, 4, 8, 16}) layouts.push_back({lanes, threads, ranks});
  return layouts;
}

// The short form has one layout for each method on each model, another one every time. The long one has six,
// so that every layout has its turn four times; all 925 jobs would take a quarter of an hour.
TEST_F(OnRanks, EveryLayoutHasTheSameBits) {
  std::vector<Layout> layouts = layouts_on({1, 2, 3});
  layouts.push_back({4, 2, 5});
  std::size_t turn = 0;
  for (const auto& [model, vary] : varied)
    for (const std::string& method : methods) {
      const OwnFolder folder;
      const std::string what =
          "ensemble " + model + " --size 21 --steps 80 --project-start --method '" + method + "' " + vary;
      const std::string alone = hash_in(run_taut(what + " --lanes 1 --threads 1 --json"));
      ASSERT_EQ(alone.size(), 64U);
      const std::size_t looks = in_full() ? 6 : 1;
      for (std::size_t k = 0; k < looks; ++k) {
        const Layout& at = layouts[turn % layouts.size()];
        turn += 5;  // 5 and 37 have no common factor: all lanes, threads and ranks have a turn
        const std::string words = what + at.words() + " --json --out o" + std::to_string(k);
        EXPECT_EQ(hash_in(run_shell(mpirun(at.ranks) + words, folder.string())), alone)
            << mpirun(at.ranks) << words;
      }
    }
}

// The lanes do not hold all 600 trajectories at a time, so that units come one after the other.
class OnRanksWithAKill : public OnRanks, public testing::WithParamInterface<std::string> {};
TEST_P(OnRanksWithAKill, EveryMethodGoesOn) {
  if (!in_full()) GTEST_SKIP() << "only in the long form: ten jobs of a second are killed and resumed";
  constexpr std::int64_t units = 75;
  const auto model = varied.find(GetParam());
  const std::vector<Layout> layouts = layouts_on({2});
  auto turn = static_cast<std::size_t>(std::distance(varied.begin(), model));
  for (const std::string& method : methods)
    for (const int ranks : {2, 3}) {
      const Layout& at = layouts[turn % layouts.size()];
      turn += 5;  // 5 and 12 have no common factor: all lanes and threads have a turn
      const std::string words = "ensemble " + model->first + " --size 600 --backend interpret --json " +
                                "--project-start --method '" + method + "' " + model->second + at.words();
      const OwnFolder folder;
      const auto came_in_time = [&](const Ran& ran) {
        const std::int64_t written = units_in(folder / "e");
        return ran.status != 0 && written > 0 && written < units;
      };
      const WoundedJob killed = kill_one(mpirun(ranks), ranks, words, 1600, folder.string(), came_in_time);
      EXPECT_EQ(hash_in(run_shell(mpirun(ranks) + "resume e --json", folder.string())),
                hash_in(run_taut(killed.words)))
          << "killed, and resumed on " << ranks << " ranks: " << killed.words;
      EXPECT_EQ(units_in(folder / "e"), units);
    }
}
INSTANTIATE_TEST_SUITE_P(Of, OnRanksWithAKill,
                         testing::Values("pendulum", "double-pendulum", "bead-on-wire", "spherical-pendulum",
                                         "six-node-chain"),
                         [](const auto& of) {
                           std::string name;
                           for (const char c : of.param)
                             if (c != '-') name += c;
                           return name;
                         });

const std::string long_one =
    "ensemble pendulum --size 200 --backend interpret --project-start --json " + varied.at("pendulum");
constexpr int long_steps = 60000;

TEST_F(OnRanks, AKilledRankLosesWhatItHadInHand) {
  const OwnFolder folder;
  // Open MPI ends a job that has lost a rank. What was written stays.
  const WoundedJob killed =
      kill_one(mpirun(3), 3, long_one, long_steps, folder.string(),
               [&](const Ran& ran) { return ran.status != 0 && units_in(folder / "e") < 20; });
  const Ran shown = run_taut("show e", folder.string());
  EXPECT_NE(shown.out.find("of 200 trajectories"), shown.out.npos) << shown.out;  // are missing
  EXPECT_FALSE(std::filesystem::is_empty(folder / "e/units/000"));
  EXPECT_EQ(hash_in(run_shell(mpirun(2) + "resume e --json", folder.string())),
            hash_in(run_taut(killed.words)));
}

// With --enable-recovery the job goes on, and rank 0 hands the units of the dead rank to others. It takes 20
// seconds until a rank counts as dead.
TEST_F(OnRanks, AJobMayGoOnWithoutADeadRank) {
  if (!in_full()) GTEST_SKIP() << "only in the long form: it waits for 20 seconds";
  const OwnFolder folder;
  const WoundedJob wounded =
      kill_one(mpirun(3, "--enable-recovery --timeout 150"), 3, long_one, long_steps, folder.string(),
               [](const Ran& ran) { return ran.err.find("rank 2 has said nothing") != ran.err.npos; });
  EXPECT_EQ(hash_in(wounded.ran), hash_in(run_taut(wounded.words)));
}

// A unit takes three messages: a rank asks, rank 0 answers, the rank says that it has written. Beside these
// each rank says once that it leaves, asks once too often in each thread, and gives a sign of life at first
// and in every second.
TEST_F(OnRanks, AUnitTakesThreeMessages) {
  const OwnFolder folder;
  const auto json = parsed(run_shell(mpirun(3) + "ensemble pendulum --size 640 --steps 2000 --json --out e " +
                                         varied.at("pendulum") + " --project-start",
                                     folder.string()));
  const double units = 64, ranks = 2, seconds = json["seconds"].get<double>();
  EXPECT_EQ(json["processes"], 3);
  EXPECT_GT(json["messages"].get<double>(), 0);
  EXPECT_LE(json["messages"].get<double>(), 3 * units + ranks * (5 + seconds));
  EXPECT_LE(json["message_bytes"].get<double>(),
            (2 * 48 + 8) * units + ranks * (48 + 48 + 8 + 48 * (2 + seconds)));
}

TEST_F(OnRanks, WhatCannotBeDoneIsSaid) {
  const OwnFolder folder;
  const Ran homeless = run_shell(mpirun(2) + "ensemble pendulum --size 3 --steps 5", folder.string());
  EXPECT_EQ(homeless.status, 2);
  EXPECT_NE(homeless.err.find("add --out DIR"), homeless.err.npos) << homeless.err;
  const Ran unknown = run_shell(mpirun(2) + "ensemble pendulum --vary 'q = [1]' --out e", folder.string());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "e"));
}

// One rank has another file system where the folder is.
TEST_F(OnRanks, ARankWithoutTheFolderIsNamed) {
  const OwnFolder folder;
  if (run_shell("unshare -m mount -t tmpfs none .", folder.string()).status != 0)
    GTEST_SKIP() << "NOT TESTED: a file system of one's own needs root";
  const std::string out = (folder / "e").string();
  const Ran ran = run_shell(mpirun(1) + "ensemble pendulum --size 100 --steps 10 --out '" + out +
                                "' : -n 1 unshare -m sh -c \"mount -t tmpfs none '" + folder.string() +
                                "' && exec '" + program() + "' ensemble\"",
                            "/");
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_NE(ran.err.find("rank 1 on"), ran.err.npos) << ran.err;
  EXPECT_NE(ran.err.find("does not see the folder of rank 0"), ran.err.npos) << ran.err;
  const Ran rest = run_taut("resume '" + out + "' --json");
  EXPECT_EQ(hash_in(rest), hash_in(run_taut("ensemble pendulum --size 100 --steps 10 --json")));
}

}  // namespace
