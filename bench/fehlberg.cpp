// Measures the same accuracy by multistep8 and kahan-li8a and by a hand-written Fehlberg 7(8) on the
// underlying equations, projected onto the manifold after each step, in the same binary:
//   cmake --build build/release --target bench_fehlberg && build/release/bench/bench_fehlberg [PROBLEM]
// PROBLEM is pendulum, six-node-chain, lennard-jones-chain or all; the error is that in q and p at t =
// 100, for the six-node chain at t = 40, in the frame of its centre of mass. All methods are bare loops
// with fixed steps that look at the state at the end alone; the time of taut's includes the start of the
// sequence and the memory of the method.
#include <taut/method/multistep/symmetric_multistep.hpp>
#include <taut/problem/ready_made/lennard_jones_chain.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include "hand_written_fehlberg.hpp"
#include "peers/work_precision.hpp"

using namespace taut;
using namespace work_precision;

namespace {

constexpr double wanted[] = {1e-4, 1e-6, 1e-8, 1e-10};

// Makes runs with ever more steps, until the error is below 1e-11, rounding has taken over, or a run takes
// long. `run(steps)` returns the last state.
template <class P, class Run>
std::vector<Row> rows_of(const std::string& name, const P& problem, const Reference<P>& reference,
                         Run&& run) {
  const StateOf<P> start(problem.start());
  const double H0 = H(problem, start.q, start.p);
  std::vector<Row> rows;
  for (int steps = static_cast<int>(std::lround(2 * reference.horizon));; steps = steps * 5 / 4) {
    const long before = gradients;
    const StateOf<P> end = run(steps);
    const long made = gradients - before;
    const double error = reference.error(end);
    if (!(error < 1) && steps < 100000) continue;
    rows.push_back({name, fmt::format("{:.2e}", reference.horizon / steps), error,
                    std::abs(H(problem, end.q, end.p) - H0), made, 0});
    rows.back().ms = least_ms([&] {
      const double from = cpu_ms();
      run(steps);
      return cpu_ms() - from;
    });
    print(rows.back());
    const std::size_t last = rows.size() - 1;
    if (!(error >= 1e-11) || rows[last].ms > 300) return rows;
    if (last > 2 && error < 1e-8 && error > rows[last - 1].error && error > rows[last - 2].error) return rows;
  }
}

// Runs a method of taut's, in compensated sums as `taut run` does, to rounding.
template <class P, class Method>
auto by_taut(const P& problem, const Method& method, double horizon) {
  return [=, &problem](int steps) {
    CompensatedState<double, P::n> x(problem.start());
    auto memory = make_memory(method, problem, x);
    const double h = horizon / steps;
    StateOf<P> failed;
    failed.q.setConstant(std::nan(""));
    failed.p = failed.q;
    for (int i = 0; i < steps; ++i)
      if (!method.step(problem, x, memory, h)) return failed;
    if constexpr (requires { method.output(problem, x, memory, h); })
      if (!method.output(problem, x, memory, h)) return failed;
    return StateOf<P>{x.q, x.p};
  };
}

template <class System, class P>
auto by_hand(const P& problem, double horizon) {
  return [=, &problem](int steps) {
    hand_written::Fehlberg<System> x;
    const StateOf<P> start(problem.start());
    std::copy_n(start.q.data(), P::n, x.q.data());
    std::copy_n(start.p.data(), P::n, x.v.data());
    for (int i = 0; i < steps; ++i) x.step(horizon / steps);
    gradients += static_cast<long>(steps) * hand_written::fehlberg_stages;
    StateOf<P> end;
    std::copy_n(x.q.data(), P::n, end.q.data());
    std::copy_n(x.v.data(), P::n, end.p.data());
    return end;
  };
}

template <class System, class Plain>
void study(const std::string& name, const Plain& plain, double horizon) {
  using P = Counted<Plain>;
  const P problem(plain);
  const Reference<P> reference(problem, horizon);
  heading(name, horizon, reference.text());
  const Composition<Rattle> kahan_li{find_composition("kahan-li8a")};
  const Table table{
      rows_of("Fehlberg 7(8), by hand", problem, reference, by_hand<System>(problem, horizon)),
      rows_of("multistep8", problem, reference, by_taut(problem, SymmetricMultistep{.k = 8}, horizon)),
      rows_of("kahan-li8a", problem, reference, by_taut(problem, kahan_li, horizon))};
  fmt::print("\n{}: CPU ms for an error, and as parts of those of the hand-written loop\n", name);
  for (const double error : wanted) {
    const double hand = ms_at(table[0], error);
    fmt::print("  {:.0e}", error);
    for (const auto& rows : table)
      fmt::print("   {} {} ({:.2f})", rows[0].method, shown(ms_at(rows, error)), ms_at(rows, error) / hand);
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hand_written;
  const std::string pick = argc > 1 ? argv[1] : "all";
  const auto asked = [&](const char* name) { return pick == "all" || pick == name; };
  if (asked("pendulum")) study<FreePendulum>("pendulum", PlanarPendulum<>{}, 100);
  if (asked("six-node-chain"))
    study<FreeChain<6, Springs>>("six-node-chain", RestingChain<>{}, RestingChain<>::horizon);
  if (asked("lennard-jones-chain"))
    study<FreeChain<7, hand_written::LennardJones>>("lennard-jones-chain", taut::LennardJonesChain<>{}, 100);
  return 0;
}
