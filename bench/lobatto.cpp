// Measures what the generic template costs: a lobatto(3) step on the double pendulum against a hand-written
// one of as many iterations, in the same binary:
//   cmake --build build/release --target bench_lobatto && build/release/bench/bench_lobatto
// The number of corrections that taut makes in each step is recorded, and the hand-written loop
// makes as many.
#include <taut/formulation/manifold.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>

#include "hand_written_lobatto.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

using namespace taut;

namespace {

constexpr int steps = 20000, repeats = 15;  // the least of several runs: noise only ever adds

double cpu_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

template <class Loop>
double ns_per_step(Loop&& loop) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const double from = cpu_ns();
    loop();
    best = std::min(best, (cpu_ns() - from) / steps);
  }
  return best;
}

struct Row {
  std::string name;
  double ns, iterations;
  State<double, 4> end;
};

// Measures the template. If `counts` is not null, it receives the corrections of each step.
template <class X, class Method>
Row generic(const std::string& name, const Method& method, double h, std::vector<int>* counts = nullptr) {
  const DoublePendulum<> s;
  X x{};
  std::vector<int> made(steps);
  const double ns = ns_per_step([&] {
    x = X(s.start());
    auto memory = make_memory(method, s, x);
    for (int i = 0; i < steps; ++i) {
      const auto solved = method.step(s, x, memory, h);
      if (!solved) std::exit(1);
      made[static_cast<std::size_t>(i)] = *solved;
    }
  });
  if (counts) *counts = made;
  return {name, ns, std::accumulate(made.begin(), made.end(), 0.0) / steps, x};
}

// Measures a method chosen at run time, as programs do by bind(), which hides its type behind a virtual
// call per step.
Row by_name(const std::string& name, double h) {
  const DoublePendulum<> s;
  using Plain = State<double, 4>;
  Plain x;
  double iterations = 0;
  std::unique_ptr<Stepper<DoublePendulum<>, Plain>> stepper;
  const double ns = ns_per_step([&] {
    x = s.start();
    stepper = bind(Lobatto<>{.s = 3}, s, x);
    iterations = 0;
    for (int i = 0; i < steps; ++i) {
      const auto solved = stepper->step(x, h);
      if (!solved) std::exit(1);
      iterations += *solved;
    }
  });
  return {name, ns, iterations / steps, x};
}

Row by_hand(const std::string& name, double h, double tolerance, const std::vector<int>& limits) {
  hand_written::DoublePendulumLobatto3 hand;
  double iterations = 0;
  const double ns = ns_per_step([&] {
    hand = {};
    iterations = 0;
    for (int i = 0; i < steps; ++i) {
      const int made = hand.step(h, tolerance, limits[static_cast<std::size_t>(i)]);
      if (made < 0) std::exit(1);
      iterations += made;
    }
  });
  Row row{name, ns, iterations / steps, {}};
  std::copy(hand.q.begin(), hand.q.end(), row.end.q.data());
  std::copy(hand.p.begin(), hand.p.end(), row.end.p.data());
  return row;
}

void study(double h) {
  const DoublePendulum<> s;
  using Plain = State<double, 4>;
  std::vector<int> counts;
  std::vector<Row> rows{generic<Plain>("Lobatto<3>", Lobatto<3>{}, h, &counts),
                        generic<CompensatedState<double, 4>>("  compensated updates", Lobatto<3>{}, h),
                        by_name("lobatto(3) by name", h),
                        generic<Plain>("Lobatto<>{3}", Lobatto<>{.s = 3}, h)};
  rows.insert(rows.begin(), by_hand("hand-written, as many iterations", h, 0, counts));
  rows.push_back(by_hand("hand-written, max |residual| <= 1e-14", h, 1e-14, std::vector<int>(steps, 50)));
  fmt::print("\nh = {}\n  {:<40} {:>8} {:>11} {:>7}   {:>7} {:>9} {:>13}\n", h, "", "ns/step", "iterations",
             "ratio", "|g|", "H - H(0)", "from the first");
  for (const Row& row : rows)
    fmt::print("  {:<40} {:>8.1f} {:>11.2f} {:>7.2f}   {:.1e} {:>9.1e} {:>13.1e}\n", row.name, row.ns,
               row.iterations, row.ns / rows[0].ns, position_residual(s, row.end.q),
               H(s, row.end.q, row.end.p) - H(s, s.start().q, s.start().p),
               (row.end.q - rows[0].end.q).cwiseAbs().maxCoeff());
}

}  // namespace

int main() {
  fmt::print("lobatto(3) on the double pendulum, {} steps, one core; ratio to the hand-written loop\n",
             steps);
  for (const double h : {0.1, 0.01}) study(h);
}
