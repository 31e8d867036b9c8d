// Shows what 10⁹ steps do: the energy error stays bounded, the residuals at rounding, the memory flat, and
// the effect of rounding on the energy grows like a random walk (Brouwer's law), t^(1/2):
//   cmake --build build/release --target bench_many_steps
//   build/release/bench/bench_many_steps [STEPS [FILE.svg [CASE]]]
// It makes STEPS of the pendulum, 1e9 by default, and a tenth of them of the double pendulum; each with
// rattle and lobatto(3), the types known to the compiler. CASE picks one of the four, from 0.
//
// The truncation error of the energy oscillates, bounded, far above rounding. Averages over blocks with a
// smooth window, exp(-1/(s(1-s))), take it out: for a motion of a few frequencies such averages converge
// faster than any power of the length of the block (Das & Yorke, Nonlinearity 31, 2018), and the walk is
// left. How far it comes in so many blocks is averaged over all pairs of blocks of that distance. One walk
// alone does not give its exponent exactly, and the scatter of points that share their blocks does not show
// how far off it is. The table therefore also gives the width of the interval in which 95 % of true random
// walks end up, and the drift, the mean change a step, with its standard error, in which a bias shows long
// before it does in the exponent.
#include <taut/contract/request.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/measure/energy.hpp>
#include <taut/measure/growth.hpp>
#include <taut/measure/smooth_window.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/report/figure.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>

using namespace taut;

namespace {

constexpr long blocks = 1000, stride = 10;  // the energy is read every 10 steps
constexpr int farthest = 100;               // blocks apart, a tenth of all: enough pairs

double resident_megabytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long whole = 0, resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &whole, &resident) != 2) return 0;
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576;
}

struct Outcome {
  // The largest |H - H₀| over all steps, over the first and over the last tenth.
  double energy = 0, energy_early = 0, energy_late = 0;
  double position = 0, momentum = 0;  // max |g|, max |G H_p|
  std::vector<double> average;        // H - H₀, one for each block
  double memory_before = 0, memory_after = 0, seconds = 0;
};

