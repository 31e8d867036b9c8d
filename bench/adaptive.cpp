// Prints the table of docs/theory/adaptive.md: Kepler's problem on the sphere with steps that differ in size,
// with sizes that follow from the last state alone, and with fixed steps; and what the density costs.
//   bench_adaptive [LONGEST_TIME]

#include <taut/mechanism/machine.hpp>
#include <taut/run/model_run.hpp>
#include <taut/run/run_mechanism.hpp>
#include <taut/run/step_function.hpp>

#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace {

using namespace taut;

constexpr double epsilon = 0.00279;

ModelRun model(const std::string& name, const std::string& method, const std::string& sigma) {
  RunRequest request;
  request.method = method;
  request.step_function = sigma;
  request.backend = Backend::specialise;
  return read_model_run(name, request, {});
}
std::unique_ptr<Machine> machine_of(const ModelRun& run, const std::string& method) {
  return run.machine({.method = method}, run.mechanism->start(), 1 << 30, [](const std::string&) {}).machine;
}
double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Prints largest |H - H₀| whenever the time passes a power of ten.
template <class Step>
void print_row(const std::string& what, Machine& machine, double until, const Step& step) {
  Tally tally(machine.read(), -1);
  double time = 0, next = 10;
  const double began = cpu();
  fmt::print("{:28}", what);
  while (time < until && !tally.failed()) {
    time = step(machine, tally);
    if (time < next) continue;
    fmt::print("  {:.2e}", tally.energy_error);
    std::fflush(stdout);
    next *= 10;
  }
  fmt::print("   {:.0f} steps a unit of time, {:.1f} s{}\n", static_cast<double>(tally.steps) / time,
             cpu() - began, tally.failed() ? ", then no solution" : "");
}

void print_table(double until) {
  fmt::print("largest |H - H0| to t =          10       100      1000  ...\n");
  const ModelRun run = model("kepler-on-sphere", "adaptive(rattle)", "(x^2 + y^2)^0.75");
  const auto adaptive = machine_of(run, "adaptive(rattle)");
  print_row("adaptive(rattle)", *adaptive, until, [](Machine& m, Tally& tally) {
    m.advance(epsilon, 64, tally);
    return m.variable_steps()->time();
  });
  const auto naive = machine_of(run, "rattle");
  const auto sigma = run.step_function(run.mechanism->start());
  double time = 0;
  print_row("h from the last state", *naive, std::min(until, 1e4), [&](Machine& m, Tally& tally) {
    const double h = epsilon * sigma->sigma(m.q(), m.p());
    m.advance(h, 1, tally);
    return time += h;
  });
  for (const double per_unit : {1000.0, 1e5, 2e5}) {
    const auto fixed = machine_of(run, "rattle");
    std::int64_t steps = 0;
    print_row(fmt::format("fixed, {:g} a unit", per_unit), *fixed, per_unit > 1000 ? 20 : 200,
              [&](Machine& m, Tally& tally) {
                m.advance(1 / per_unit, 64, tally);
                return static_cast<double>(steps += 64) / per_unit;
              });
  }
}

// CPU time of a million steps of the pendulum with σ = 1 and with fixed steps, by turns.
void print_overhead() {
  const ModelRun run = model("pendulum", "adaptive(rattle)", "1");
  double best[2] = {1e9, 1e9};
  for (int turn = 0; turn < 7; ++turn)
    for (int k = 0; k < 2; ++k) {
      const auto machine = machine_of(run, k == 0 ? "rattle" : "adaptive(rattle)");
      Tally tally(machine->read(), 2000000);
      const double began = cpu();
      for (int i = 0; i < 1000; ++i) machine->advance(0.05, 2000, tally);
      best[k] = std::min(best[k], cpu() - began);
    }
  fmt::print("pendulum, step function 1: {:.3f} of the CPU time of fixed steps\n", best[1] / best[0]);
}

// Ten thousand orbits forth, and back.
void print_return() {
  const ModelRun run = model("kepler-on-sphere", "adaptive(rattle)", "(x^2 + y^2)^0.75");
  const auto machine = machine_of(run, "adaptive(rattle)");
  constexpr double coarse = 0.028;
  Tally tally(machine->read(), -1);
  std::int64_t steps = 0;
  for (; machine->variable_steps()->time() < 1e4 * 2.03; steps += 1000) machine->advance(coarse, 1000, tally);
  machine->advance(-coarse, steps, tally);
  const PlainState start = run.mechanism->start();
  double off = 0;
  for (std::size_t i = 0; i < start.q.size(); ++i)
    off = std::max(off, std::abs(machine->q()[i] - start.q[i]));
  fmt::print("ten thousand orbits forth and back, {} steps: off by {:.1e}\n", 2 * steps, off);
}

}  // namespace

int main(int count, char** words) {
  print_table(count > 1 ? std::atof(words[1]) : 1e3);
  print_overhead();
  print_return();
}
