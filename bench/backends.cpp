// Measures what formulas cost against code written by hand: RATTLE on models of examples/, every step
// measured as a run measures it, by each backend:
//   cmake --build build/release --target bench_backends && build/release/bench/bench_backends
// There is one line per variant: ns per step, the ratio to the hand-written loop that does the same, and the
// accuracy reached. The loop written by hand stops its Newton iteration by the same tolerance and measures as
// much after every step, into the same tally. It does less in one thing: it takes its linear solves on trust,
// and looks neither at pivots nor at G H_p after the projection. Then follow the gradient of the
// Lennard-Jones chain alone, and how long a first and a second run take to start. Times are of the processor,
// the least of several runs: noise only ever adds.
#include <taut/backend/backend.hpp>
#include <taut/backend/compiled_formulas.hpp>
#include <taut/model/code/evaluator.hpp>
#include <taut/run/bundled.hpp>
#include <taut/run/model_run.hpp>

#include "hand_written.hpp"

#include <fmt/core.h>

#include <sys/resource.h>
#include <ctime>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace taut;

namespace {

constexpr int repeats = 60;  // short ones: on a busy machine a few of them are undisturbed

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the nanoseconds of one of `count`.
template <class Work>
double nanoseconds(int count, Work&& work) {
  const double from = processor_seconds();
  work(count);
  return 1e9 * (processor_seconds() - from) / count;
}

template <class Work>
double least_nanoseconds(int count, Work&& work) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) best = std::min(best, nanoseconds(count, work));
  return best;
}

// One way to run the model: `advance` makes so many steps and adds each to the tally, as a run does.
struct Contender {
  std::string name;
  std::shared_ptr<Tally> tally;
  std::function<void(int count)> advance;
  double ns = 1e300;
};

template <class Hand>
Contender by_hand(Hand hand, double h, double tolerance, int steps) {
  hand.start();
  const auto read = [](const Hand& at) {
    const hand_written::Measured now = at.measure();
    return Reading{now.energy, now.position, now.momentum};
  };
  auto tally = std::make_shared<Tally>(read(hand), std::int64_t{steps} * repeats);
  return {.name = "hand-written", .tally = tally, .advance = [=](int count) mutable {
            for (int i = 0; i < count; ++i) {
              const int corrections = hand.step(h, tolerance);
              if (corrections < 0 || !tally->add(read(hand), corrections)) std::exit(1);
            }
          }};
}

Contender by_machine(const std::string& name, const ModelRun& run, Backend backend, bool plain,
                     double tolerance, int steps, double h) {
  RunRequest request = run.request;
  request.backend = backend;
  request.plain_updates = plain;
  BackedMachine made = backed_machine(run.model, run.system, *run.mechanism, {.method = "rattle"},
                                      run.mechanism->start(), {.tolerance = tolerance}, request, h, steps);
  if (!made.note.empty()) {
    fmt::print(stderr, "{}\n", made.note);
    std::exit(1);
  }
  const std::shared_ptr<Machine> machine = std::move(made.machine);
  auto tally = std::make_shared<Tally>(machine->read(), std::int64_t{steps} * repeats);
  return {.name = name, .tally = tally, .advance = [=](int count) {
            machine->advance(h, count, *tally);
            if (tally->failed()) std::exit(1);
          }};
}

template <class Hand>
void variants(const std::string& model, const Hand& hand, double h, int steps) {
  constexpr double tolerance = 1e-12;
  const ModelRun run = model_run(std::string(bundled_model(model).text), model);
  std::vector<Contender> all{by_hand(hand, h, tolerance, steps)};
  const auto add = [&](const std::string& name, Backend backend, bool plain, double stop) {
    all.push_back(by_machine(name, run, backend, plain, stop, steps, h));
  };
  add("specialised (1.3 wanted)", Backend::specialise, true, tolerance);
  add("compiled (3 wanted)", Backend::compile, true, tolerance);
  add("interpreted (30 wanted)", Backend::interpret, true, tolerance);
  add("specialised, as runs are by default", Backend::specialise, false, 0);
  add("compiled, as runs are by default", Backend::compile, false, 0);
  add("interpreted, as runs are by default", Backend::interpret, false, 0);
  // They run in turn, so that a slow moment of the machine affects all of them.
  for (int r = 0; r < repeats; ++r)
    for (Contender& one : all) one.ns = std::min(one.ns, nanoseconds(steps, one.advance));
  fmt::print("\n{}, h = {}\n  {:<44} {:>8} {:>6}   {:>7}  {:>7}  {:>7}  {}\n", model, h, "", "ns/step",
             "ratio", "|H-H0|", "|g|", "|G H_p|", "iterations");
  for (const Contender& one : all)
    fmt::print("  {:<44} {:>8.1f} {:>6.2f}   {:.1e}  {:.1e}  {:.1e}  {:.2f}\n", one.name, one.ns,
               one.ns / all.front().ns, one.tally->energy_error, one.tally->position_max,
               one.tally->momentum_max,
               static_cast<double>(one.tally->iterations) / static_cast<double>(one.tally->steps));
}

