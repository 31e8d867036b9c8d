// An ensemble that is killed at any moment and resumed, in another layout, ends in the same bits.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/in_full.hpp"
#include "support/killable.hpp"

namespace {

using namespace taut::test;

const std::vector<std::string> arguments = {"ensemble",
                                            "pendulum",
                                            "--size",
                                            "200",
                                            "--steps",
                                            "4000",
                                            "--project-start",
                                            "--vary",
                                            "p_y ~ normal(0, 0.5)",
                                            "--vary",
                                            "L ~ uniform(0.9, 1.1)",
                                            "--out"};

std::string hash_in(const std::string& json) {
  return nlohmann::json::parse(json, nullptr, false).value("sha256", "none");
}

TEST(EnsemblesThatAreKilled, EndInTheSameBits) {
  const OwnFolder folder;
  std::string words;
  for (const std::string& word : arguments) words += " '" + word + "'";
  const auto began = std::chrono::steady_clock::now();
  const std::string whole = hash_in(run_taut(words.substr(1) + " whole --json", folder.string()).out);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  ASSERT_EQ(whole.size(), 64U);
  const int kills = in_full() ? 200 : 8;
  for (int k = 0; k < kills; ++k) {
    const std::string out = (folder / ("killed" + std::to_string(k))).string();
    std::vector<std::string> typed = arguments;
    typed.push_back(out);
    {
      Process process(typed);
      std::this_thread::sleep_for(took * (k + 0.5) / kills);
      process.send(SIGKILL);
      process.wait();
    }
    if (!std::filesystem::exists(out + "/ensemble.json")) continue;  // killed before it began
    const char* const layout = k % 2 == 0 ? " --lanes 1 --threads 2" : " --lanes 8 --threads 1";
    const Ran resumed = run_taut("resume '" + out + "' --json" + layout);
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(hash_in(resumed.out), whole) << "killed at part " << k << " of " << kills;
    std::filesystem::remove_all(out);
  }
}

TEST(EnsemblesThatAreKilled, ADamagedUnitIsNamedAndMadeAgain) {
  const OwnFolder folder;
  const std::string what =
      "ensemble pendulum --size 100 --steps 20 --vary 'p_y = linspace(0, 1)' --out e --json";
  const std::string whole = hash_in(run_taut(what, folder.string()).out);
  const std::string unit = (folder / "e/units/000/000007.taut").string();
  std::fstream(unit, std::ios::in | std::ios::out | std::ios::binary).seekp(60).put('!');
  const Ran shown = run_taut("show e", folder.string());
  EXPECT_EQ(shown.status, 1);
  EXPECT_NE(shown.err.find("000007.taut"), shown.err.npos) << shown.err;
  const Ran resumed = run_taut("resume e --json", folder.string());
  EXPECT_NE(resumed.err.find("000007.taut"), resumed.err.npos) << resumed.err;
  EXPECT_EQ(hash_in(resumed.out), whole);
}

TEST(EnsemblesThatAreKilled, TwoWritersAreToldApart) {
  const OwnFolder folder;
  std::vector<std::string> typed = arguments;
  typed[5] = "2000000";
  typed.push_back((folder / "e").string());
  Process first(typed);
  for (int tries = 0; tries < 200 && !std::filesystem::exists(folder / "e/ensemble.json"); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Ran second = run_taut("resume e", folder.string());
  EXPECT_EQ(second.status, 2) << second.out << second.err;
  EXPECT_NE(second.err, "");
  first.send(SIGTERM);
  EXPECT_EQ(first.wait(), 128 + SIGTERM);
}

}  // namespace
