// The elementary functions in a list, each with its counterparts in libm and in 128 bits, and arguments to
// try them on: for the tests, for the bench and for the comparison of bits across compilers and machines.
#pragma once

#include <taut/scalar/elementary.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

// The functions of libquadmath, which clang has no header for. A machine without 128-bit floats of that name
// goes without the exact values.
#ifdef __SIZEOF_FLOAT128__
extern "C" {
__extension__ __float128 tanq(__float128) noexcept;
__extension__ __float128 expq(__float128) noexcept;
__extension__ __float128 logq(__float128) noexcept;
__extension__ __float128 asinq(__float128) noexcept;
__extension__ __float128 acosq(__float128) noexcept;
__extension__ __float128 atanq(__float128) noexcept;
__extension__ __float128 sinhq(__float128) noexcept;
__extension__ __float128 coshq(__float128) noexcept;
__extension__ __float128 tanhq(__float128) noexcept;
__extension__ __float128 cbrtq(__float128) noexcept;
__extension__ __float128 erfq(__float128) noexcept;
__extension__ __float128 erfcq(__float128) noexcept;
__extension__ __float128 powq(__float128, __float128) noexcept;
__extension__ __float128 atan2q(__float128, __float128) noexcept;
}
extern "C" {
__extension__ __float128 sinq(__float128) noexcept;
__extension__ __float128 cosq(__float128) noexcept;
}
#define TAUT_EXACT(...) __VA_ARGS__
#else
#define TAUT_EXACT(...)
#endif

namespace taut::test {

TAUT_EXACT(__extension__ using Exact = __float128;)

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

struct Pair {
  double x, y;
};

// A function of one or two arguments; those with one ignore y. `own` is a generic function of scalars or
// vectors. `typical` gives arguments for speed, `argument` those for accuracy.
template <class Own>
struct Elementary {
  std::string_view name;
  Own own;
  double (*library)(double, double);
  TAUT_EXACT(Exact (*exact)(Exact, Exact);)
  Pair (*typical)(Random&);
  Pair (*argument)(Random&);
};

// Arguments of one function: half of them between two numbers, the others with any exponent in a range.
template <int from_hundredths, int to_hundredths>
Pair between(Random& random) {
  return {random.between(from_hundredths / 100.0, to_hundredths / 100.0), 0};
}
template <int from, int to, int least, int largest>
Pair mixed(Random& random) {
  return random.bits() % 2 == 0 ? between<from, to>(random) : Pair{random.of_any_size(least, largest), 0};
}

inline Pair usual_pow_argument(Random& random) { return {random.between(0.01, 10), random.between(-5, 5)}; }
inline Pair usual_atan2_argument(Random& random) { return {random.between(-2, 2), random.between(-2, 2)}; }
inline Pair pow_argument(Random& random) {
  switch (random.bits() % 4) {
    case 0:
      return usual_pow_argument(random);
    case 1:  // results of any size
    {
      const double x = std::fabs(random.of_any_size(-1022, 1023)), size = std::ilogb(x) + 0.5;
      return {x, random.between(-1080, 1024) / size};
    }
    case 2:  // near 1, with large powers
      return {1 + random.of_any_size(-40, -3), random.of_any_size(0, 40)};
    default:
      return {std::fabs(random.of_any_size(-30, 30)),
              static_cast<double>(static_cast<int>(random.bits() % 21) - 10)};
  }
}
inline Pair atan2_argument(Random& random) {
  if (random.bits() % 2 == 0) return usual_atan2_argument(random);
  const double x = random.of_any_size(-1022, 1023);
  const double ratio = random.between(0.5, 2);
  return {x * std::ldexp(ratio, static_cast<int>(random.bits() % 64) - 32), x};
}

#define TAUT_OF_ONE(f, from, to, least, largest)                                                   \
  Elementary {                                                                                     \
    #f, [](auto x, auto) { return elementary::f(x); }, [](double x, double) { return std::f(x); }, \
        TAUT_EXACT([](Exact x, Exact) { return f##q(x); }, ) between<from, to>,                    \
        mixed<from, to, least, largest>                                                            \
  }
#define TAUT_OF_TWO(f, typical, argument)                                                                    \
  Elementary {                                                                                               \
    #f, [](auto x, auto y) { return elementary::f(x, y); }, [](double x, double y) { return std::f(x, y); }, \
        TAUT_EXACT([](Exact x, Exact y) { return f##q(x, y); }, ) typical, argument                          \
  }

template <class Visit>
void for_each_elementary(Visit visit) {
  visit(TAUT_OF_ONE(sin, -1000, 1000, -1022, 1023));
  visit(TAUT_OF_ONE(cos, -1000, 1000, -1022, 1023));
  visit(TAUT_OF_ONE(tan, -1000, 1000, -1022, 1023));
  visit(TAUT_OF_ONE(exp, -2000, 2000, -60, 10));
  visit(TAUT_OF_ONE(log, 1, 1000, -1022, 1023));
  visit(TAUT_OF_ONE(atan, -500, 500, -1022, 1023));
  visit(TAUT_OF_ONE(asin, -100, 100, -30, -1));
  visit(TAUT_OF_ONE(acos, -100, 100, -60, -1));
  visit(TAUT_OF_ONE(sinh, -500, 500, -60, 9));
  visit(TAUT_OF_ONE(cosh, -500, 500, -60, 9));
  visit(TAUT_OF_ONE(tanh, -500, 500, -60, 9));
  visit(TAUT_OF_ONE(cbrt, -10000, 10000, -1022, 1023));
  visit(TAUT_OF_ONE(erf, -400, 400, -60, 4));
  visit(TAUT_OF_ONE(erfc, -400, 600, -60, 5));
  visit(TAUT_OF_TWO(pow, usual_pow_argument, pow_argument));
  visit(TAUT_OF_TWO(atan2, usual_atan2_argument, atan2_argument));
}
#undef TAUT_OF_ONE
#undef TAUT_OF_TWO
#undef TAUT_EXACT

}  // namespace taut::test
