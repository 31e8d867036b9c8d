// Measures what solving to rounding costs, beside solving only until |g| <= 1e-13, and what it gains. The
// same steps are made with both rules, with compensated sums, in turn; then it shows how far both are, at t =
// 10⁴, from the same steps in 128 bits:
//   cmake --build build/release --target bench_to_rounding && build/release/bench/bench_to_rounding
#include <taut/method/composition.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
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

template <class Method>
Method solved_to(Method method, double to) {
  if constexpr (requires { method.solve; })
    method.solve.tolerance = to;
  else
    method.base.solve.tolerance = to;
  return method;
}

template <class P, class Method>
void compare(const std::string& problem, const std::string& name, const P& s, const Method& method,
             double h) {
  Cost loose, tight;
  const int steps = 4000;
  for (int r = 0; r < rounds; ++r) {
    measure(s, solved_to(method, tolerance), h, steps, loose);
    measure(s, solved_to(method, 0), h, steps, tight);
  }
  fmt::print("{:<18}{:<12}{:>6}{:>10.1f}{:>8.2f}{:>12.1f}{:>8.2f}{:>9.2f}\n", problem, name, h, loose.ns,
             loose.corrections, tight.ns, tight.corrections, tight.ns / loose.ns);
}

template <class P>
void all_methods(const std::string& problem, const P& s, double eighth) {
  compare(problem, "rattle", s, Rattle{}, 0.01);
  compare(problem, "rattle", s, Rattle{}, 0.1);
  compare(problem, "kahan-li8", s, Composition<Rattle>{.scheme = find_composition("kahan-li8")}, eighth);
  compare(problem, "lobatto(3)", s, Lobatto<3>{}, 0.01);
  compare(problem, "lobatto(3)", s, Lobatto<3>{}, 0.05);
  compare(problem, "lobatto(5)", s, Lobatto<5>{}, 0.05);
}

// Returns q after so many steps, in 128 bits with the digits that compensated sums carry.
template <class P, class Method>
Vector<Float128, P::n> end_of(const P& s, const Method& method, double h, long steps) {
  using T = typename P::Scalar;
  CompensatedState<T, P::n> x(s.start());
  auto memory = make_memory(method, s, x);
  for (long i = 0; i < steps; ++i)
    if (!method.step(s, x, memory, T(h))) std::exit(1);
  Vector<Float128, P::n> q;
  for (Eigen::Index i = 0; i < q.size(); ++i)
    q[i] = static_cast<Float128>(x.q[i]) + static_cast<Float128>(x.q_low[i]);
  return q;
}

// Compares both rules with the same steps in 128 bits: truncation is the same in all three.
template <class Method>
void distance(const std::string& name, const Method& method, double h) {
  const Pendulum<double, 2> s;
  const long steps = std::lround(1e4 / h);
  const auto exact = end_of(s.cast<Float128>(), solved_to(method, 0), h, steps);
  const auto from_exact = [&](double to) {
    const auto q = end_of(s, solved_to(method, to), h, steps);
    return static_cast<double>(largest_entry(Vector<Float128, 2>(q - exact)));
  };
  fmt::print("{:<18}{:<12}{:>6}{:>18.1e}{:>20.1e}\n", "pendulum", name, h, from_exact(tolerance),
             from_exact(0));
}

}  // namespace

int main() {
  fmt::print("{:<18}{:<12}{:>6}{:>18}{:>20}{:>9}\n", "", "", "h", "to 1e-13", "to rounding", "ratio");
  all_methods("pendulum", Pendulum<double, 2>{}, 0.1);
  all_methods("double pendulum", DoublePendulum<>{}, 0.05);
  all_methods("six-node chain", SixNodeChain<>{}, 0.05);
  fmt::print("\nq at t = 10⁴, from that of the same steps in 128 bits\n");
  distance("rattle", Rattle{}, 0.1);
  distance("kahan-li8", Composition<Rattle>{.scheme = find_composition("kahan-li8")}, 0.1);
  distance("lobatto(3)", Lobatto<3>{}, 0.05);
  distance("lobatto(5)", Lobatto<5>{}, 0.1);
}
