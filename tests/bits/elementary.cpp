// Prints a checksum of the bits of every elementary function, and fails if a lane differs from the scalar.
// tests/bits/run compiles it for several compilers and machines and compares what they print. std::sin and
// its kind appear in the list of functions only; nothing here calls them.
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "support/elementary_functions.hpp"

namespace {

using namespace taut;
using test::Pair, test::Random;

// The bits of x; one pattern for every NaN.
std::uint64_t pattern(double x) { return x != x ? 0x7ff8000000000000 : std::bit_cast<std::uint64_t>(x); }

std::vector<Pair> arguments(Pair (*draw)(Random&)) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double special[] = {0.0,
                            -0.0,
                            1,
                            -1,
                            0.5,
                            0x1p-1074,
                            -0x1p-1074,
                            0x1p-1022,
                            0x1p1023,
                            -infinite,
                            infinite,
                            709.78,
                            -745.1,
                            710.4,
                            3,
                            -3,
                            0x1p53 - 1,
                            26.5,
                            27.2,
                            -0x1p-1023,
                            0x1.921fb54442d18p+0,
                            6381956970095103 * 0x1p797,
                            std::numeric_limits<double>::quiet_NaN()};
  std::vector<Pair> list;
  for (const double x : special)
    for (const double y : special) list.push_back({x, y});
  Random random(7);
  while (list.size() % 8 != 0 || list.size() < 4000) list.push_back(draw(random));
  return list;
}

template <int width, class F>
bool lanes_agree(const F& f, const std::vector<Pair>& list) {
  for (std::size_t i = 0; i < list.size(); i += width) {
    elementary::Vector<width> x, y;
    for (int k = 0; k < width; ++k) {
      x[k] = list[i + static_cast<std::size_t>(k)].x;
      y[k] = list[i + static_cast<std::size_t>(k)].y;
    }
    const elementary::Vector<width> z = f.own(x, y);
    for (int k = 0; k < width; ++k)
      if (pattern(z[k]) != pattern(f.own(x[k], y[k]))) {
        std::fprintf(stderr, "%s: lane %d of %d differs from the scalar at %a, %a: %a\n",
                     std::string(f.name).c_str(), k, width, x[k], y[k], z[k]);
        return false;
      }
  }
  return true;
}

}  // namespace

int main() {
  bool agree = true;
  test::for_each_elementary([&](const auto& f) {
    const std::vector<Pair> list = arguments(f.argument);
    std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a, by words
    for (const Pair& at : list) sum = (sum ^ pattern(f.own(at.x, at.y))) * 0x100000001b3;
    std::printf("%-6s %016llx\n", std::string(f.name).c_str(), static_cast<unsigned long long>(sum));
    agree = agree && lanes_agree<2>(f, list) && lanes_agree<4>(f, list) && lanes_agree<8>(f, list);
  });
  return agree ? 0 : 1;
}
