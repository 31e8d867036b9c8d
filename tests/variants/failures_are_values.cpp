// theorems/failures_are_values.cpp for every row, on two problems: one is singular, and one has a force that
// is not a number.

#include <gtest/gtest.h>

#include "support/failing_problems.hpp"

namespace {

using namespace taut;

TEST(SingularConstraints, AreNamedByEveryRowWhereOneIsWrittenTwice) {
  const test::Twice<> s;
  test::for_each_fitting_method<test::Twice<>>([&](const auto& method) {
    // From rest the half-explicit step of order one needs no impulse, and asks for none.
    if (label(facts_of(method)) == "half-explicit(1)") return;
    test::expect_failure_of(method, s, s.start(), 0.1, test::expect_second_is_singular);
  });
}

TEST(APotentialThatIsNotANumber, IsReportedByEveryRowAtTheStartOfAStep) {
  const test::Broken<> s;
  test::expect_failure(s, s.start(), 0.1, test::expect_not_finite);
}

}  // namespace
