// Tests Brouwer's law: does round-off alone make the energy a random walk, |H - H(0)| ~ t^(1/2)? It uses
// steps whose truncation error is below rounding, and the root mean square over an ensemble of 8
// trajectories (one per SIMD lane): one random walk alone has no exponent worth the name. A drift would show
// in the mean change of energy per step before it shows in the exponent, so the table also has this mean
// over all lanes and its standard error, from the scatter of the lanes. The energy is that of q + q_low, p +
// p_low in 128 bits.
//   cmake --build build/release --target bench_round_off
//   build/release/bench/bench_round_off [STEPS [FILE.svg [CASE]]]
// STEPS defaults to 1e6; CASE picks one line of the table, from 0.
#include <taut/contract/request.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/measure/growth.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/report/figure.hpp>
#include <taut/scalar/pack.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

using namespace taut;

namespace {

constexpr int lanes = 8;
using T = Pack<lanes>;

// Returns the start of the problem turned about the origin by a little more in each lane, and put onto M.
template <class P>
StateOf<P> turned(const P& s) {
  StateOf<P> x = s.start();
  const StateOf<P> from = x;
  for (int l = 0; l < lanes; ++l) {
    const double c = std::cos(0.02 * (l + 1)), d = std::sin(0.02 * (l + 1));
    for (int k = 0; k + 1 < P::n; k += 2)
      for (auto [to, of] : {std::pair{&x.q, &from.q}, std::pair{&x.p, &from.p}}) {
        (*to)[k].set(l, c * (*of)[k][l] - d * (*of)[k + 1][l]);
        (*to)[k + 1].set(l, d * (*of)[k][l] + c * (*of)[k + 1][l]);
      }
  }
  if (!project_start(s, x)) std::exit(1);
  return x;
}

using Energies = std::array<Float128, lanes>;

template <class P, class X>
Energies energies(const P& wide, const X& x) {
  Energies all;
  for (int l = 0; l < lanes; ++l) {
    Vector<Float128, P::n> q, p;
    for (int i = 0; i < P::n; ++i) {
      q[i] = x.q[i][l];
      p[i] = x.p[i][l];
      if constexpr (requires { x.q_low; }) {
        q[i] += x.q_low[i][l];
        p[i] += x.p_low[i][l];
      }
    }
    all[static_cast<std::size_t>(l)] = H(wide, q, p);
  }
  return all;
}

// Over the lanes: root mean square and mean of the change of energy, and the standard error of the mean.
struct Change {
  double size, mean, error;

  Change(const Energies& now, const Energies& start) {
    double sum = 0, squares = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
      const double d = static_cast<double>(now[l] - start[l]);
      sum += d;
      squares += d * d;
    }
    mean = sum / lanes;
    size = std::sqrt(squares / lanes);
    error = std::sqrt(std::max(0.0, squares / lanes - mean * mean) / (lanes - 1));
  }
};

struct History {
  Series curve;
  std::string line;  // its line of the table
};

template <class X, class Method, class P>
History history(const std::string& name, const Method& method, const P& problem, double h, long steps) {
  const auto s = problem.template cast<T>();
  const auto wide = problem.template cast<Float128>();
  X x(turned(s));
  auto memory = make_memory(method, s, x);
  const Energies start = energies(wide, x);
  Series curve{.name = name};
  double next = 100;
  for (long i = 1; i <= steps; ++i) {
    if (!method.step(s, x, memory, T(h))) {
      fmt::print(stderr, "{}: step {} failed\n", name, i);
      std::exit(1);
    }
    if (static_cast<double>(i) < next && i != steps) continue;
    curve.x.push_back(static_cast<double>(i));
    curve.y.push_back(Change(energies(wide, x), start).size);
    next *= 1.5;
  }
  // The first decade is left out of the fit, because the truncation error, bounded and small, is
  // still seen there.
  std::vector<double> t, e;
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (curve.x[i] >= 1000) {
      t.push_back(curve.x[i]);
      e.push_back(curve.y[i]);
    }
  const LineFit fit = growth_exponent(t, e);
  const Change end(energies(wide, x), start);
  const auto n = static_cast<double>(steps);
  return {curve, fmt::format("  {:<46} {:>10.1e} {:>8.2f} +- {:.2f} {:>10.1e} +- {:.1e}", name, end.size,
                             fit.slope, fit.confidence(), end.mean / n, end.error / n)};
}

