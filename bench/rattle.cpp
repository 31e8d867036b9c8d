// Measures what the generic template costs: RATTLE to |g| <= 1e-12 against hand-written loops for the same
// map in the same binary:
//   cmake --build build/release --target bench_rattle && build/release/bench/bench_rattle
// There is one line per variant: ns per step and trajectory (the least and the median of many short rounds),
// the time and the throughput against the hand-written scalar loop, and the accuracy reached: the largest
// residuals and energy error of a run, over all lanes.
#include <taut/formulation/manifold.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>
#include <taut/scalar/pack.hpp>

#include "hand_written.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace taut;

namespace {

constexpr double tolerance = 1e-12;
// The variants take turns, so that all of them meet the quiet moments of a busy machine.
constexpr int rounds = 60;
constexpr double round_ns = 2e6;  // long enough for the clock, short enough for a quiet moment
constexpr int accuracy_steps = 2000;
constexpr int steps_between_lanes = 7;

struct Accuracy {
  double g = 0, f = 0, energy = 0;
};

struct Variant {
  std::string name;
  std::function<void(int)> take_steps;
  Accuracy reached;
  int lanes = 1;
  int steps = 0;  // per round
  std::vector<double> ns{};
};

void need(bool ok, const std::string& name) {
  if (ok) return;
  fmt::print(stderr, "{}: a step failed\n", name);
  std::exit(1);
}

template <class P, class X>
void look(const P& s, const X& x, const typename P::Scalar& energy_at_start, Accuracy& worst) {
  const auto keep = [](double& largest, const auto& size) {
    for (int l = 0; l < ScalarTraits<typename P::Scalar>::lanes; ++l)
      largest = std::max(largest, lane(size, l));
  };
  keep(worst.g, position_residual(s, x.q));
  keep(worst.f, momentum_residual(s, x.q, x.p));
  keep(worst.energy, magnitude(H(s, x.q, x.p) - energy_at_start));
}

template <class P, class X>
Variant of_template(const std::string& name, const P& s, const X& start, double h,
                    const SolveOptions& options) {
  using T = typename P::Scalar;
  const Rattle method{.solve = options};
  const auto steps_from = [=](X& x, Rattle::Memory<P, X>& at, int count) {
    need(bool(method.steps(s, x, at, T(h), count)), name);
  };
  Accuracy reached;
  X x = start;
  Rattle::Memory<P, X> at(s, x);
  for (int i = 0; i < accuracy_steps; ++i) {
    steps_from(x, at, 1);
    look(s, x, H(s, start.q, start.p), reached);
  }
  const auto take_steps = [=](int count) mutable {
    X here = x;
    Rattle::Memory<P, X> memory(s, here);
    steps_from(here, memory, count);
    x = here;
  };
  return {name, take_steps, reached, ScalarTraits<T>::lanes};
}

template <class Hand, class P>
Variant by_hand(Hand hand, const P& s, const StateOf<P>& start, double h) {
  const std::string name = "hand-written";
  const auto steps_from = [=](Hand& x, int count) {
    for (int i = 0; i < count; ++i) need(x.step(h, tolerance) >= 0, name);
  };
  Accuracy reached;
  StateOf<P> x = start;
  for (int i = 0; i < accuracy_steps; ++i) {
    steps_from(hand, 1);
    hand.write(x.q.data(), x.p.data());
    look(s, x, H(s, start.q, start.p), reached);
  }
  return {name, [=](int count) mutable { steps_from(hand, count); }, reached};
}

// Starts each lane a few steps after the one before it: the lanes do not agree on their iterations.
template <int lanes, class P>
State<Pack<lanes>, P::n> spread(const P& s, State<double, P::n> x, double h) {
  State<Pack<lanes>, P::n> y;
  const Rattle method;
  Rattle::Memory<P, State<double, P::n>> at(s, x);
  for (int l = 0; l < lanes; ++l) {
    for (int i = 0; i < P::n; ++i) {
      y.q[i].set(l, x.q[i]);
      y.p[i].set(l, x.p[i]);
    }
    for (int i = 0; i < steps_between_lanes; ++i) need(bool(method.step(s, x, at, h)), "spread");
  }
  return y;
}

double nanoseconds(const Variant& v) {
  const auto from = std::chrono::steady_clock::now();
  v.take_steps(v.steps);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - from;
  return took.count() / v.steps / v.lanes;
}

void race(const std::string& title, std::vector<Variant> variants) {
  for (Variant& v : variants) {
    v.steps = 1000;
    v.steps = std::max(1, static_cast<int>(round_ns / (nanoseconds(v) * v.lanes)));
  }
  for (int r = 0; r < rounds; ++r)
    for (Variant& v : variants) v.ns.push_back(nanoseconds(v));
  for (Variant& v : variants) std::sort(v.ns.begin(), v.ns.end());
  fmt::print("\n{}\n  {:<40} {:>8} {:>8} {:>8} {:>10}   {:>7}  {:>7}  {:>7}\n", title, "", "ns/step",
             "median", "time", "throughput", "|g|", "|G Wp|", "|dH|");
  const double yardstick = variants.front().ns.front();
  for (const Variant& v : variants) {
    const double ns = v.ns.front();
    fmt::print("  {:<40} {:>8.1f} {:>8.1f} {:>8.2f} {:>10.2f}   {:.1e}  {:.1e}  {:.1e}\n", v.name, ns,
               v.ns[rounds / 2], ns / yardstick, yardstick / ns, v.reached.g, v.reached.f, v.reached.energy);
  }
}

template <class P, class Hand>
std::vector<Variant> variants(const P& s, const StateOf<P>& start, const Hand& hand, double h) {
  const SolveOptions to_tolerance{.tolerance = tolerance};
  const CompensatedState<double, P::n> compensated(start);
  const auto packed = [&]<int lanes>(const SolveOptions& options, const std::string& name) {
    return of_template(name, s.template cast<Pack<lanes>>(), spread<lanes>(s, start, h), h, options);
  };
  return {
    by_hand(hand, s, start, h),
    of_template("template, fixed size", s, start, h, to_tolerance),
    of_template("  compensated updates", s, compensated, h, to_tolerance),
    of_template("  to rounding", s, start, h, {}),
    of_template("  compensated and to rounding", s, compensated, h, {}),
    of_template("  symmetric simplified Newton", s, start, h,
                {.iteration = Iteration::symmetric, .tolerance = tolerance}),
    of_template("  SHAKE sweeps", s, start, h, {.iteration = Iteration::sweep, .tolerance = tolerance}),
    packed.template operator()<8>(to_tolerance, "  8 lanes, per trajectory"),
    packed.template operator()<16>(to_tolerance, "  16 lanes, per trajectory")
  };
}

}  // namespace

int main() {
  fmt::print("RATTLE to |g| <= {:.0e}, one core; time and throughput against the hand-written loop\n",
             tolerance);
  const PlanarPendulum<> pendulum;
  race("planar pendulum, h = 0.05", variants(pendulum, pendulum.start(), hand_written::Pendulum{}, 0.05));

  const SixNodeChain<> chain;
  hand_written::Chain chain_by_hand;
  chain_by_hand.start();
  auto of_chain = variants(chain, chain.start(), chain_by_hand, 0.01);
  const SixNodeChainDynamic<> dynamic_chain;
  of_chain.push_back(
      of_template("dynamic size", dynamic_chain, dynamic_chain.start(), 0.01, {.tolerance = tolerance}));
  race("six-node chain, 12 coordinates, 5 rods, h = 0.01", of_chain);
}
