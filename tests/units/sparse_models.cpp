// Models of formulas whose graph is sparse are solved sparsely, with the results of the dense solve to
// rounding, whatever the order of their constraints.

#include <taut/formulation/multiplier.hpp>
#include <taut/measure/watch.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/formula_problem.hpp>

#include <gtest/gtest.h>

#include "support/windows.hpp"

#include <memory>

namespace {

using namespace taut;

std::shared_ptr<FormulaSystem> system_of(const test::Windows& windows) {
  const ReadModel read = read_model(windows.text(), "windows.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return std::make_shared<FormulaSystem>(*compile(*read.model));
}

template <class Method>
StateOf<FormulaProblem<>> after(const FormulaProblem<>& s, const Method& method, int steps) {
  auto x = s.start();
  const auto stepper = bind(method, s, x);
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(stepper->step(x, 0.01));
  return x;
}

template <class X>
double distance(const X& a, const X& b) {
  return (a.q - b.q).norm() + (a.p - b.p).norm();
}

TEST(SparseModels, AMassAlongBarsGivesTheResultsOfTheFullMatrix) {
  const auto sparse = system_of({.count = 12, .bars = true});
  ASSERT_FALSE(sparse->mass_order.empty());
  const auto full = std::make_shared<FormulaSystem>(*sparse);
  full->mass_order.clear();
  const FormulaProblem<> a(sparse), b(full);
  EXPECT_TRUE(a.W().sparse);
  EXPECT_FALSE(b.W().sparse);
  EXPECT_LT(distance(after(a, Rattle{}, 100), after(b, Rattle{}, 100)), 1e-12);
  EXPECT_LT(distance(after(a, Lobatto<>{.s = 3}, 20), after(b, Lobatto<>{.s = 3}, 20)), 1e-12);
  const auto x = a.start();
  EXPECT_LT((*multiplier(a, x.q, x.p) - *multiplier(b, x.q, x.p)).norm(), 1e-12);
}

TEST(SparseModels, TheOrderOfTheConstraintsDoesNotMatter) {
  for (const bool bars : {false, true}) {
    const FormulaProblem<> beside(system_of({.count = 12, .bars = bars})),
        apart(system_of({.count = 12, .bars = bars, .apart = true}));
    EXPECT_LT(distance(after(beside, Rattle{}, 100), after(apart, Rattle{}, 100)), 1e-12) << bars;
  }
}

// The windows are one parallelogram of as many cranks: with masses in the points it moves as a pendulum.
TEST(SparseModels, ManyWindowsMoveAsOneCrank) {
  const auto x = after(FormulaProblem<>(system_of({.count = 60, .apart = true})), Rattle{}, 50);
  const auto one = after(FormulaProblem<>(system_of({.count = 1})), Rattle{}, 50);
  for (int i = 0; i <= 60; ++i) {
    EXPECT_NEAR(x.q[2 * i] - i, one.q[0], 1e-11);
    EXPECT_NEAR(x.p[2 * i + 1], one.p[1], 1e-11);
  }
}

TEST(SparseModels, SmallMassMatricesStayFull) {
  EXPECT_TRUE(system_of({.count = 3, .bars = true})->mass_order.empty());
}

// The pivot that a few solves find is the one that elimination finds, up to the order of elimination.
TEST(SparseModels, ThePivotOfManyConstraints) {
  const FormulaProblem<> s(system_of({.count = 20}));
  const auto x = s.start();
  const double eliminated = smallest_pivot(s, x.q, x.p), solved = last_pivot(s, x.q, x.p);
  EXPECT_LE(solved, eliminated * 1.0001);
  EXPECT_GT(solved, eliminated / 2);
  const FormulaProblem<> many(system_of({.count = 100}));
  const auto y = many.start();
  EXPECT_LT(smallest_pivot(many, y.q, y.p), solved);
  EXPECT_GT(smallest_pivot(many, y.q, y.p), solved / 8);
}

}  // namespace
