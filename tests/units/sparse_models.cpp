// Models of formulas whose graph is sparse are solved sparsely, with the results of the dense solve to
// rounding, whatever the order of their constraints.

#include <taut/formulation/multiplier.hpp>
#include <taut/measure/watch.hpp>
#include <taut/method/implicit_midpoint.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/projected.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/formula_problem.hpp>

#include <gtest/gtest.h>

#include "support/windows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace {

using namespace taut;

std::shared_ptr<FormulaSystem> system_of(const test::Windows& windows) {
  const ReadModel read = read_model(windows.text(), "windows.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return std::make_shared<FormulaSystem>(*compile(*read.model));
}

template <class P, class Method>
StateOf<FormulaProblem<>> after(const P& s, const Method& method, int steps) {
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

// The same problem, which does not say on which coordinates its forces depend.
struct Silent : FormulaProblem<> {
  using FormulaProblem<>::FormulaProblem;
  void coordinates_in_force() const = delete;
  void coordinates_in_fast_force() const = delete;
};

// Windows with springs between every other point, as one potential or as its fast part.
std::shared_ptr<FormulaSystem> with_springs(int count, bool split) {
  test::Windows windows{.count = count};
  std::string text = windows.text(), springs;
  for (int i = 0; i + 2 <= count; ++i) {
    const std::string a = std::to_string(i), b = std::to_string(i + 2);
    springs += " + 50*((x" + b + " - x" + a + ")^2 + (y" + b + " - y" + a + ")^2 - 3.9)^2";
  }
  const std::size_t begin = text.find("potential = \"0"), end = text.find("\"\n", begin);
  text.replace(end, 1, split ? "\"\npotential_fast = \"0" + springs + "\"" : springs + "\"");
  if (split) text.replace(begin, 9, "potential_slow");
  const ReadModel read = read_model(text, "springs.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return std::make_shared<FormulaSystem>(*compile(*read.model));
}

TEST(SparseModels, TheMidpointRuleGivesTheResultsOfItsDenseMatrices) {
  static_assert(has_force_pattern<FormulaProblem<>> && !has_force_pattern<Silent>);
  for (const auto& system :
       {system_of({.count = 12}), system_of({.count = 12, .bars = true}), with_springs(12, false)}) {
    const FormulaProblem<> sparse(system);
    EXPECT_TRUE(EnvelopeMidpointMatrix<FormulaProblem<>>::pays(sparse));
    const auto a = after(sparse, Projected<ImplicitMidpoint>{}, 50);
    const auto b = after(Silent(system), Projected<ImplicitMidpoint>{}, 50);
    EXPECT_LT(distance(a, b), 1e-12);
  }
  const auto split = with_springs(12, true);
  const auto a = after(FormulaProblem<>(split), Projected<MixedMidpoint>{}, 50);
  const auto b = after(Silent(split), Projected<MixedMidpoint>{}, 50);
  EXPECT_LT(distance(a, b), 1e-12);
  const FormulaProblem<> small(system_of({.count = 3}));
  EXPECT_FALSE(EnvelopeMidpointMatrix<FormulaProblem<>>::pays(small));
}

// The curvature of the springs is that of differences of the force.
TEST(SparseModels, ColumnsOfTheCurvatureAreFoundInGroups) {
  const FormulaProblem<> s(with_springs(20, false));
  const auto x = s.start();
  const auto rows = s.coordinates_in_force();
  const auto groups = groups_of_columns(rows);
  EXPECT_LT(*std::max_element(groups.begin(), groups.end()), 12);
  EnvelopeMidpointMatrix<FormulaProblem<>> matrix(s);
  const double h = 0.1;
  ASSERT_TRUE(matrix.prepare(x, h));
  double largest = 0;
  for (std::size_t k = 0; k < matrix.masses().size(); ++k) {
    const auto& e = matrix.masses()[k];
    auto above = x.q, below = x.q, up = x.q, down = x.q;
    above[e.column] += 1e-5;
    below[e.column] -= 1e-5;
    s.grad_V(above, up);
    s.grad_V(below, down);
    const double expected = e.value + h * h / 4 * (up[e.row] - down[e.row]) / 2e-5;
    EXPECT_NEAR(matrix.values()[k], expected, 1e-7) << e.row << " " << e.column;
    largest = std::max(largest, std::abs(expected - e.value));
  }
  EXPECT_GT(largest, 1);
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
