// The elementary functions in a list, each with its counterparts in libm and in 128 bits, and arguments to try
// them on: for the tests, for the bench and for the comparison of bits across compilers and machines.
#pragma once

#include <taut/scalar/elementary.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace taut::tests {

// Numbers of SplitMix64 (Steele, Lea and Flood 2014): the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double between(double a, double b) { return a + (b - a) * (static_cast<double>(bits() >> 11) * 0x1p-53); }
  // A number of either sign whose exponent is anything from a to b.
  double of_any_size(int a, int b) {
    const std::uint64_t exponent =
        static_cast<std::uint64_t>(1023 + a) + bits() % static_cast<std::uint64_t>(b - a + 1);
    return std::bit_cast<double>((bits() & 0x800fffffffffffff) | exponent << 52);
  }

 private:
  std::uint64_t state_;
};

// A function of one argument; `typical` is the interval for speed and for half of the arguments, the others
// have any exponent from `least` to `largest`.
template <class Own, class Library>
struct OneArgument {
  std::string_view name;
  Own own;  // a generic function of a scalar or a vector
  Library library;
  double from, to;
  int least, largest;

  double typical(Random& random) const { return random.between(from, to); }
  double argument(Random& random) const {
    if (random.bits() % 2 == 0) return typical(random);
    const double x = random.of_any_size(least, largest);
    return x;
  }
};
template <class Own, class Library>
OneArgument(std::string_view, Own, Library, double, double, int, int) -> OneArgument<Own, Library>;

#define TAUT_ONE_ARGUMENT(f, from, to, least, largest)                                                \
  OneArgument {                                                                                       \
    #f, [](auto x) { return elementary::f(x); }, [](double x) { return std::f(x); }, from, to, least, \
        largest                                                                                       \
  }

template <class Visit>
void for_each_function_of_one(Visit visit) {
  visit(TAUT_ONE_ARGUMENT(sin, -10, 10, -1022, 1023));
  visit(TAUT_ONE_ARGUMENT(cos, -10, 10, -1022, 1023));
  visit(TAUT_ONE_ARGUMENT(tan, -10, 10, -1022, 1023));
  visit(TAUT_ONE_ARGUMENT(exp, -20, 20, -60, 10));
  visit(TAUT_ONE_ARGUMENT(log, 0.01, 10, -1022, 1023));
  visit(TAUT_ONE_ARGUMENT(atan, -5, 5, -1022, 1023));
  visit(TAUT_ONE_ARGUMENT(asin, -1, 1, -30, -1));
  visit(TAUT_ONE_ARGUMENT(acos, -1, 1, -60, -1));
  visit(TAUT_ONE_ARGUMENT(sinh, -5, 5, -60, 9));
  visit(TAUT_ONE_ARGUMENT(cosh, -5, 5, -60, 9));
  visit(TAUT_ONE_ARGUMENT(tanh, -5, 5, -60, 9));
  visit(TAUT_ONE_ARGUMENT(cbrt, -100, 100, -1022, 1023));
  visit(TAUT_ONE_ARGUMENT(erf, -4, 4, -60, 4));
  visit(TAUT_ONE_ARGUMENT(erfc, -4, 6, -60, 5));
}
#undef TAUT_ONE_ARGUMENT

struct Pair {
  double x, y;
};
inline Pair pow_argument(Random& random) {
  switch (random.bits() % 4) {
    case 0:
      return {random.between(0.01, 10), random.between(-5, 5)};
    case 1:  // results of any size
    {
      const double x = std::fabs(random.of_any_size(-1022, 1023)), size = std::log2(x);
      return {x, random.between(-1080, 1024) / (size == 0 ? 1 : size)};
    }
    case 2:  // near 1, with large powers
      return {1 + random.of_any_size(-40, -3), random.of_any_size(0, 40)};
    default:
      return {std::fabs(random.of_any_size(-30, 30)),
              static_cast<double>(static_cast<int>(random.bits() % 21) - 10)};
  }
}
inline Pair atan2_argument(Random& random) {
  if (random.bits() % 2 == 0) return {random.between(-2, 2), random.between(-2, 2)};
  const double x = random.of_any_size(-1022, 1023);
  return {x * std::ldexp(random.between(0.5, 2), static_cast<int>(random.bits() % 64) - 32), x};
}

}  // namespace taut::tests
