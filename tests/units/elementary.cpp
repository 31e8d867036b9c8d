// The elementary functions: at most 1 ulp from 128 bits, the special cases of C's Annex F, and lanes with the
// bits of the scalar. bench/elementary.cpp takes 10^7 arguments each; tests/bits/run compares compilers and
// machines.

#include <taut/model/text/lane_functions.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "support/elementary_functions.hpp"
#include "support/hard_arguments.hpp"
#include "support/ulps.hpp"

namespace {

using namespace taut;
using test::Pair, test::Random, test::ulps;

constexpr double infinite = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN(), largest = std::numeric_limits<double>::max();

template <class F>
void expect_within(const F& f, double x, double y = 0) {
  const double error = ulps(f.own(x, y), f.exact(x, y));
  EXPECT_LE(error, 1) << f.name << " at " << std::hexfloat << x << ", " << y;
}

TEST(Elementary, AtMostOneUlp) {
  test::for_each_elementary([](const auto& f) {
    Random random(1);
    double worst = 0;
    Pair where{};
    for (int i = 0; i < 100'000; ++i) {
      Pair at = f.argument(random);
      if (f.name == "log") at.x = std::fabs(at.x);
      const double error = ulps(f.own(at.x, at.y), f.exact(at.x, at.y));
      if (error <= worst) continue;
      worst = error;
      where = at;
    }
    EXPECT_LE(worst, 1) << f.name << " at " << std::hexfloat << where.x << ", " << where.y;
    EXPECT_GT(worst, 0.4) << f.name << ": the test sees no error at all";
  });
}

// Doubles near a multiple of π/2: the nearest of all (Muller, Elementary Functions, table of worst cases
// for range reduction), those next to the first multiples, and some that are huge.
TEST(Elementary, HardAnglesAtMostOneUlp) {
  test::for_each_elementary([](const auto& f) {
    if (f.name != "sin" && f.name != "cos" && f.name != "tan") return;
    expect_within(f, 6381956970095103 * 0x1p797);
    expect_within(f, 6381956970095103 * 0x1p796);
    expect_within(f, largest);
    expect_within(f, -largest);
    expect_within(f, 1e22);
    for (const double limit : {0x1p21, 0x1p20 * 3.141592653589793, 0.5, 0x1p-27, 0x1.921fb54442d18p-1})
      for (const double x : {std::nextafter(limit, 0), limit, std::nextafter(limit, infinite)})
        expect_within(f, x);
    for (int k = 1; k < 4000; ++k) {
      const auto multiple =
          static_cast<double>(k * static_cast<Float128>(1.5707963267948966192313216916397514L));
      for (const double x : {std::nextafter(multiple, 0), multiple, std::nextafter(multiple, infinite)})
        expect_within(f, x);
      expect_within(f, multiple * 1048576);
    }
  });
}

// Returns how far the value is from the nearest double, or middle of two, in units of the last place.
double to_nearest_boundary(Float128 exact) {
  int exponent = 0;
  frexpq(magnitude(exact), &exponent);
  const Float128 halves = ldexpq(magnitude(exact), 54 - exponent);  // from 2^53 to 2^54
  const Float128 off = halves - Float128(static_cast<std::int64_t>(halves + Float128(0.5)));
  return static_cast<double>(magnitude(off)) / 2;
}

TEST(Elementary, PublishedHardArgumentsAtMostOneUlp) {
  std::size_t functions = 0;
  test::for_each_elementary([&](const auto& f) {
    for (const test::HardArguments& hard : test::hard_arguments()) {
      if (hard.name != f.name) continue;
      ++functions;
      EXPECT_GE(hard.rounding.size() + hard.libraries.size(), 3U);
      for (const Pair& at : hard.rounding) {
        EXPECT_LT(to_nearest_boundary(f.exact(at.x, at.y)), 1e-12)
            << f.name << " at " << std::hexfloat << at.x << " is not hard to round: a slip of the list";
        expect_within(f, at.x, at.y);
      }
      for (const Pair& at : hard.libraries) expect_within(f, at.x, at.y);
    }
  });
  EXPECT_EQ(functions, 16U);
}

// In a sum of parts of a subnormal number each part is rounded to the same unit: the errors may add up.
TEST(Elementary, SubnormalArgumentsAtMostOneUlp) {
  test::for_each_elementary([](const auto& f) {
    Random random(2);
    for (int i = 0; i < 4'000; ++i) {
      const double x = static_cast<double>(random.bits() >> (12 + i % 50)) * 0x1p-1074;
      expect_within(f, x, 1.5);
      if (f.name != "log" && f.name != "pow") expect_within(f, -x, 1.5);
    }
    for (const double x : {0x0.b5738cafc58c4p-1022, 0x0.97e81bef9c3a4p-1022, 0x0.5464814c3a594p-1022})
      expect_within(f, x, 1.5);
  });
}

TEST(Elementary, LimitsOfTheRangeAtMostOneUlp) {
  const double near[] = {709.782712893384,
                         709.7827128933841,
                         -708.3964185322641,
                         -745.1332191019411,
                         -745.1332191019412,
                         708,
                         -708,
                         710.4758600739439,
                         710.4758600739440,
                         22,
                         20,
                         1,
                         0.5,
                         26,
                         26.543258454250978,
                         27.226017111108362,
                         27.3,
                         0x1p-1074,
                         0x1p-1022,
                         0x1.fffffffffffffp-1023,
                         0x1p-28,
                         0x1p-27,
                         0.34657359027997264,
                         0x1.62a88613629b6p+678,
                         0.7071067811865475,
                         1.4142135623730951,
                         0.41421356237309503,
                         largest};
  test::for_each_elementary([&](const auto& f) {
    if (f.name == "pow" || f.name == "atan2") return;
    for (const double limit : near)
      for (const double x : {std::nextafter(limit, -infinite), limit, std::nextafter(limit, infinite)})
        for (const double at : {x, -x}) {
          if (ulps(f.library(at, 0), f.exact(at, 0)) > 10)
            continue;  // outside the domain, or libquadmath's own limits
          expect_within(f, at);
        }
  });
}

std::uint64_t pattern(double x) { return x != x ? 1 : std::bit_cast<std::uint64_t>(x); }

// glibc follows Annex F: zeros with their signs, infinities and NaN are compared with it, bit by bit.
TEST(Elementary, SpecialCasesAreThoseOfAnnexF) {
  const double special[] = {0.0,       -0.0,       1,       -1,         2,           -2,
                            3,         -3,         0.5,     -0.5,       1.5,         infinite,
                            -infinite, nan,        0x1p53,  0x1p53 - 1, -0x1p53 + 1, 0x1p52 + 1,
                            0x1p-1074, -0x1p-1074, largest, -largest};
  test::for_each_elementary([&](const auto& f) {
    for (const double x : special)
      for (const double y : special) {
        const double own = f.own(x, y), library = f.library(x, y);
        if (own != own || library != library || own == 0 || library == 0 || std::isinf(own) ||
            std::isinf(library))
          EXPECT_EQ(pattern(own), pattern(library))
              << f.name << "(" << std::hexfloat << x << ", " << y << ") = " << own;
        else
          EXPECT_NEAR(own, library, 1e-15 * std::fabs(library)) << f.name << "(" << x << ", " << y << ")";
      }
  });
}

template <int n, class F, class G>
void expect_lanes(F f, G in_lanes, std::string_view name, Pair (*draw)(Random&)) {
  Random random(n);
  for (int round = 0; round < 200; ++round) {
    Pack<n> x, y;
    for (int i = 0; i < n; ++i) {
      const Pair at = draw(random);
      x.set(i, round % 7 == 0 && i == 1 ? nan : round % 5 == 0 && i == 2 ? infinite : at.x);
      y.set(i, at.y);
    }
    const Pack<n> z = in_lanes(x, y);
    for (int i = 0; i < n; ++i) ASSERT_EQ(pattern(z[i]), pattern(f(x[i], y[i]))) << name << " at " << x[i];
  }
}

// The functions of formulas, for packs and for doubles.
TEST(Elementary, ALaneHasTheBitsOfTheScalar) {
  const auto all_widths = [](auto f, std::string_view name, Pair (*draw)(Random&)) {
    expect_lanes<4>(f, f, name, draw);
    expect_lanes<8>(f, f, name, draw);
    expect_lanes<16>(f, f, name, draw);
  };
  constexpr auto any_size = test::mixed<-1000, 1000, -1022, 1023>;
  all_widths([](auto x, auto) { return taut::sin(x); }, "sin", any_size);
  all_widths([](auto x, auto) { return taut::cos(x); }, "cos", any_size);
  all_widths([](auto x, auto) { return taut::tan(x); }, "tan", any_size);
  all_widths([](auto x, auto) { return taut::exp(x); }, "exp", test::mixed<-2000, 2000, -60, 10>);
  all_widths([](auto x, auto) { return taut::log(x); }, "log", any_size);
  all_widths([](auto x, auto) { return taut::atan(x); }, "atan", any_size);
  all_widths([](auto x, auto) { return taut::asin(x); }, "asin", test::mixed<-100, 100, -30, 0>);
  all_widths([](auto x, auto) { return taut::acos(x); }, "acos", test::mixed<-100, 100, -30, 0>);
  all_widths([](auto x, auto) { return taut::sinh(x); }, "sinh", test::mixed<-500, 500, -60, 10>);
  all_widths([](auto x, auto) { return taut::cosh(x); }, "cosh", test::mixed<-500, 500, -60, 10>);
  all_widths([](auto x, auto) { return taut::tanh(x); }, "tanh", test::mixed<-500, 500, -60, 10>);
  all_widths([](auto x, auto) { return taut::cbrt(x); }, "cbrt", any_size);
  all_widths([](auto x, auto) { return taut::erf(x); }, "erf", test::mixed<-400, 400, -60, 4>);
  all_widths([](auto x, auto) { return taut::erfc(x); }, "erfc", test::mixed<-400, 600, -60, 5>);
  all_widths([](auto x, auto) { return taut::sign(x); }, "sign", any_size);
  all_widths([](auto x, auto y) { return taut::power(x, y); }, "pow", test::pow_argument);
  all_widths([](auto x, auto y) { return taut::atan2(x, y); }, "atan2", test::atan2_argument);
}

}  // namespace
