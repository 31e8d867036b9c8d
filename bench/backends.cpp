// What do formulas cost against code written by hand? RATTLE on models of examples/, every step measured as a run measures it, by each backend:
//   cmake --build build/release --target bench_backends && build/release/bench/bench_backends
// One line per variant: ns per step, ratio to the hand-written loop that does the same, and the accuracy reached beside it. Then the gradient of the Lennard-Jones chain
// alone, and how long a first and a second run take to start. Times are of the processor, the least of several runs: noise only ever adds.
#include <taut/model/compiled_formulas.hpp>
#include <taut/run/backend.hpp>
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
#include <string>

using namespace taut;

namespace {

constexpr int repeats = 9;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double nanoseconds(int count, Work&& work) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const double from = processor_seconds();
    work(count);
    best = std::min(best, 1e9 * (processor_seconds() - from) / count);
  }
  return best;
}

struct Row {
  double ns = 0;
  double energy = 0, position = 0, momentum = 0;  // the worst of all steps
  double iterations = 0;
};

void print(const std::string& name, const Row& row, const Row& yardstick) {
  fmt::print("  {:<44} {:>8.1f} {:>6.2f}   {:.1e}  {:.1e}  {:.1e}  {:.2f}\n", name, row.ns,
             row.ns / yardstick.ns, row.energy, row.position, row.momentum, row.iterations);
}

template <class Hand>
Row by_hand(Hand hand, double h, double tolerance, int steps) {
  hand.start();
  Row row;
  const double first = hand.measure().energy;
  std::int64_t iterations = 0, done = 0;
  row.ns = nanoseconds(steps, [&](int count) {
    for (int i = 0; i < count; ++i) {
      const int corrections = hand.step(h, tolerance);
      if (corrections < 0) std::exit(1);
      const hand_written::Measured now = hand.measure();
      row.energy = std::max(row.energy, std::abs(now.energy - first));
      row.position = std::max(row.position, now.position);
      row.momentum = std::max(row.momentum, now.momentum);
      iterations += corrections;
      ++done;
    }
  });
  row.iterations = static_cast<double>(iterations) / static_cast<double>(done);
  return row;
}

Row by_machine(const ModelRun& run, Backend backend, bool plain, double tolerance, int steps, double h) {
  RunRequest request = run.request;
  request.backend = backend;
  request.plain_updates = plain;
  const BackedMachine made = backed_machine(run.model, run.system, *run.mechanism, {.method = "rattle"},
                                            run.mechanism->start(), {.tolerance = tolerance}, request, steps);
  if (!made.note.empty()) {
    fmt::print(stderr, "{}\n", made.note);
    std::exit(1);
  }
  Tally tally(made.machine->read(), std::int64_t{steps} * repeats);
  Row row;
  row.ns = nanoseconds(steps, [&](int count) { made.machine->advance(h, count, tally); });
  if (tally.failed()) std::exit(1);
  row.energy = tally.energy_error;
  row.position = tally.position_max;
  row.momentum = tally.momentum_max;
  row.iterations = static_cast<double>(tally.iterations) / static_cast<double>(tally.steps);
  return row;
}

template <class Hand>
void variants(const std::string& model, const Hand& hand, double h, int steps) {
  constexpr double tolerance = 1e-12;
  const ModelRun run = model_run(std::string(bundled_model(model).text), model);
  fmt::print("\n{}, h = {}\n  {:<44} {:>8} {:>6}   {:>7}  {:>7}  {:>7}  {}\n", model, h, "", "ns/step",
             "ratio", "|H-H0|", "|g|", "|G H_p|", "iterations");
  const Row yardstick = by_hand(hand, h, tolerance, steps);
  print("hand-written", yardstick, yardstick);
  const auto line = [&](const std::string& name, Backend backend, bool plain, double stop) {
    print(name, by_machine(run, backend, plain, stop, steps, h), yardstick);
  };
  line("specialised (1.3 wanted)", Backend::specialise, true, tolerance);
  line("compiled (3 wanted)", Backend::compile, true, tolerance);
  line("interpreted (30 wanted)", Backend::interpret, true, tolerance);
  line("specialised, as runs are by default", Backend::specialise, false, 0);
  line("compiled, as runs are by default", Backend::compile, false, 0);
  line("interpreted, as runs are by default", Backend::interpret, false, 0);
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
  const double yardstick = nanoseconds(200000, [&](int count) {
    for (int i = 0; i < count; ++i) {
      hand_written::LennardJones::gradient(hand.q, f);
      keep(f);
    }
  });
  fmt::print("\ngradient of the Lennard-Jones chain\n  {:<44} {:>8.1f}\n", "hand-written", yardstick);
  for (const auto* system : {&compiled.system, &run.system}) {
    const Evaluator<double> evaluate((*system)->grad_V);
    const double ns = nanoseconds(200000, [&](int count) {
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

// Seconds of the processor that the program takes with its children, and of the clock.
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
  for (const auto& [model, method] : {std::pair<std::string, std::string>{"six-node-chain", "rattle"},
                                      {"lennard-jones-chain", "rattle"},
                                      {"lennard-jones-chain", "'lobatto(3)'"},
                                      {"double-pendulum", "'lobatto(2)'"},
                                      {"heavy-top", "yoshida6"},
                                      {"torus-in-magnetic-field", "midpoint"}})
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
  // An empty cache of its own, so that first runs are first.
  std::string cache = (std::filesystem::temp_directory_path() / "taut-bench-XXXXXX").string();
  if (mkdtemp(cache.data()) == nullptr) return 1;
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  fmt::print("RATTLE with plain sums to |g| <= 1e-12, one core; ratio to the hand-written loop\n");
  variants("six-node-chain", hand_written::Chain{}, 0.01, 20000);
  variants("lennard-jones-chain", hand_written::LennardJonesChain{}, 0.01, 20000);
  variants("double-pendulum", hand_written::DoublePendulum{}, 0.01, 50000);
  gradient();
  std::filesystem::remove_all(std::filesystem::path(cache) / "taut");
  latencies();
  std::filesystem::remove_all(cache);
}