template <class Method, class P>
Outcome run(const Method& method, const P& s, const StateOf<P>& start, double h, long steps) {
  CompensatedState<double, P::n> x(start);
  auto memory = make_memory(method, s, x);
  const double H0 = H(s, x.q, x.p);
  const long entries = steps / blocks / stride;
  const std::vector<double> weight = smooth_window(static_cast<std::size_t>(entries));
  Outcome out;
  out.average.reserve(blocks);
  out.memory_before = resident_megabytes();
  const auto began = std::chrono::steady_clock::now();
  for (long b = 0; b < blocks; ++b) {
    double average = 0;
    for (const double w : weight) {
      for (long i = 0; i < stride; ++i)
        if (!method.step(s, x, memory, h)) {
          fmt::print(stderr, "a step failed in block {}\n", b);
          std::exit(1);
        }
      const double error = H(s, x.q, x.p) - H0;
      average += w * error;
      out.energy = std::max(out.energy, std::abs(error));
      if (b < blocks / 10) out.energy_early = std::max(out.energy_early, std::abs(error));
      if (b >= blocks / 10 * 9) out.energy_late = std::max(out.energy_late, std::abs(error));
      out.position = std::max(out.position, position_residual(s, x.q));
      out.momentum = std::max(out.momentum, momentum_residual(s, x.q, x.p));
    }
    out.average.push_back(average);
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  out.memory_after = resident_megabytes();
  return out;
}

// Returns how far the averages come in d blocks, as the root mean square over all pairs.
Series walk(const std::string& name, const std::vector<double>& average, double steps_per_block) {
  Series curve{.name = name};
  for (int d = 1; d <= farthest; d = std::max(d + 1, d * 5 / 4)) {
    double sum = 0;
    const std::size_t pairs = average.size() - static_cast<std::size_t>(d);
    for (std::size_t i = 0; i < pairs; ++i) {
      const double moved = average[i + static_cast<std::size_t>(d)] - average[i];
      sum += moved * moved;
    }
    curve.x.push_back(d * steps_per_block);
    curve.y.push_back(std::sqrt(sum / static_cast<double>(pairs)));
  }
  return curve;
}

// Returns half the width of the interval about 1/2 that holds the exponents fitted to 95 % of random walks of
// as many blocks.
double spread_of_random_walks() {
  std::mt19937 random(1);
  std::normal_distribution<double> step;
  std::vector<double> off;
  for (int k = 0; k < 400; ++k) {
    std::vector<double> place(blocks);
    double at = 0;
    for (double& p : place) p = at += step(random);
    const Series curve = walk("", place, 1);
    off.push_back(std::abs(growth_exponent(curve.x, curve.y).slope - 0.5));
  }
  std::sort(off.begin(), off.end());
  return off[off.size() * 95 / 100];
}

struct Drift {
  double mean, error;  // per step
};

// Returns the drift of block averages that walk: the mean of their changes and its standard error.
Drift drift_of(const std::vector<double>& average, double steps_per_block) {
  const auto changes = static_cast<double>(average.size() - 1);
  const double mean = (average.back() - average.front()) / changes;
  double squares = 0;
  for (std::size_t i = 1; i < average.size(); ++i)
    squares += (average[i] - average[i - 1] - mean) * (average[i] - average[i - 1] - mean);
  return {mean / steps_per_block, std::sqrt(squares / changes / (changes - 1)) / steps_per_block};
}

template <class Method, class P>
bool report(std::vector<Series>& curves, const std::string& name, const Method& method, const P& s,
            const StateOf<P>& start, double h, long steps) {
  const Outcome out = run(method, s, start, h, steps);
  const double per_block = static_cast<double>(steps) / blocks;
  curves.push_back(walk(name, out.average, per_block));
  const LineFit fit = growth_exponent(curves.back().x, curves.back().y);
  const Drift drift = drift_of(out.average, per_block);
  static const double spread = spread_of_random_walks();
  const bool bounded = out.energy_late < 1.1 * out.energy_early, walks = fit.slope <= 0.65,
             on_M = out.position < 1e-15 && out.momentum < 1e-15,
             flat = out.memory_after < out.memory_before + 1;
  fmt::print(
      "{:<28} {:7.0e} {:8.1e} {:8.1e}   {:.2f} +- {:.2f}   {:8.0e} +- {:.0e}   {:8.1e} {:8.1e}   {:.1f} -> "
      "{:.1f} MB "
      "{:7.0f} s  {}\n",
      name, static_cast<double>(steps), out.energy, out.energy_late, fit.slope, spread, drift.mean,
      drift.error, out.position, out.momentum, out.memory_before, out.memory_after, out.seconds,
      bounded && walks && on_M && flat ? "ok" : "NOT AS IT SHOULD BE");
  std::fflush(stdout);
  return bounded && walks && on_M && flat;
}

// Starts swings of about 20 and 10 degrees: a motion of two frequencies, not a chaotic one.
StateOf<DoublePendulum<>> small_swing() {
  StateOf<DoublePendulum<>> x{{0.3, -std::sqrt(1 - 0.09), 0.1, 0}, {0, 0, 0, 0}};
  x.q[3] = x.q[1] - std::sqrt(1 - 0.04);
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const double wanted = argc > 1 ? std::atof(argv[1]) : 1e9;
  constexpr double least = 100.0 * blocks * stride;
  if (!(wanted >= 10 * least)) {
    fmt::print(stderr, "at least {:.0e} steps\n", 10 * least);
    return 2;
  }
  const long one = static_cast<long>(wanted / least) * static_cast<long>(least), two = one / 10;
  const PlanarPendulum<> pendulum;
  const DoublePendulum<> twice;
  std::vector<Series> curves;
  fmt::print("{:<28} {:>7} {:>8} {:>8}   {:<12}   {:<17}   {:>8} {:>8}   memory\n", "", "steps", "|H - H0|",
             "at end", "exponent", "drift a step", "|g|", "|G H_p|");
  const int pick = argc > 3 ? std::atoi(argv[3]) : -1;
  int row = 0;
  bool good = true;
  const auto one_case = [&](const char* name, const auto& method, const auto& problem, const auto& start,
                            long steps) {
    if (const int here = row++; pick >= 0 && pick != here) return;
    good = report(curves, name, method, problem, start, 0.01, steps) && good;
  };
  one_case("pendulum, rattle", Rattle{}, pendulum, pendulum.start(), one);
  one_case("pendulum, lobatto(3)", Lobatto<3>{}, pendulum, pendulum.start(), one);
  one_case("double pendulum, rattle", Rattle{}, twice, small_swing(), two);
  one_case("double pendulum, lobatto(3)", Lobatto<3>{}, twice, small_swing(), two);
  if (argc > 2) {
    Figure figure{.title = "What rounding does to the energy",
                  .x = {"steps", Axis::logarithmic},
                  .y = {"rms change of the averaged energy", Axis::logarithmic},
                  .series = curves};
    try {
      write_svg(argv[2], figure);
    } catch (const WriteError& error) {
      fmt::print(stderr, "{}\n", error.what());
      return 1;
    }
  }
  return good ? 0 : 1;
}
