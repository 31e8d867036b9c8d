// Ensembles on a device: its kernel, with the threads as a loop on the processor, has the bits of the
// processor's own ensembles; what clang makes of it for a device calls nothing that is not there. What needs
// a device is in gpu/verify.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
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

// Compositions are the same text with several substeps, and with the numbers of their scheme.
TEST(AnEmulatedDevice, MakesTheStepsOfCompositions) {
  std::vector<std::string> all = {"pendulum --method kahan-li6a --steps 400 --vary 'p_y ~ normal(0, 0.8)'"};
  if (taut::test::in_full())
    all.insert(all.end(), {"pendulum --method kahan-li8 --step 0.3 --steps 400 --vary 'p_y ~ normal(0, 1)'",
                           "six-node-chain --method yoshida4 --steps 200 --vary 'p_y1 ~ normal(0, 0.1)'"});
  for (const std::string& one : all) {
    const std::string what = one + " --project-start --size 40 --lanes 4";
    const auto cpu = ensemble(what + " --backend specialise"), device = ensemble(what + " --device emulated");
    for (const char* same : {"failed", "failures", "sha256", "reductions"})
      EXPECT_EQ(device.at(same), cpu.at(same)) << one << ": " << same;
    EXPECT_GT(device.at("device").at("steps").get<int>(), 40 * 150) << one;
  }
}

// Calls are lengthened while they are short; four slots that fall behind often have hundreds of short ones.
TEST(AnEmulatedDevice, EndsIfItsSlotsFallBehindOften) {
  if (!taut::test::in_full()) GTEST_SKIP() << "it makes 1.6 million steps";
  const auto device = ensemble(
      "double-pendulum --method rattle --project-start --lanes 4 --size 4 --steps 400000 --threads 1 "
      "--vary 'p_x1 ~ normal(0, 0.5)' --device emulated");
  EXPECT_EQ(device.at("failed").get<int>(), 0);
}

// The implicit midpoint rule takes any H(q, p).
TEST(AnEmulatedDevice, MakesTheStepsOfMidpoint) {
  std::vector<std::string> all = {"charged-particle --steps 300 --vary 'p_x ~ normal(1, 0.2)'"};
  if (taut::test::in_full())
    all.insert(all.end(), {"pendulum --step 0.5 --steps 300 --vary 'p_y ~ normal(0, 1)'",
                           "relativistic-pendulum --steps 300 --vary 'p_y ~ normal(0, 0.3)'",
                           "heavy-top --steps 300 --vary 'p_ay ~ normal(0.6, 0.1)'"});
  for (const std::string& one : all) {
    const std::string what = one + " --method midpoint --project-start --size 40 --lanes 4";
    const auto cpu = ensemble(what + " --backend specialise"), device = ensemble(what + " --device emulated");
    for (const char* same : {"failed", "failures", "sha256", "reductions"})
      EXPECT_EQ(device.at(same), cpu.at(same)) << one << ": " << same;
    EXPECT_GT(device.at("device").at("steps").get<int>(), 40 * 100) << one;
  }
}

// Expects the same units in two folders, byte by byte.
void expect_same_units(const fs::path& one, const fs::path& other) {
  int units = 0;
  for (const auto& file : fs::recursive_directory_iterator(one / "units")) {
    if (!file.is_regular_file()) continue;
    const fs::path there = other / "units" / fs::relative(file, one / "units");
    EXPECT_TRUE(read_text(file.path().string()) == read_text(there.string())) << there;
    ++units;
  }
  EXPECT_GT(units, 2);
}

