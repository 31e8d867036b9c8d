// What does the generic template cost? RATTLE to |g| <= 1e-12 against hand-written loops for the same map in the same binary:
//   cmake --build build/release --target bench_rattle && build/release/bench/bench_rattle
// One line per variant: ns per step (and trajectory), ratio to the hand-written loop, and the accuracy reached beside it.
#include <taut/formulation/manifold.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/pendulum.hpp>
#include <taut/problem/six_node_chain.hpp>
#include <taut/problem/six_node_chain_dynamic.hpp>
#include <taut/scalar/pack.hpp>

#include "hand_written.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>

using namespace taut;

namespace {

constexpr double tolerance = 1e-12;
constexpr int repeats = 7;  // the least of several runs: noise only ever adds

template <class Loop>
double nanoseconds_per_step(int steps, Loop&& loop) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const auto from = std::chrono::steady_clock::now();
    loop(steps);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - from;
    best = std::min(best, took.count() / steps);
  }
  return best;
}

struct Row {
  std::string name;
  double ns, g, f, energy;
  int lanes = 1;
};

void print(const Row& row, double yardstick) {
  fmt::print("  {:<46} {:>8.1f} {:>8.2f}   {:.1e}  {:.1e}  {:.3e}\n", row.name, row.ns / row.lanes,
             row.ns / row.lanes / yardstick, row.g, row.f, row.energy);
}

void heading(const std::string& problem) {
  fmt::print("\n{}\n  {:<46} {:>8} {:>8}   {:>7}  {:>7}  {:>9}\n", problem, "", "ns/step", "ratio", "|g|",
             "|G Wp|", "H - H(0)");
}

template <class P, class X>
Row measured(const std::string& name, const P& s, const X& start, double h, int steps,
             const SolveOptions& options) {
  using T = typename P::Scalar;
  X x = start;
  Rattle method{.solve = options};
  Rattle::Memory<P, X> at(s, x);
  const double ns = nanoseconds_per_step(steps, [&](int count) {
    for (int i = 0; i < count; ++i)
      if (!method.step(s, x, at, T(h))) {
        fmt::print(stderr, "{}: a step failed\n", name);
        std::exit(1);
      }
  });
  return {name,
          ns,
          lane(position_residual(s, x.q), 0),
          lane(momentum_residual(s, x.q, x.p), 0),
          lane(H(s, x.q, x.p), 0) - lane(H(s, start.q, start.p), 0),
          ScalarTraits<T>::lanes};
}

template <class Hand, class P>
Row measured_by_hand(Hand hand, const P& s, const StateOf<P>& start, double h, int steps) {
  const double ns = nanoseconds_per_step(steps, [&](int count) {
    for (int i = 0; i < count; ++i)
      if (hand.step(h, tolerance) < 0) std::exit(1);
  });
  StateOf<P> x = start;
  if constexpr (requires { hand.x; }) {
    x.q << hand.x, hand.y;
    x.p << hand.px, hand.py;
  } else {
    std::copy(hand.q.begin(), hand.q.end(), x.q.data());
    std::copy(hand.p.begin(), hand.p.end(), x.p.data());
  }
  return {"hand-written", ns, position_residual(s, x.q), momentum_residual(s, x.q, x.p),
          H(s, x.q, x.p) - H(s, start.q, start.p)};
}

// The same start in every lane but for a little: the lanes need not agree on their iterations.
template <int lanes, class P, int n>
State<Pack<lanes>, n> spread(const P& s, const State<double, n>& x) {
  State<Pack<lanes>, n> y;
  for (int i = 0; i < n; ++i) {
    for (int l = 0; l < lanes; ++l) {
      State<double, n> z = x;
      z.p *= 1 + 0.01 * l;
      y.q[i].set(l, z.q[i]);
      y.p[i].set(l, z.p[i]);
    }
  }
  (void)s;
  return y;
}

template <class P, class Hand>
void variants(const P& s, const StateOf<P>& start, const Hand& hand, double h, int steps) {
  const SolveOptions to_tolerance{.tolerance = tolerance};
  const Row yardstick = measured_by_hand(hand, s, start, h, steps);
  print(yardstick, yardstick.ns);
  const auto line = [&](const Row& row) { print(row, yardstick.ns); };
  line(measured("template, fixed size", s, start, h, steps, to_tolerance));
  line(measured("  compensated updates", s, CompensatedState<double, P::n>(start), h, steps, to_tolerance));
  line(measured("  to rounding", s, start, h, steps, {}));
  line(measured("  compensated and to rounding", s, CompensatedState<double, P::n>(start), h, steps, {}));
  line(measured("  symmetric simplified Newton", s, start, h, steps,
                {.iteration = Iteration::symmetric, .tolerance = tolerance}));
  line(measured("  SHAKE sweeps", s, start, h, steps,
                {.iteration = Iteration::sweep, .tolerance = tolerance}));
  line(measured("  8 lanes, per trajectory", s.template cast<Pack<8>>(), spread<8>(s, start), h, steps / 4,
                to_tolerance));
  line(measured("  16 lanes, per trajectory", s.template cast<Pack<16>>(), spread<16>(s, start), h, steps / 8,
                to_tolerance));
}

}  // namespace

int main() {
  fmt::print("RATTLE to |g| <= {:.0e}, one core; ratio to the hand-written loop\n", tolerance);
  heading("planar pendulum, h = 0.05");
  const PlanarPendulum<> pendulum;
  variants(pendulum, State<double, 2>{{1, 0}, {0, 0}}, hand_written::Pendulum{}, 0.05, 400000);

  heading("six-node chain, 12 coordinates, 5 rods, h = 0.01");
  const SixNodeChain<> chain;
  hand_written::Chain by_hand;
  by_hand.start();
  variants(chain, chain.start(), by_hand, 0.01, 60000);
  const SixNodeChainDynamic<> dynamic_chain;
  const Row yardstick = measured_by_hand(by_hand, chain, chain.start(), 0.01, 60000);
  print(measured("dynamic size", dynamic_chain, dynamic_chain.start(), 0.01, 60000, {.tolerance = tolerance}),
        yardstick.ns);
}
