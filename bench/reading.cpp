// Measures how the time and the memory of reading grow, for every table and reader, right and wrong, on one
// line and on many:
//   cmake --build build/release --target bench_reading && build/release/bench/bench_reading [most [word]]
// It reads texts of 10³ to 10⁶ entries (or to `most`), as long as they are within the limits of a model file,
// of all cases or of those with a word in their names, and prints the time for each entry. It ends with
// status 1 if twice as many entries take more than three times as long, on average over three doublings: in
// one or two of them the tables outgrow a cache.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "support/file_cases.hpp"

namespace {

using namespace taut;

double seconds_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Returns the least time of some attempts to read; `wrong` says in words what is not as it should be.
double least_seconds(const std::function<std::string()>& wrong) {
  double least = 1e300;
  for (int attempt = 0; attempt < 5 && (attempt < 3 || least < 0.02); ++attempt) {
    const double begin = seconds_now();
    const std::string found = wrong();
    least = std::min(least, seconds_now() - begin);
    if (found.empty()) continue;
    fmt::print("{}\n", found.substr(0, 1000));
    std::exit(1);
  }
  return least;
}

// Returns the time of reading n entries of a model; below 0 if the file is too long.
double seconds_of(const test::ReadingCase& c, int n) {
  constexpr std::size_t largest_model = 4U << 20U;
  const std::string text = c.text(n), file = c.file ? c.file(n) : "";
  if (text.size() > largest_model) return -1;
  return least_seconds([&] {
    const ReadModel read = read_model(
        text, "model.toml", {}, {.file = [&](const std::string& path) -> FoundText { return {file, path}; }});
    return read.model.has_value() == c.right ? "" : "unexpected: " + text_of(read.errors);
  });
}

double seconds_of(const test::FileCase& c, int n) {
  const auto read = c.made(n);
  return least_seconds([&] {
    const std::string refusal = test::refusal_of(read);
    return refusal.empty() == c.right ? "" : "unexpected: " + refusal;
  });
}

// Prints how the time grows, and asks whether it is linear.
template <class Case>
bool is_linear(const Case& c, int most) {
  std::vector<double> times;
  double worst = 0;
  int entries = 0;
  for (int n = 1000; n <= most; n *= 2) {
    const double seconds = seconds_of(c, n);
    if (seconds < 0) break;
    times.push_back(seconds);
    entries = n;
    // Shorter times than this are those of the clock and of the first pages of memory.
    const std::size_t k = times.size();
    if (k > 3 && times[k - 4] > 0.005) worst = std::max(worst, std::cbrt(seconds / times[k - 4]));
  }
  const double last = times.back();
  fmt::print("{:52}{:9}{:10.3f}{:12.2f}{:22.2f}{}\n", c.name, entries, last, 1e6 * last / entries, worst,
             worst > 3 ? "  not linear" : "");
  return worst <= 3;
}

}  // namespace

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  const std::string only = argc > 2 ? argv[2] : "";
  bool linear = true;
  fmt::print("{:52}{:>9}{:>10}{:>12}{:>22}\n", "", "entries", "seconds", "µs an entry",
             "worst time(2n)/time(n)");
  const auto look = [&](const auto& cases) {
    for (const auto& c : cases)
      if (c.name.find(only) != c.name.npos) linear = is_linear(c, most) && linear;
  };
  look(test::reading_cases());
  look(test::file_cases());
  return linear ? 0 : 1;
}
