// The elementary functions beside those of libm: the largest error in units of the last place, against 128
// bits, and the time of a value, as a scalar and in 8 lanes.
//
//   bench_elementary [arguments, 10000000 if none are given]
//   bench_elementary --lists FOLDER
// The second form reads arguments from FOLDER/sin.wc and so on, a line for each, `x` or `x,y`: the form in
// which CORE-MATH publishes those that are hard to round.
#include <fmt/format.h>
#include <time.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "support/elementary_functions.hpp"
#include "support/ulps.hpp"

namespace {

using namespace taut;
using test::Pair, test::Random, test::ulps;

constexpr int count = 4096, rounds = 20, repetitions = 7;

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Nanoseconds for a value, the best of a few repetitions.
template <class V, class F>
double time_of(F f, const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> z(count);
  double best = 1e9;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double start = processor_seconds();
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < count; i += elementary::width_of<V>) {
        V a, b;
        __builtin_memcpy(&a, &x[static_cast<std::size_t>(i)], sizeof a);
        __builtin_memcpy(&b, &y[static_cast<std::size_t>(i)], sizeof b);
        const V value = f(a, b);
        __builtin_memcpy(&z[static_cast<std::size_t>(i)], &value, sizeof value);
      }
      asm volatile("" : : "r"(z.data()) : "memory");
    }
    best = std::min(best, processor_seconds() - start);
  }
  return best / rounds / count * 1e9;
}

// Returns the arguments of a list; lines that do not begin with a number are comments.
std::vector<Pair> listed(const std::string& path) {
  std::vector<Pair> arguments;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    char* end = nullptr;
    const double x = std::strtod(line.c_str(), &end);
    if (end == line.c_str()) continue;
    arguments.push_back({x, *end == ',' ? std::strtod(end + 1, nullptr) : 0});
  }
  return arguments;
}

int measure_lists(const std::string& folder) {
  bool within = true;
  long all = 0;
  test::for_each_elementary([&](const auto& f) {
    double worst = 0, worst_of_library = 0;
    long tried = 0;
    for (const Pair& one : listed(folder + "/" + std::string(f.name) + ".wc"))
      for (const double sign : {1.0, -1.0}) {
        const Pair at{sign * one.x, one.y};
        const Float128 exact = f.exact(at.x, at.y);
        if (!(exact == exact)) continue;  // outside of the domain
        ++tried;
        worst = std::max(worst, ulps(f.own(at.x, at.y), exact));
        worst_of_library = std::max(worst_of_library, ulps(f.library(at.x, at.y), exact));
      }
    if (tried > 0)
      fmt::print("{:<6}{:>10} arguments, error {:.4f} ulp, libm's {:.4f}\n", f.name, tried, worst,
                 worst_of_library);
    all += tried;
    within = within && worst <= 1;
  });
  fmt::print("{} arguments{}\n", all, within ? "" : ": an error is above 1 ulp");
  return all > 0 && within ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--lists") return measure_lists(argv[2]);
  const long arguments = argc > 1 ? std::atol(argv[1]) : 10'000'000;
  fmt::print("{} arguments each; times in ns\n", arguments);
  fmt::print("{:<6}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}\n", "", "error/ulp", "libm's", "libm", "scalar",
             "8 lanes", "scalar/libm", "libm/lanes");
  bool within = true;
  test::for_each_elementary([&](const auto& f) {
    Random random(1);
    double worst = 0, worst_of_library = 0;
    for (long i = 0; i < arguments; ++i) {
      Pair at = f.argument(random);
      if (f.name == "log") at.x = std::fabs(at.x);
      const Float128 exact = f.exact(at.x, at.y);
      worst = std::max(worst, ulps(f.own(at.x, at.y), exact));
      worst_of_library = std::max(worst_of_library, ulps(f.library(at.x, at.y), exact));
    }
    std::vector<double> x(count), y(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Pair at = f.typical(random);
      x[i] = at.x;
      y[i] = at.y;
    }
    const double library = time_of<double>(f.library, x, y), scalar = time_of<double>(f.own, x, y),
                 lanes = time_of<elementary::Vector<8>>(f.own, x, y);
    fmt::print("{:<6}{:>10.3f}{:>10.3f}{:>10.2f}{:>10.2f}{:>10.2f}{:>12.2f}{:>12.2f}\n", f.name, worst,
               worst_of_library, library, scalar, lanes, scalar / library, library / lanes);
    std::fflush(stdout);
    within = within && worst <= 1;
  });
  if (!within) fmt::print("an error is above 1 ulp\n");
  return within ? 0 : 1;
}
