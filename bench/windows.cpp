// Measures the sparse solve of models of formulas: RATTLE, to rounding, on rows of four-bar windows:
//   cmake --build build/release --target bench_windows && build/release/bench/bench_windows
// There is one line for each length and each way to write the model: steps a second, and the time of a step
// in that of a row half as long, which is 2 if work is linear. The last column is the time with the full mass
// matrix in that with the sparse one. Times are of the processor, the least of several runs.
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/formula_problem.hpp>

#include "support/windows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>

using namespace taut;

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::shared_ptr<FormulaSystem> system_of(const test::Windows& windows) {
  const ReadModel read = read_model(windows.text(), "windows.toml");
  if (!read.model) fmt::print("{}", text_of(read.errors));
  return std::make_shared<FormulaSystem>(*compile(*read.model));
}

double seconds_a_step(const std::shared_ptr<const FormulaSystem>& system, int steps) {
  const FormulaProblem<> problem(system);
  double best = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    CompensatedState<double, dynamic> x(problem.start());
    const auto stepper = bind(Rattle{}, problem, x);
    const double from = processor_seconds();
    for (int k = 0; k < steps; ++k)
      if (!stepper->step(x, 0.002)) fmt::print("a step failed\n");
    best = std::min(best, (processor_seconds() - from) / steps);
  }
  return best;
}

}  // namespace

int main() {
  fmt::print("{:<42} {:>8} {:>12} {:>8} {:>8}\n", "model", "windows", "steps/s", "ratio", "full");
  for (const bool bars : {false, true})
    for (const bool apart : {false, true}) {
      double before = 0;
      for (const int count : {50, 100, 200}) {
        const auto system = system_of({.count = count, .bars = bars, .apart = apart});
        const double now = seconds_a_step(system, 20000 / count);
        fmt::print("{:<42} {:>8} {:>12.0f} {:>8}",
                   fmt::format("{}, constraints {}", bars ? "bars" : "points",
                               apart ? "apart" : "beside each other"),
                   count, 1 / now, before > 0 ? fmt::format("{:.2f}", now / before) : "");
        if (!system->mass_order.empty() && count <= 100) {
          system->mass_order.clear();
          fmt::print(" {:>8.0f}", seconds_a_step(system, 10) / now);
        }
        fmt::print("\n");
        before = now;
      }
    }
}
