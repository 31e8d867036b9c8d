// units/check_problem.cpp: check_problem finds nothing wrong with any of the problems that come with taut.

#include <taut/problem/check_problem.hpp>
#include <taut/problem/ready_made/ready_made.hpp>

#include <gtest/gtest.h>

namespace {

using namespace taut;

TEST(CheckProblem, FindsNothingWrongWithTheReadyMadeProblems) {
  for_each_ready_made([](auto name, auto, const auto& s, const auto& x) {
    const ProblemCheck check = check_problem(s, x);
    EXPECT_TRUE(check) << name << ": " << check.text();
    EXPECT_GE(check.compared.size(), 3U) << name;
  });
}

}  // namespace