TEST(AnEmulatedDevice, SamplesAtTheSameStepsAndIsResumedByTheProcessorAndTheOtherWayRound) {
  const OwnFolder folder;
  const std::string what = pendulums + " --backend specialise --every 150 --out ";
  ASSERT_EQ(run_taut("ensemble " + what + "cpu", folder.string()).status, 0);
  for (const auto& [first, then] : {std::pair("--device emulated", "--lanes 4"), {"", "--device emulated"}}) {
    fs::remove_all(folder / "mixed");
    const Ran begun = run_taut("ensemble " + what + "mixed --part 1/2 " + first, folder.string());
    ASSERT_EQ(begun.status, 0) << begun.err;
    const Ran rest = run_taut(std::string("resume mixed ") + then, folder.string());
    ASSERT_EQ(rest.status, 0) << rest.err;
    expect_same_units(folder / "cpu", folder / "mixed");
  }
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

// Returns what clang makes of a model's kernel, without the seal of the cache; empty if it makes none.
std::string kernel_of(const std::string& model, const std::string& method = "rattle") {
  const OwnFolder cache;
  const std::string before =
      "export XDG_CACHE_HOME=" + cache.string() + " TAUT_DEVICE_ARCHITECTURE=sm_90 CUDA_VISIBLE_DEVICES=; ";
  run_taut("ensemble " + model + " --method " + method + " --size 2 --steps 20 --lanes 4 --device gpu", "/",
           before);
  for (const auto& file : fs::directory_iterator(cache / "taut"))
    if (const std::string text = read_text(file.path().string());
        text.starts_with("//\n// Generated by LLVM NVPTX"))
      return text.substr(0, text.rfind("taut object\n"));
  return "";
}

struct Kernel {
  std::string model;
  int most_local;  // bytes; those of clang 19 and a few more
  std::string method = "rattle";
};

// What clang makes for a device is a gate that needs no device.
TEST(TheKernelForADevice, CallsNothingFusesNothingAndKeepsSmallSystemsInRegisters) {
  if (!has_clang()) GTEST_SKIP() << "there is no clang++-19 on this machine: 1 test of kernels is left out";
  std::vector<Kernel> all = {{"pendulum", 0}, {"double-pendulum", 0}};
  if (taut::test::in_full())
    all.insert(all.end(), {{"pendulum", 64, "kahan-li8"},  // the impulses of eight substeps
                           {"six-node-chain", 0},
                           {"heavy-top", 640},
                           {"four-bar", 64},
                           {"geodesic-on-ellipsoid", 0},
                           {"spherical-pendulum", 0},
                           {"bead-on-wire", 64},
                           {"stiff-pendulum", 64},
                           {"triple-pendulum", 256}});
  for (const Kernel& kernel : all) {
    const std::string ptx = kernel_of(kernel.model, kernel.method);
    ASSERT_NE(ptx.find(".visible .entry taut_make_steps"), ptx.npos) << kernel.model;
    EXPECT_EQ(ptx.find(".extern"), ptx.npos) << kernel.model;
    EXPECT_EQ(ptx.find("fma."), ptx.npos) << kernel.model;
    EXPECT_LE(local_bytes(ptx), kernel.most_local) << kernel.model;
    EXPECT_NE(ptx.find("mul.rn.f64"), ptx.npos) << kernel.model;
    EXPECT_EQ(ptx.find("mul.f64"), ptx.npos) << "the driver may fuse a product whose rounding is not said";
  }
}

// Translates a kernel to the machine's own code, which says how many registers and bytes of a stack a
// thread has. The bounds are those of ptxas 13.0 and a few more.
std::string ptxas() {
  for (const char* one : {"ptxas", "/usr/local/cuda/bin/ptxas"})
    if (std::system((std::string(one) + " --version >/dev/null 2>&1").c_str()) == 0) return one;
  return "";
}
int number_before(const std::string& text, const std::string& words) {
  const std::size_t end = text.find(words);
  if (end == text.npos) return -1;
  const std::size_t begin = text.find_last_not_of("0123456789", end - 1) + 1;
  int number = -1;
  std::from_chars(text.data() + begin, text.data() + end, number);
  return number;
}

TEST(TheKernelForADevice, NeedsNoMoreRegistersAndStackThanItDid) {
  if (!has_clang() || ptxas().empty())
    GTEST_SKIP() << "there is no clang++-19 or no ptxas on this machine: 1 test of registers is left out";
  struct Bound {
    std::string model;
    int registers, stack;
  };
  std::vector<Bound> all = {{"pendulum", 124, 0}};
  if (taut::test::in_full()) all.push_back({"six-node-chain", 255, 1200});
  for (const Bound& bound : all) {
    const OwnFolder folder;
    std::ofstream(folder / "kernel.ptx") << kernel_of(bound.model);
    const std::string said = folder / "said";
    ASSERT_EQ(std::system(("cd '" + folder.string() + "' && " + ptxas() +
                           " -v -arch=sm_90 kernel.ptx -o kernel.cubin >said 2>&1")
                              .c_str()),
              0)
        << read_text(said);
    const std::string words = read_text(said);
    const int registers = number_before(words, " registers"),
              stack = number_before(words, " bytes stack frame");
    EXPECT_GT(registers, 0) << words;
    EXPECT_LE(registers, bound.registers) << bound.model;
    EXPECT_GE(stack, 0) << words;
    EXPECT_LE(stack, bound.stack) << bound.model;
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

// A compiler that makes this text of every unit.
std::string compiler_of(const OwnFolder& folder, const std::string& text) {
  const std::string path = folder / "clang";
  std::ofstream(path) << "#!/bin/sh\ncase \"$*\" in\n  *--version*) echo 'clang version 19' ;;\n"
                         "  *unit.cpp*) echo '"
                      << text << "' >unit.so ;;\nesac\n";
  fs::permissions(path, fs::perms::owner_all);
  return "export TAUT_CLANG=" + path + " TAUT_DEVICE_ARCHITECTURE=sm_90; ";
}

TEST(TheKernelForADevice, IsRefusedIfItFusesOrCallsWhatIsNotThere) {
  for (const auto& [text, why] :
       {std::pair("fma.rn.f64 %fd1, %fd2, %fd3, %fd4;",
                  "--device gpu: the compiler fuses products and sums, which would give other bits than the "
                  "processor's."),
        {".extern .func  (.param .b64 r) pow", "its steps call pow, which is not there."}}) {
    const OwnFolder folder;
    const Ran ran = run_taut("ensemble pendulum --size 2 --steps 20 --lanes 4 --device gpu", "/",
                             compiler_of(folder, text));
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.err.find(why), ran.err.npos) << ran.err;
  }
}

// A driver whose device takes everything and whose kernels fail.
constexpr const char* failing_driver = R"(
#include <stdlib.h>
#include <string.h>
typedef unsigned long long Address;
static char one;
int cuInit(unsigned f) { return 0; }
int cuDeviceGet(int* d, int k) { return *d = 0; }
int cuDeviceGetName(char* to, int size, int d) { strncpy(to, "a device that fails", size); return 0; }
int cuDeviceGetAttribute(int* to, int which, int d) { *to = which == 75 ? 9 : 0; return 0; }
int cuDriverGetVersion(int* to) { *to = 13000; return 0; }
int cuDevicePrimaryCtxRetain(void** to, int d) { *to = &one; return 0; }
int cuCtxSetCurrent(void* c) { return 0; }
int cuModuleLoadDataEx(void** to, const void* t, unsigned n, int* o, void** v) { *to = &one; return 0; }
int cuModuleUnload(void* m) { return 0; }
int cuModuleGetFunction(void** to, void* m, const char* n) { *to = m; return 0; }
int cuFuncGetAttribute(int* to, int which, void* f) { return *to = 0; }
int cuStreamCreate(void** to, unsigned f) { *to = &one; return 0; }
int cuStreamDestroy_v2(void* s) { return 0; }
int cuStreamSynchronize(void* s) { return 0; }
int cuMemAlloc_v2(Address* to, size_t n) { *to = (Address)malloc(n); return 0; }
int cuMemFree_v2(Address a) { free((void*)a); return 0; }
int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t n, void* s) { memcpy((void*)to, from, n); return 0; }
int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t n, void* s) { memcpy(to, (void*)from, n); return 0; }
int cuLaunchKernel(void* f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned m,
                   void* s, void** p, void** x) { return 719; }
int cuGetErrorString(int status, const char** to) { *to = "unspecified launch failure"; return 0; }
)";

TEST(ADevice, ThatFailsEndsTheEnsembleInOneSentence) {
  const OwnFolder folder;
  std::ofstream(folder / "driver.c") << failing_driver;
  ASSERT_EQ(
      std::system(("cd '" + folder.string() + "' && cc -shared -fPIC -w driver.c -o libcuda.so.1").c_str()),
      0);
  const Ran ran =
      run_taut("ensemble pendulum --size 40 --steps 200 --lanes 4 --threads 2 --device gpu", "/",
               compiler_of(folder, "a kernel") + "export LD_LIBRARY_PATH=" + folder.string() + "; ");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "taut: --device gpu: the kernel does not start (unspecified launch failure).\n");
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
        {"pendulum --method 'lobatto(2)'",
         "steps of rattle, of its compositions and of midpoint, and lobatto(2) is computed by the processor"},
        {"pendulum --method kahan-li8 --tolerance 1e-10",
         "compositions are solved there by Newton's iteration to rounding"},
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
