// Ensembles on a device: its kernel, with the threads as a loop on the processor, has the bits of the
// processor's own ensembles; what clang makes of it for a device calls nothing that is not there. What needs
// a device is in gpu/verify.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/ensembles.hpp"
#include "support/in_full.hpp"
#include "support/run_program.hpp"

namespace {

namespace fs = std::filesystem;
using taut::test::ensemble, taut::test::hash_of, taut::test::OwnFolder, taut::test::Ran,
    taut::test::read_text, taut::test::run_taut;

const std::string pendulums =
    "pendulum --project-start --size 70 --steps 700 --lanes 4 --vary 'p_y ~ normal(0, 0.8)'";

TEST(AnEmulatedDevice, HasTheBitsOfTheProcessor) {
  const auto cpu = ensemble(pendulums + " --backend specialise");
  const auto device = ensemble(pendulums + " --device emulated --threads 2");
  EXPECT_EQ(device.at("sha256"), cpu.at("sha256"));
  // Extremes over all steps are the same, too: each step was looked at in the same way.
  EXPECT_EQ(device.at("reductions"), cpu.at("reductions"));
  EXPECT_EQ(device.at("device").at("name"), "this processor in place of a device");
  // Most steps were made there, and the others were left to the machine.
  EXPECT_GT(device.at("device").at("steps").get<int>(), 70 * 600);
  EXPECT_GT(device.at("device").at("handed_back").get<int>(), 0);
  EXPECT_FALSE(cpu.contains("device"));
}

// ... and the hash tells plain sums from compensated ones: it is no constant.
TEST(AnEmulatedDevice, HasOtherBitsIfTheSumsAreOthers) {
  const std::string plain = hash_of(pendulums + " --plain-updates --device emulated");
  EXPECT_NE(plain, hash_of(pendulums + " --device emulated"));
  if (taut::test::in_full()) {
    EXPECT_EQ(plain, hash_of(pendulums + " --plain-updates --backend specialise"));
  }
}

TEST(AnEmulatedDevice, FindsTheSameFailures) {
  const std::string what =
      "pendulum --project-start --size 70 --steps 700 --lanes 4 --step 0.5 --vary 'p_y ~ normal(0, 1)'";
  const auto cpu = ensemble(what + " --backend specialise"), device = ensemble(what + " --device emulated");
  EXPECT_GT(cpu.at("failed").get<int>(), 0);
  EXPECT_LT(cpu.at("failed").get<int>(), 70);
  for (const char* same : {"failed", "failures", "sha256", "reductions"})
    EXPECT_EQ(device.at(same), cpu.at(same)) << same;
}

TEST(AnEmulatedDevice, SamplesAtTheSameStepsAndCanBeResumedByTheProcessor) {
  const OwnFolder folder;
  const std::string what = pendulums + " --backend specialise --every 150 --out ";
  ASSERT_EQ(run_taut("ensemble " + what + "cpu", folder.string()).status, 0);
  ASSERT_EQ(run_taut("ensemble " + what + "mixed --device emulated --part 1/2", folder.string()).status, 0);
  const Ran rest = run_taut("resume mixed --lanes 4", folder.string());
  ASSERT_EQ(rest.status, 0) << rest.err;
  int units = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder / "cpu/units")) {
    if (!file.is_regular_file()) continue;
    const fs::path other = folder / "mixed/units" / fs::relative(file, folder / "cpu/units");
    EXPECT_TRUE(read_text(file.path().string()) == read_text(other.string())) << other;
    ++units;
  }
  EXPECT_GT(units, 2);
}

TEST(AnEmulatedDevice, HasOtherParametersInEachSlotAndElementaryFunctions) {
  std::vector<std::string> all = {
      "bead-on-wire --vary 'gravity ~ uniform(0.9, 1.1)' --vary 'p_x ~ normal(0, 0.4)'"};
  if (taut::test::in_full())
    all.insert(all.end(),
               {"six-node-chain --vary 'p_y1 ~ normal(0, 0.1)'", "heavy-top --vary 'p_ay ~ normal(0.6, 0.1)'",
                "four-bar --vary 'p_xa ~ normal(0, 0.2)'", "stiff-pendulum --vary 'p_x1 ~ normal(0, 0.1)'"});
  for (const std::string& one : all) {
    const std::string what = one + " --method rattle --project-start --size 20 --steps 400 --lanes 4";
    EXPECT_EQ(hash_of(what + " --device emulated"), hash_of(what + " --backend specialise")) << one;
  }
}

bool has_clang() { return std::system("clang++-19 --version >/dev/null 2>&1") == 0; }
bool has_driver() { return std::system("ldconfig -p 2>/dev/null | grep -q libcuda.so.1") == 0; }

