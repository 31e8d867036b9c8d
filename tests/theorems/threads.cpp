// The bits of a run do not depend on how many threads share it: a design rule, held on systems large
// enough to be shared.

#include <taut/formulation/manifold.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/parallel/workers.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

#include "support/particle_models.hpp"

namespace {

using namespace taut;
using Problem = ParticleProblem<double>;
using X = CompensatedState<double, dynamic>;

struct Threads {
  explicit Threads(int count) { set_threads(count); }
  ~Threads() { set_threads(1); }
};

// Returns the state after a few steps, with everything made anew.
X after(const std::string& text, int threads, const SolveOptions& options, int steps, double h) {
  const Threads use(threads);
  const Problem s(test::particles_of(text));
  StateOf<Problem> start = s.start();
  EXPECT_TRUE(project_start(s, start));
  X x(start);
  const auto stepper = bind(Rattle{}, s, x, options);
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(stepper->step(x, h)) << k;
  return x;
}

bool same_bits(const X& a, const X& b) {
  const auto same = [](const auto& u, const auto& v) {
    return u.size() == v.size() &&
           std::memcmp(u.data(), v.data(), sizeof(double) * static_cast<std::size_t>(u.size())) == 0;
  };
  return same(a.q, b.q) && same(a.p, b.p) && same(a.q_low, b.q_low) && same(a.p_low, b.p_low);
}

void same_for_any_number(const std::string& text, int steps, double h, const SolveOptions& options = {}) {
  const X alone = after(text, 1, options, steps, h);
  for (const int threads : {2, 3})
    EXPECT_TRUE(same_bits(alone, after(text, threads, options, steps, h))) << threads;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(Threads, AChainOfAHundredThousandRods) { same_for_any_number(test::zigzag_chain, 2, 0.05); }
TEST(Threads, TheSameChainToATolerance) {  // coordinates up to 1e5 round g to some 1e-10
  same_for_any_number(test::zigzag_chain, 2, 0.05, {.tolerance = 1e-9});
}
TEST(Threads, TheSameChainByTheSymmetricIteration) {
  same_for_any_number(test::zigzag_chain, 1, 0.05, {.iteration = Iteration::symmetric});
}
TEST(Threads, Waters) { same_for_any_number(with(test::waters, "N = 100000", "N = 20000"), 2, 0.1); }
TEST(Threads, WatersToATolerance) {  // coordinates up to 2e4 round g to some 1e-11
  same_for_any_number(with(test::waters, "N = 100000", "N = 20000"), 2, 0.1, {.tolerance = 1e-10});
}
TEST(Threads, ANetOfRods) { same_for_any_number(with(test::net, "n = 40", "n = 110"), 1, 0.05); }
TEST(Threads, Rings) { same_for_any_number(with(test::rings, "N = 36", "N = 6000"), 2, 0.05); }

// This has springs, bends, torsions and pairs beside the rods.
TEST(Threads, APolymerWithSideGroups) {
  same_for_any_number(with(test::polymer, "N = 60", "N = 6000"), 2, 0.01);
}

TEST(Workers, EveryElementOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    const Threads use(threads);
    for (const int count : {0, 1, 7, 8, 1000, 1001}) {
      std::vector<int> seen(static_cast<std::size_t>(count), 0);
      in_ranges(count, 8, 16, [&](int from, int to) {
        EXPECT_EQ(from % 8, 0);
        for (int k = from; k < to; ++k) ++seen[static_cast<std::size_t>(k)];
      });
      EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), count);
      EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    }
  }
}

// A loop inside a shared loop, and loops of several threads at once, run on the thread that asks.
TEST(Workers, LoopsInsideLoops) {
  const Threads use(3);
  std::atomic<int> sum = 0;
  in_ranges(30, 1, 1, [&](int from, int to) {
    for (int k = from; k < to; ++k) in_ranges(100, 1, 1, [&](int a, int b) { sum += b - a; });
  });
  EXPECT_EQ(sum, 3000);
  std::vector<std::thread> askers;
  sum = 0;
  for (int k = 0; k < 3; ++k)
    askers.emplace_back([&] {
      for (int n = 0; n < 200; ++n) in_ranges(100, 1, 1, [&](int a, int b) { sum += b - a; });
    });
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(sum, 60000);
}

}  // namespace
