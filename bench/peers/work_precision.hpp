// The work-precision tables share this: the problem that counts its gradients, the reference, the table
// and its summary.
#pragma once

#include <taut/method/catalogue.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace work_precision {

inline constexpr double targets[] = {1e-6, 1e-8};

// Counts the evaluations of grad V since the program began, those of dual numbers too.
inline long gradients = 0;

template <class P>
struct Counted : P {
  explicit Counted(const P& problem) : P(problem) {}
  void grad_V(const typename P::Vec& q, typename P::Vec& f) const {
    ++gradients;
    P::grad_V(q, f);
  }
  template <class U>
  auto cast() const {
    const auto other = P::template cast<U>();
    return Counted<std::remove_cvref_t<decltype(other)>>(other);
  }
};

// The six-node chain from a zig-zag whose rods stand at so many degrees to its axis, the first node moving at
// unit speed across its rod, in the frame in which the centre of mass rests: a chain that flies off loses
// digits of its coordinates. The paper gives no initial data. 60 degrees is the start of SixNodeChain; its
// motion is chaotic, and by t = 100 rounding alone has grown to more than 1e-7, so its error is judged at t =
// 40. From 80 degrees the motion is regular.
template <class T = double>
struct RestingChain : taut::SixNodeChain<T> {
  double degrees = 60;

  static constexpr double horizon = 40;

  taut::State<T, 12> start() const {
    using std::acos, std::cos, std::sin;
    const T angle = acos(T(-1)) * T(degrees) / T(180), c = cos(angle), s = sin(angle);
    taut::State<T, 12> x;
    for (int i = 0; i < 6; ++i) {
      x.q[2 * i] = (T(i) - T(5) / 2) * c;
      x.q[2 * i + 1] = i % 2 == 0 ? -s / 2 : s / 2;
      x.p[2 * i] = (i == 0 ? -s : T(0)) + s / 6;
      x.p[2 * i + 1] = (i == 0 ? c : T(0)) - c / 6;
    }
    return x;
  }
  template <class U>
  RestingChain<U> cast() const {
    return {taut::SixNodeChain<T>::template cast<U>(), degrees};
  }
};

// Returns the milliseconds of this process: what others do on a shared machine is left out.
inline double cpu_ms() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Returns the least of several runs: noise only ever adds. `run` returns the milliseconds of one.
template <class Run>
double least_ms(Run&& run) {
  double best = run(), total = best;
  for (int r = 1; r < 200 && (r < 3 || total < 60) && total < 500; ++r) {
    const double ms = run();
    best = std::min(best, ms);
    total += ms;
  }
  return best;
}

struct Row {
  std::string method, step;  // its step, or its tolerance
  double error, energy;      // in q and p at the horizon; the largest on the way
  long gradients;
  double ms;
};

inline void heading(const std::string& problem, double horizon, const std::string& reference) {
  fmt::print("\n{}: error at t = {} (reference {})\n  {:<34} {:>9} {:>9} {:>9} {:>10} {:>10}\n", problem,
             horizon, reference, "method", "step/tol", "error", "energy", "gradients", "CPU ms");
}

inline void print(const Row& row) {
  fmt::print("  {:<34} {:>9} {:>9.1e} {:>9.1e} {:>10} {:>10.3f}\n", row.method, row.step, row.error,
             row.energy, row.gradients, row.ms);
  std::fflush(stdout);
}

// Returns what a method needs for an error, by interpolation between the logarithms of two neighbouring rows;
// NaN if it does not reach it.
inline double ms_at(const std::vector<Row>& rows, double error) {
  double best = std::nan("");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double ms = std::nan("");
    if (i == 0 && rows[i].error <= error) {
      ms = rows[i].ms;
    } else if (i > 0 && rows[i].error <= error && rows[i - 1].error > error) {
      const double share = std::log(rows[i - 1].error / error) / std::log(rows[i - 1].error / rows[i].error);
      ms = rows[i - 1].ms * std::pow(rows[i].ms / rows[i - 1].ms, share);
    }
    if (!(best <= ms)) best = std::isnan(ms) ? best : ms;
  }
  return best;
}

inline std::string shown(double ms) { return std::isnan(ms) ? "not reached" : fmt::format("{:.3f}", ms); }

using Table = std::vector<std::vector<Row>>;  // one list per method

inline void summary(const std::string& problem, const Table& table) {
  fmt::print("\n{}: CPU ms for error\n  {:<34} {:>12.0e} {:>12.0e}\n", problem, "", targets[0], targets[1]);
  for (const auto& rows : table)
    if (!rows.empty())
      fmt::print("  {:<34} {:>12} {:>12}\n", rows[0].method, shown(ms_at(rows, targets[0])),
                 shown(ms_at(rows, targets[1])));
}