// Returns the largest array in slow memory that a text declares.
int local_bytes(const std::string& ptx) {
  int most = 0;
  for (std::size_t at = ptx.find("__local_depot"); at != ptx.npos; at = ptx.find("__local_depot", at + 1)) {
    const std::size_t bracket = ptx.find_first_of("[;", at);
    int bytes = 0;
    if (ptx[bracket] == '[') std::from_chars(ptx.data() + bracket + 1, ptx.data() + ptx.size(), bytes);
    most = std::max(most, bytes);
  }
  return most;
}

struct Kernel {
  std::string model;
  int most_local;  // bytes; those of clang 19 and a few more
};

// What clang makes for a device is a gate that needs no device.
TEST(TheKernelForADevice, CallsNothingFusesNothingAndKeepsSmallSystemsInRegisters) {
  if (!has_clang()) GTEST_SKIP() << "there is no clang++-19 on this machine: 1 test of kernels is left out";
  std::vector<Kernel> all = {{"pendulum", 0}, {"double-pendulum", 0}};
  if (taut::test::in_full())
    all.insert(all.end(), {{"six-node-chain", 1024},
                           {"heavy-top", 640},
                           {"four-bar", 64},
                           {"geodesic-on-ellipsoid", 0},
                           {"spherical-pendulum", 0},
                           {"bead-on-wire", 64},
                           {"stiff-pendulum", 64},
                           {"triple-pendulum", 256}});
  for (const Kernel& kernel : all) {
    const OwnFolder cache;
    const std::string before =
        "export XDG_CACHE_HOME=" + cache.string() + " TAUT_DEVICE_ARCHITECTURE=sm_90 CUDA_VISIBLE_DEVICES=; ";
    run_taut("ensemble " + kernel.model + " --method rattle --size 2 --steps 20 --lanes 4 --device gpu", "/",
             before);
    std::string ptx;
    for (const auto& file : fs::directory_iterator(cache / "taut"))
      if (const std::string text = read_text(file.path().string());
          text.starts_with("//\n// Generated by LLVM NVPTX"))
        ptx = text;
    ASSERT_NE(ptx.find(".visible .entry taut_make_steps"), ptx.npos) << kernel.model;
    EXPECT_EQ(ptx.find(".extern"), ptx.npos) << kernel.model;
    EXPECT_EQ(ptx.find("fma."), ptx.npos) << kernel.model;
    EXPECT_LE(local_bytes(ptx), kernel.most_local) << kernel.model;
    EXPECT_NE(ptx.find("mul.rn.f64"), ptx.npos) << kernel.model;
    EXPECT_EQ(ptx.find("mul.f64"), ptx.npos) << "the driver may fuse a product whose rounding is not said";
  }
}

TEST(TheKernelForADevice, IsMissedInOneSentence) {
  if (has_driver()) GTEST_SKIP() << "there is a driver on this machine: 1 test of its absence is left out";
  const Ran no_driver = run_taut("ensemble pendulum --size 2 --steps 20 --lanes 4 --device gpu");
  EXPECT_EQ(no_driver.status, 2);
  EXPECT_EQ(no_driver.err,
            "taut: --device gpu: the driver of NVIDIA devices, libcuda.so.1, is not on this machine.\n");
  const Ran no_clang = run_taut("ensemble pendulum --size 2 --steps 20 --lanes 4 --device gpu", "/",
                                "export TAUT_CLANG=/nowhere/clang++ TAUT_DEVICE_ARCHITECTURE=sm_90; ");
  EXPECT_EQ(no_clang.status, 2);
  EXPECT_EQ(no_clang.err, "taut: --device gpu: $TAUT_CLANG names no C++ compiler that runs.\n");
}

TEST(ADevice, RefusesWhatDoesNotFit) {
  const OwnFolder folder;
  std::ofstream(folder / "full-mass.toml") << R"([system]
coordinates = ["x", "y"]
mass = [["2", "0.5"], ["0.5", "1"]]
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
)";
  for (const auto& [arguments, reason] :
       {std::pair("pendulum --backend interpret", "--backend is specialise"),
        {"pendulum --method kahan-li8", "steps of rattle, and kahan-li8 is computed by the processor"},
        {"full-mass.toml --step 0.05", "a full mass is there for the processor alone"},
        {"water-box", "systems of particles are computed by the processor"},
        {"pendulum --method rk4 --formulation underlying", "methods that integrate a formulation"}}) {
    const Ran ran =
        run_taut(std::string("ensemble ") + arguments + " --size 2 --steps 20 --lanes 4 --device emulated",
                 folder.string());
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_NE(ran.err.find(reason), ran.err.npos) << ran.err;
  }
}

}  // namespace
