// What does solving to rounding cost, beside solving only until |g| <= 1e-13? The same steps with both rules, with compensated sums, in turn:
//   cmake --build build/release --target bench_to_rounding && build/release/bench/bench_to_rounding
#include <taut/method/composition.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/problem/double_pendulum.hpp>
#include <taut/problem/pendulum.hpp>
#include <taut/problem/six_node_chain.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace taut;

namespace {

constexpr double tolerance = 1e-13;
constexpr int rounds = 40;  // the least of several: noise only ever adds

double cpu_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

struct Cost {
  double ns = 1e300, corrections = 0;
};

template <class P, class Method>
void measure(const P& s, const Method& method, double h, int steps, Cost& cost) {
  CompensatedState<double, P::n> x(s.start());
  auto memory = make_memory(method, s, x);
  long corrections = 0;
  const double from = cpu_ns();
  for (int i = 0; i < steps; ++i) {
    const auto solved = method.step(s, x, memory, h);
    if (!solved) std::exit(1);
    corrections += *solved;
  }
  cost.ns = std::min(cost.ns, (cpu_ns() - from) / steps);
  cost.corrections = static_cast<double>(corrections) / steps;
}

template <class P, class Method>
void compare(const std::string& problem, const std::string& name, const P& s, Method method, double h) {
  Cost loose, tight;
  const auto set = [&](double to) {
    if constexpr (requires { method.solve; })
      method.solve.tolerance = to;
    else
      method.base.solve.tolerance = to;
  };
  const int steps = 4000;
  for (int r = 0; r < rounds; ++r) {
    set(tolerance);
    measure(s, method, h, steps, loose);
    set(0);
    measure(s, method, h, steps, tight);
  }
  fmt::print("{:<18}{:<12}{:>6}{:>10.1f}{:>8.2f}{:>12.1f}{:>8.2f}{:>9.2f}\n", problem, name, h, loose.ns,
             loose.corrections, tight.ns, tight.corrections, tight.ns / loose.ns);
}

template <class P>
void all_methods(const std::string& problem, const P& s, double eighth) {
  compare(problem, "rattle", s, Rattle{}, 0.01);
  compare(problem, "kahan-li8", s, Composition<Rattle>{.scheme = find_composition("kahan-li8")}, eighth);
  compare(problem, "lobatto(3)", s, Lobatto<3>{}, 0.01);
  compare(problem, "lobatto(3)", s, Lobatto<3>{}, 0.05);
  compare(problem, "lobatto(5)", s, Lobatto<5>{}, 0.05);
}

}  // namespace

int main() {
  fmt::print("{:<18}{:<12}{:>6}{:>18}{:>20}{:>9}\n", "", "", "h", "to 1e-13", "to rounding", "ratio");
  all_methods("pendulum", Pendulum<double, 2>{}, 0.1);
  all_methods("double pendulum", DoublePendulum<>{}, 0.05);
  all_methods("six-node chain", SixNodeChain<>{}, 0.05);
}