using Cases = std::vector<std::function<History()>>;

template <class X, class P>
void add_lobatto_cases(Cases& cases, const std::string& problem, const P& s, long steps,
                       std::initializer_list<std::pair<int, double>> which) {
  for (const auto& [stages, h] : which) {
    const std::string name = fmt::format("lobatto({}) {}, h = {}", stages, problem, h);
    if (stages == 3)
      cases.emplace_back([=] { return history<X>(name, Lobatto<3>{}, s, h, steps); });
    else
      cases.emplace_back([=] { return history<X>(name, Lobatto<5>{}, s, h, steps); });
  }
}

Cases all_cases(long steps) {
  const PlanarPendulum<> pendulum;
  const DoublePendulum<> twice;
  using Compensated = CompensatedState<T, 2>;
  Cases cases;
  add_lobatto_cases<Compensated>(cases, "pendulum", pendulum, steps,
                                 {{3, 0x1p-11}, {3, 0.0003}, {5, 0x1p-5}, {5, 0.05}, {5, 0.03}});
  add_lobatto_cases<CompensatedState<T, 4>>(cases, "double pendulum", twice, steps,
                                            {{3, 0x1p-12}, {3, 0.0002}, {5, 0x1p-6}, {5, 0.01}, {5, 0.02}});
  const Composition<Rattle> eighth{find_composition("kahan-li8")};
  for (const double h : {0x1p-5, 0.03})
    cases.emplace_back([=] {
      return history<Compensated>(fmt::format("kahan-li8 pendulum, h = {}", h), eighth, pendulum, h, steps);
    });
  cases.emplace_back([=] {
    return history<State<T, 2>>("kahan-li8 pendulum, h = 0.03, plain updates", eighth, pendulum, 0.03, steps);
  });
  return cases;
}

// Runs each case on a core of its own, as far as there are cores; the lines are in the order of the table.
std::vector<Series> histories(const Cases& cases) {
  std::vector<std::promise<History>> results(cases.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned k = 0; k < std::max(1U, std::thread::hardware_concurrency()); ++k)
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < cases.size(); i = next++) results[i].set_value(cases[i]());
    });
  std::vector<Series> curves;
  for (auto& result : results) {
    const History one = result.get_future().get();
    fmt::print("{}\n", one.line);
    std::fflush(stdout);
    curves.push_back(one.curve);
  }
  return curves;
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = argc > 1 ? static_cast<long>(std::atof(argv[1])) : 1000000;
  Cases cases = all_cases(steps);
  if (argc > 3) {
    const std::size_t pick = static_cast<std::size_t>(std::atoi(argv[3]));
    if (pick >= cases.size()) {
      fmt::print(stderr, "there are cases 0 to {}\n", cases.size() - 1);
      return 2;
    }
    cases = {cases[pick]};
  }
  fmt::print("energy error after {} steps (rms of {} trajectories), its growth exponent, its mean per step\n",
             steps, lanes);
  std::vector<Series> curves = histories(cases);
  if (argc <= 2) return 0;
  const double last = static_cast<double>(steps), size = 1e-15;
  curves.push_back({.name = "a random walk, steps^1/2",
                    .x = {100, last},
                    .y = {size, size * std::sqrt(last / 100)},
                    .dashed = true,
                    .colour = 7});
  try {
    write_svg(argv[2],
              {.title = "Round-off: energy error against steps",
               .x = {"steps", Axis::logarithmic},
               .y = {"rms |H - H(0)|", Axis::logarithmic},
               .series = curves},
              {.width = 980, .height = 520});
  } catch (const WriteError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