void gradient() {
  const ModelRun run =
      model_run(std::string(bundled_model("lennard-jones-chain").text), "lennard-jones-chain");
  const CompiledFormulas compiled = compiled_formulas(run.system);
  if (!compiled.missing.empty()) std::exit(1);
  hand_written::LennardJonesChain hand;
  hand.start();
  std::array<double, 14> f{}, formula{};
  const auto keep = [](const auto& x) { asm volatile("" : : "r"(x.data()) : "memory"); };
  const double yardstick = least_nanoseconds(20000, [&](int count) {
    for (int i = 0; i < count; ++i) {
      hand_written::LennardJones::gradient(hand.q, f);
      keep(f);
    }
  });
  fmt::print("\ngradient of the Lennard-Jones chain\n  {:<44} {:>8.1f}\n", "hand-written", yardstick);
  for (const auto* system : {&compiled.system, &run.system}) {
    const Evaluator<double> evaluate((*system)->grad_V);
    const double ns = least_nanoseconds(20000, [&](int count) {
      for (int i = 0; i < count; ++i) {
        evaluate(hand.q.data(), nullptr, nullptr, formula.data());
        keep(formula);
      }
    });
    double off = 0;
    for (std::size_t i = 0; i < f.size(); ++i) off = std::max(off, std::abs(f[i] - formula[i]));
    fmt::print("  {:<44} {:>8.1f} {:>6.2f}   differs by {:.1e}\n",
               system == &run.system ? "interpreted" : "compiled (1.3 wanted)", ns, ns / yardstick, off);
  }
}

// Returns the seconds of the processor that the program takes with its children, and those of the clock.
std::pair<double, double> seconds_of(const std::string& command) {
  const auto children = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  };
  const double from = children();
  const auto began = std::chrono::steady_clock::now();
  if (std::system(command.c_str()) != 0) std::exit(1);
  return {children() - from, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()};
}

void latencies() {
  fmt::print(
      "\nfirst and second run of ten steps: seconds of the processor (of the clock)\n  {:<44} {:>16} "
      "{:>16}\n",
      "", "first", "second");
  const std::vector<std::pair<std::string, std::string>> runs{{"six-node-chain", "rattle"},
                                                              {"six-node-chain", "'lobatto(3)'"},
                                                              {"six-node-chain", "yoshida4"},
                                                              {"lennard-jones-chain", "rattle"},
                                                              {"lennard-jones-chain", "'lobatto(3)'"},
                                                              {"lennard-jones-chain", "yoshida4"},
                                                              {"double-pendulum", "rattle"},
                                                              {"double-pendulum", "'lobatto(3)'"},
                                                              {"double-pendulum", "yoshida4"},
                                                              {"heavy-top", "yoshida6"},
                                                              {"torus-in-magnetic-field", "midpoint"}};
  for (const auto& [model, method] : runs)
    for (const char* backend : {"interpret", "compile", "specialise"}) {
      const std::string command =
          fmt::format("'" TAUT_PROGRAM "' run {} --method {} --steps 10 --backend {} > /dev/null", model,
                      method, backend);
      const auto first = seconds_of(command), second = seconds_of(command);
      fmt::print("  {:<44} {:>7.3f} ({:>6.3f}) {:>7.3f} ({:>6.3f})\n",
                 fmt::format("{}, {}: {}", model, method, backend), first.first, first.second, second.first,
                 second.second);
    }
}

}  // namespace

int main() {
  // The cache is empty and its own, so that first runs are first.
  std::string cache = (std::filesystem::temp_directory_path() / "taut-bench-XXXXXX").string();
  if (mkdtemp(cache.data()) == nullptr) return 1;
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  fmt::print("RATTLE with plain sums to |g| <= 1e-12, one core; ratio to the hand-written loop\n");
  variants("six-node-chain", hand_written::Chain{}, 0.01, 4000);
  variants("lennard-jones-chain", hand_written::LennardJonesChain{}, 0.01, 4000);
  variants("double-pendulum", hand_written::DoublePendulum{}, 0.01, 10000);
  gradient();
  std::filesystem::remove_all(std::filesystem::path(cache) / "taut");
  latencies();
  std::filesystem::remove_all(cache);
}
