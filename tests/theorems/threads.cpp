// The bits of a run do not depend on how many threads share it, and the threads of one machine are no
// business of another. Held on systems large enough to be shared out.

#include <taut/backend/backend.hpp>
#include <taut/backend/shared_machine.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/parallel/workers.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "support/particle_models.hpp"

namespace {

using namespace taut;
using Problem = ParticleProblem<double>;
using X = CompensatedState<double, dynamic>;

struct Threads {
  Workers workers;
  SharedWith scope{&workers};
  explicit Threads(int count) : workers(count) {}
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

// In how many ranges a long loop is done here.
int ranges_here() {
  std::atomic<int> ranges = 0;
  in_ranges(1000, 1, 1, [&](int, int) { ++ranges; });
  return ranges;
}

TEST(Workers, ALoopInsideALoopIsNotSharedAgain) {
  const Threads use(3);
  std::atomic<int> sum = 0, most = 0;
  in_ranges(30, 1, 1, [&](int from, int to) {
    if (ranges_here() != 1) most = ranges_here();
    for (int k = from; k < to; ++k) in_ranges(100, 1, 1, [&](int a, int b) { sum += b - a; });
  });
  EXPECT_EQ(sum, 3000);
  EXPECT_EQ(most, 0);
  EXPECT_EQ(ranges_here(), 3);
}

// An exception of any share reaches the caller when all shares have ended, and the workers go on afterwards.
TEST(Workers, AnExceptionOfAShareReachesTheCaller) {
  const Threads use(4);
  for (int round = 0; round < 50; ++round)
    for (int wrong = 0; wrong < 5; ++wrong) {  // the last one: every share
      std::atomic<int> ended = 0;
      EXPECT_THROW(in_ranges(4, 1, 1,
                             [&](int from, int) {
                               ++ended;
                               if (wrong == 4 || from == wrong) throw std::bad_alloc();
                             }),
                   std::bad_alloc);
      EXPECT_EQ(ended, 4);
      EXPECT_EQ(ranges_here(), 4);
    }
}

// A sanitizer needs more address space than this limit leaves.
#if !defined(__SANITIZE_ADDRESS__)
// A machine that gives no more threads ends nothing: there are fewer, and missing() says why. Memory is
// limited in a process of its own.
TEST(Workers, FewerThreadsThanAskedFor) {
  const auto with_little_memory = [] {
    const rlimit little{1U << 30U, 1U << 30U};
    setrlimit(RLIMIT_AS, &little);
    Workers workers(1000);
    const SharedWith shared(&workers);
    std::atomic<int> sum = 0;
    in_ranges(1000, 1, 1, [&](int a, int b) { sum += b - a; });
    const bool fine = workers.threads() >= 1 && workers.threads() < 1000 && !workers.missing().empty() &&
                      sum == 1000 && ranges_here() == workers.threads();
    std::_Exit(fine ? 0 : 1);
  };
  EXPECT_EXIT(with_little_memory(), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(Workers(3).missing().empty());
}
#endif

TEST(Workers, SeveralThreadsMayAskTheSameWorkers) {
  Workers workers(3);
  std::atomic<int> sum = 0;
  std::vector<std::thread> askers;
  for (int k = 0; k < 3; ++k)
    askers.emplace_back([&] {
      const SharedWith shared(&workers);
      for (int n = 0; n < 200; ++n) in_ranges(100, 1, 1, [&](int a, int b) { sum += b - a; });
    });
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(sum, 60000);
}

TEST(Workers, BelongToTheThreadThatTookThem) {
  EXPECT_EQ(ranges_here(), 1);
  {
    const Threads two(2);
    EXPECT_EQ(ranges_here(), 2);
    {
      const Threads five(5);
      EXPECT_EQ(ranges_here(), 5);
      std::thread([] { EXPECT_EQ(ranges_here(), 1); }).join();
    }
    EXPECT_EQ(ranges_here(), 2);
  }
  EXPECT_EQ(ranges_here(), 1);
}

// Does nothing but write down, after each call, among how many threads its loops were shared.
class Counting final : public Machine {
 public:
  explicit Counting(std::vector<int>& seen) : seen_(seen) {}
  void advance(double, std::int64_t, Tally&) override { note(); }
  void advance_by_halves(double, Tally&) override { note(); }
  Reading read() override { return note(), Reading{}; }
  std::vector<double> multiplier() const override { return note(), std::vector<double>{}; }
  std::vector<double> constraint_force() const override { return note(), std::vector<double>{}; }
  double kinetic_energy() const override { return note(), 0; }
  std::vector<double> last_multiplier(double) const override { return note(), std::vector<double>{}; }
  bool restore(std::string_view) override { return note(), true; }
  std::string save() override { return {}; }
  std::span<const double> q() const override { return {}; }
  std::span<const double> p() const override { return {}; }
  ProjectionCount projections() const override { return {}; }

 private:
  void note() const { seen_.push_back(ranges_here()); }
  std::vector<int>& seen_;
};

TEST(SharedMachine, SharesEveryCallThatHasALoop) {
  std::vector<int> seen;
  SharedMachine machine(std::make_unique<Counting>(seen), 3);
  Tally tally({}, 1);
  machine.advance(0.1, 1, tally);
  machine.advance_by_halves(0.1, tally);
  machine.read();
  machine.multiplier();
  machine.constraint_force();
  machine.kinetic_energy();
  machine.last_multiplier(0.1);
  machine.restore("");
  EXPECT_EQ(seen, std::vector<int>(8, 3));
  EXPECT_EQ(ranges_here(), 1);
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// Two machines at the same time, in two threads, each with its own number of threads: each has the bits of a
// machine that is alone, and shares its loops among as many threads as it was given.
TEST(SharedMachine, KnowsNothingOfAnotherOne) {
  const ReadModel read = read_model(
      with(test::zigzag_chain, "N = 100001", "N = 40001") + "[[field]]\npotential = \"0.01*z^2\"\n",
      "test.toml");
  ASSERT_TRUE(read.model);
  const auto mechanism = make_mechanism(read.model->particles);
  const MethodChoice choice{.method = "rattle", .ode = {}};
  const auto machine_with = [&](int threads) {
    RunRequest request;
    request.threads = threads;
    return backed_machine(*read.model, nullptr, *mechanism, choice, mechanism->start(), {}, request, 0.01, 4)
        .machine;
  };
  const auto bits_after = [](Machine& machine) {
    Tally tally(machine.read(), 4);
    for (int k = 0; k < 4; ++k) machine.advance(0.05, 1, tally);
    EXPECT_FALSE(tally.failed());
    return machine.save();
  };
  const auto alone = machine_with(1);
  const std::string expected = bits_after(*alone);

  for (int round = 0; round < 3; ++round) {
    const auto before = threads_of_this_process();
    const auto two = machine_with(2), three = machine_with(3);
    EXPECT_EQ(threads_of_this_process(), before + 1 + 2);
    EXPECT_EQ(threads_here(), 1);  // making a machine sets nothing for anybody else
    std::string of_two, of_three;
    std::vector<int> seen_by_two, seen_by_three;
    SharedMachine counts_two(std::make_unique<Counting>(seen_by_two), 2);
    SharedMachine counts_three(std::make_unique<Counting>(seen_by_three), 3);
    std::thread first([&] {
      of_two = bits_after(*two);
      for (int k = 0; k < 100; ++k) counts_two.read();
    });
    std::thread second([&] {
      of_three = bits_after(*three);
      for (int k = 0; k < 100; ++k) counts_three.read();
    });
    first.join();
    second.join();
    EXPECT_TRUE(of_two == expected);
    EXPECT_TRUE(of_three == expected);
    EXPECT_EQ(seen_by_two, std::vector<int>(100, 2));
    EXPECT_EQ(seen_by_three, std::vector<int>(100, 3));
  }
}

}  // namespace