// The state at the horizon in long double, and its distance from the one of a step half as long.
template <class P>
struct Reference {
  double horizon;
  taut::StateOf<P> x;
  double uncertainty;

  Reference(const P& problem, double until) : horizon(until) {
    const auto wide = problem.template cast<long double>();
    const auto coarse = end(wide, 5000), fine = end(wide, 10000);
    uncertainty = static_cast<double>(
        std::max((coarse.q - fine.q).cwiseAbs().maxCoeff(), (coarse.p - fine.p).cwiseAbs().maxCoeff()));
    x = {fine.q.template cast<double>(), fine.p.template cast<double>()};
  }
  double error(const taut::StateOf<P>& y) const {
    return std::max((x.q - y.q).cwiseAbs().maxCoeff(), (x.p - y.p).cwiseAbs().maxCoeff());
  }
  std::string text() const {
    return fmt::format("sofroniou-spaletta10 in long double, h = {} against {}: {:.0e}", horizon / 10000,
                       horizon / 5000, uncertainty);
  }

 private:
  template <class W>
  taut::StateOf<W> end(const W& problem, int steps) const {
    const taut::Composition<taut::Rattle> method{taut::find_composition("sofroniou-spaletta10")};
    taut::CompensatedState<long double, W::n> y(problem.start());
    auto memory = taut::make_memory(method, problem, y);
    for (int i = 0; i < steps; ++i)
      if (!method.step(problem, y, memory, static_cast<long double>(horizon) / steps)) std::exit(1);
    return y;
  }
};

// X is the state, whose sums are plain or compensated.
template <class P, class X = taut::StateOf<P>>
struct Entry {
  std::string name;
  std::function<std::unique_ptr<taut::Stepper<P, X>>(const P&, const X&)> make;
};

// Makes an entry. `tolerance` is that of max |g|; 0 means to rounding, as methods do unless told otherwise.
template <class P, class X = taut::StateOf<P>, class Method>
Entry<P, X> entry(const Method& method, const std::string& name, double tolerance = 0) {
  return {tolerance > 0 ? fmt::format("{}, |g| to {:.0e}", name, tolerance) : name,
          [=](const P& s, const X& x) {
            return taut::bind(method, s, x, taut::SolveOptions{.tolerance = tolerance});
          }};
}

template <class P, class X = taut::StateOf<P>>
Entry<P, X> composition(const char* name, double tolerance = 0) {
  const taut::CompositionScheme* scheme = taut::find_composition(name);
  if (scheme->alternates)
    return entry<P, X>(taut::Composition<taut::Projected<taut::SymplecticEuler>>{scheme}, name, tolerance);
  return entry<P, X>(taut::Composition<taut::Rattle>{scheme}, name, tolerance);
}

// Makes runs with steps from `h` down until the error is below 1e-10 or a run takes longer than
// `patience_ms`.
template <class P, class X>
std::vector<Row> sweep(const Entry<P, X>& method, const P& problem, const Reference<P>& reference, double h,
                       double patience_ms = 600) {
  const double horizon = reference.horizon;
  const X start(problem.start());
  const double H0 = taut::H(problem, start.q, start.p);
  std::vector<Row> rows;
  for (int steps = static_cast<int>(std::lround(horizon / h));; steps = steps * 3 / 2) {
    const double step = horizon / steps;
    X x = start;
    double energy = 0;
    bool ok = true;
    {
      const auto stepper = method.make(problem, x);
      const long before = gradients;
      for (int i = 0; ok && i < steps; ++i) {
        ok = static_cast<bool>(stepper->step(x, step));
        energy = std::max(energy, std::abs(taut::H(problem, x.q, x.p) - H0));
      }
      if (!ok || !(reference.error(x) < 1)) {
        if (steps > 100000) return rows;
        continue;
      }
      rows.push_back(
          {method.name, fmt::format("{:.2e}", step), reference.error(x), energy, gradients - before, 0});
    }
    rows.back().ms = least_ms([&] {
      x = start;
      const auto stepper = method.make(problem, x);
      const double from = cpu_ms();
      for (int i = 0; i < steps; ++i)
        if (!stepper->step(x, step)) std::exit(1);
      return cpu_ms() - from;
    });
    print(rows.back());
    if (rows.back().error < 1e-10 || rows.back().ms > patience_ms / 1.5) return rows;
    if (rows.size() > 2 && rows.back().error > rows[rows.size() - 2].error && rows.back().error < 1e-8)
      return rows;  // rounding has taken over
  }
}

}  // namespace work_precision
