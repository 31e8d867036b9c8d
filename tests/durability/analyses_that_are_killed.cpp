// Analyses that are killed and called again with the same --out come to what they would have found in one go.
#include <gtest/gtest.h>

#include <fstream>

#include "support/killable.hpp"
#include "support/run_program.hpp"

namespace taut {
namespace {

using test::OwnFolder;
using test::Process;
using test::Ran;
using test::run_taut;
namespace fs = std::filesystem;

const std::vector<std::vector<std::string>> analyses = {
    {"lyapunov", "double-pendulum", "--step", "0.01", "--until", "20"},
    {"indicators", "double-pendulum", "--step", "0.01", "--until", "20", "--vectors", "4"},
    {"map", "double-pendulum", "--x", "m2=linspace(0.5,2,4)", "--y", "gravity=linspace(1,10,4)", "--until",
     "20", "--indicator", "sali"},
    {"orbit", "pendulum", "--period", "7.4", "--family", "12"},
    {"orbit", "pendulum", "--period", "7.4", "--vary", "gravity=linspace(1,1.2,12)"},
    {"orbit", "pendulum", "--period", "7.4", "--along", "gravity", "--family", "8"},
};

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += "'" + word + "' ";
  return line;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class AnAnalysis : public testing::TestWithParam<std::size_t> {};

TEST_P(AnAnalysis, GoesOnAfterAKillToTheSameBits) {
  std::vector<std::string> words = analyses[GetParam()];
  words.emplace_back("--json");
  const Ran whole = run_taut(joined(words));
  ASSERT_EQ(whole.status, 0) << whole.err;
  const OwnFolder folder;
  words.insert(words.end(), {"--checkpoint-every", "0.01", "--out", folder.string()});
  const fs::path file = folder / "analysis.taut";
  std::string before;
  int kills = 0;
  for (bool ended = false; !ended && kills < 3; ++kills) {
    Process process(words);
    // It is killed after it has kept something new, or has come to its end.
    while (!ended && (!fs::exists(file) || bytes_of(file) == before)) {
      test::sleep_seconds(0.01);
      ended = !process.is_alive();
    }
    process.send(SIGKILL);
    process.wait();
    before = bytes_of(file);
  }
  const Ran rest = run_taut(joined(words));
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(rest.out, whole.out);
  EXPECT_NE(rest.err.find("goes on after"), std::string::npos) << rest.err;
  const Ran again = run_taut(joined(words));  // nothing is left to do
  EXPECT_EQ(again.out, whole.out);
}

INSTANTIATE_TEST_SUITE_P(All, AnAnalysis, testing::Range(std::size_t{0}, analyses.size()));

TEST(AnAnalysis, IsRefusedInTheFolderOfAnotherOrADamagedOne) {
  const OwnFolder folder;
  const std::string out = " --out " + folder.string();
  ASSERT_EQ(run_taut("lyapunov pendulum --until 1" + out).status, 0);
  for (const char* other : {"lyapunov pendulum --until 2", "lyapunov pendulum --until 1 --block 3",
                            "indicators pendulum --until 1"}) {
    const Ran ran = run_taut(other + out);
    EXPECT_EQ(ran.status, 2) << other;
    EXPECT_NE(ran.err.find("was kept by another analysis"), std::string::npos) << ran.err;
  }
  const fs::path file = folder / "analysis.taut";
  std::string bytes = bytes_of(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  const Ran ran = run_taut("lyapunov pendulum --until 1" + out);
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("is damaged"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace taut
