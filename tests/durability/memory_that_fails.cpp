// Every allocation of a run may fail: the program then ends with words and a documented status, never by a
// signal, and never by calling the model wrong. A library that is loaded before the program's own refuses one
// allocation, the n-th.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "support/run_program.hpp"

namespace {

using taut::test::OwnFolder;
using taut::test::Ran;
using taut::test::run_taut;

constexpr const char* refusing_library = R"c(
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
static void* (*next)(size_t);
static atomic_long count;
static long refused = -1;
void* malloc(size_t size) {
  if (!next) {
    next = dlsym(RTLD_NEXT, "malloc");
    if (getenv("REFUSED_ALLOCATION")) refused = atol(getenv("REFUSED_ALLOCATION"));
  }
  return atomic_fetch_add(&count, 1) == refused ? NULL : next(size);
}
)c";

// A sanitizer has allocations of its own.
#if !defined(__SANITIZE_ADDRESS__)
class MemoryThatFails : public testing::Test {
 protected:
  MemoryThatFails() {
    std::ofstream(folder_ / "refuse.c") << refusing_library;
    const std::string build =
        "cd '" + folder_.string() + "' && cc -O1 -shared -fPIC -o refuse.so refuse.c -ldl";
    EXPECT_EQ(std::system(build.c_str()), 0) << build;
  }
  // Runs with one allocation after another refused; the steps between them grow, because there are thousands.
  void run_with_each(const std::string& arguments, int last) {
    int felt = 0;  // runs that could not do without the allocation
    for (int refused = 0; refused < last; refused += 1 + refused / 8) {
      const Ran ran = run_taut(arguments, "/",
                               "export REFUSED_ALLOCATION=" + std::to_string(refused) + " LD_PRELOAD='" +
                                   folder_.string() + "/refuse.so'; ");
      const bool told = ran.err.find("there is not enough memory") != std::string::npos;
      EXPECT_TRUE(ran.status == 0 || (ran.status == 1 && told))
          << "allocation " << refused << " of " << arguments << ": status " << ran.status << "\n"
          << ran.err;
      if (told) ++felt;
    }
    EXPECT_GE(felt, 20);
  }
  OwnFolder folder_;
};

TEST_F(MemoryThatFails, OfARunInAFolder) {
  run_with_each(
      "run double-pendulum --steps 20 --backend interpret --overwrite --out '" + folder_.string() + "/d'",
      6000);
}
TEST_F(MemoryThatFails, OfParticlesInThreads) {
  run_with_each("run water-box --steps 2 --threads 3 --json", 20000);
}
TEST_F(MemoryThatFails, OfAModelThatIsChecked) { run_with_each("check pendulum --steps 100", 4000); }
#endif

}  // namespace
