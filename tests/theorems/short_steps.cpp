// Short steps take no more corrections than long ones: near its end an iteration sees no rate, and must not
// take that for a slow one. At a rate of a half lobatto(2) took 41 corrections at h = 0.0001, bdf(2) and
// radau(2) up to 40.

#include <gtest/gtest.h>

#include "support/steppers.hpp"

#include <string>

namespace {

using namespace taut;

// Returns the corrections of a step on average, or -1 if a step failed.
template <class Method>
double corrections(const Method& method, double h) {
  const DoublePendulum<> s;
  auto x = s.start();
  const auto stepper = try_bind(method, s, x, {});
  if (!stepper) return 0;
  int sum = 0;
  constexpr int steps = 40;
  for (int k = 0; k < steps; ++k) {
    const auto made = stepper->step(x, h);
    if (!made) return -1;
    sum += *made;
  }
  return static_cast<double>(sum) / steps;
}

TEST(ShortSteps, TakeFewCorrections) {
  for_each_method([](const auto& method) {
    const double usual = corrections(method, 0.01);
    for (const double h : {1e-3, 1e-4, 1e-5, 1e-6}) {
      const double now = corrections(method, h);
      EXPECT_GE(now, 0) << label(facts_of(method)) << " fails at h = " << h;
      EXPECT_LE(now, 1.25 * usual + 2) << label(facts_of(method)) << " at h = " << h;
    }
  });
}

}  // namespace
