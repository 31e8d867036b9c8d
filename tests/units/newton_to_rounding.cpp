// The factor of Newton's iteration: which corrections keep it, and what K = L D U is if a pivot
// is a quotient.
#include <taut/formulation/position_solve.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

#include <gtest/gtest.h>

#include <random>

using namespace taut;

namespace {

// Solves x² = 2 by Newton's iteration; for `keeps` see kept_corrections().
template <int keeps_>
struct Root {
  static constexpr int keeps = keeps_;
  double x = 0, slope = 1, r = 0;
  int factored = 0, kept = 0, looked_at = 0;
  double unit = 0x1p-51;

  void evaluate(int) {
    ++looked_at;
    r = x * x - 2;
  }
  void finish() {}
  double in_units() const { return std::abs(r) / unit; }
  bool sound() const { return std::isfinite(r); }
  Failure describe(FailureKind kind, int k, bool) const { return {.kind = kind, .iterations = k}; }

  int operator()(bool, bool) {
    ++factored;
    slope = 2 * x;
    x -= r / slope;
    return -1;
  }
  void again(bool) {
    ++kept;
    x -= r / slope;
  }
};

template <int keeps>
Root<keeps> solved_from(double x) {
  Root<keeps> root{.x = x};
  const auto corrections = newton_to_rounding<double>(50, root, root);
  EXPECT_TRUE(corrections && *corrections == root.factored + root.kept);
  EXPECT_NEAR(root.x, std::sqrt(2.0), 0x1p-52);
  return root;
}

TEST(NewtonToRounding, TheLastCorrectionsKeepTheFactorWhereThatIsCheaper) {
  const auto fresh = solved_from<0>(1.4142);
  const auto both = solved_from<2>(1.4142);
  EXPECT_EQ(fresh.factored, 2);
  EXPECT_EQ(fresh.kept, 0);
  EXPECT_EQ(both.factored, 1);
  EXPECT_GE(both.kept, 1);
  // From far away the rate has to be seen first.
  EXPECT_GE(solved_from<2>(3).factored, 3);
}

TEST(NewtonToRounding, ASingleOneIsKeptOnlyWhereItIsEnough) {
  EXPECT_EQ(solved_from<1>(std::sqrt(2.0) + 1e-8).kept, 1);
  EXPECT_EQ(solved_from<1>(1.4142).kept, 0);
}

TEST(NewtonToRounding, TheLastCorrectionIsNotLookedAt) {
  const auto root = solved_from<0>(1.4142);
  EXPECT_EQ(root.looked_at, root.factored);
}

TEST(NewtonToRounding, FailsAtItsLimitAndWhereNothingIsFinite) {
  Root<2> far{.x = 1e9};
  const auto limited = newton_to_rounding<double>(5, far, far);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().kind, FailureKind::not_converged);
  EXPECT_EQ(limited.error().iterations, 5);
  Root<2> none{.x = std::nan("")};
  const auto lost = newton_to_rounding<double>(5, none, none);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, FailureKind::not_finite);
}

// Does the same with the curvature known: x² is quadratic, and a correction by d leaves d².
struct CurvedRoot : Root<0> {
  double d = 0, curvature = 1;
  int operator()(bool, bool) {
    const double before = x;
    Root<0>::operator()(true, true);
    d = x - before;
    return -1;
  }
  void bend() { r = curvature * d * d; }
};

TEST(NewtonByCurvature, CloseByOneLookIsEnough) {
  for (const double off : {1e-7, -3e-8, 1e-10}) {
    CurvedRoot root{{.x = std::sqrt(2.0) + off}};
    const auto corrections = newton_by_curvature<double>(50, root, root);
    ASSERT_TRUE(corrections);
    EXPECT_EQ(*corrections, root.factored + root.kept);
    EXPECT_EQ(root.looked_at, 1) << off;
    EXPECT_NEAR(root.x, std::sqrt(2.0), 0x1p-52);
  }
}

TEST(NewtonByCurvature, FromAfarItLooksAgain) {
  CurvedRoot root{{.x = 3}};
  ASSERT_TRUE(newton_by_curvature<double>(50, root, root));
  EXPECT_GE(root.looked_at, 3);
  EXPECT_NEAR(root.x, std::sqrt(2.0), 0x1p-52);
}

TEST(NewtonByCurvature, AWrongCurvatureLeavesWhatItMisses) {
  CurvedRoot root{{.x = std::sqrt(2.0) + 1e-7}};
  root.curvature = 0;
  ASSERT_TRUE(newton_by_curvature<double>(50, root, root));
  EXPECT_GT(std::abs(root.x - std::sqrt(2.0)), 1e-15);
}

TEST(NewtonByCurvature, FailsAtItsLimitAndWhereNothingIsFinite) {
  CurvedRoot far{{.x = 1e9}};
  const auto limited = newton_by_curvature<double>(6, far, far);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().kind, FailureKind::not_converged);
  CurvedRoot none{{.x = std::nan("")}};
  const auto lost = newton_by_curvature<double>(5, none, none);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, FailureKind::not_finite);
}

TEST(LinearToRounding, MakesASecondCorrectionOnlyWhereTheFirstLeftMuch) {
  struct Line {
    double x = 1, r = 0, slope = 1;
    int corrections = 0;
    void evaluate(int) { r = x; }
    double in_units() const { return std::abs(r) / 0x1p-53; }
    bool sound() const { return std::isfinite(r); }
    Failure describe(FailureKind kind, int k, bool) const { return {.kind = kind, .iterations = k}; }
    int operator()(bool) {
      ++corrections;
      x -= slope * r;
      return -1;
    }
  };
  Line exact, poor{.slope = 1 + 1e-10};
  ASSERT_TRUE(linear_to_rounding<double>(50, exact, exact));
  EXPECT_EQ(exact.corrections, 1);
  ASSERT_TRUE(linear_to_rounding<double>(50, poor, poor));
  EXPECT_EQ(poor.corrections, 2);
  Line wrong{.slope = 3};
  EXPECT_FALSE(linear_to_rounding<double>(20, wrong, wrong));
}

using Chain = SixNodeChain<>;

TEST(PatternGram, QuotientsOfPivotsSolveAChain) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> some(-1, 1);
  const Chain s;
  for (int t = 0; t < 20; ++t) {
    Chain::Vec q0 = s.start().q, q1 = q0;
    for (double& c : q1) c += 0.1 * some(random);
    Chain::Jacobian G0, G1;
    s.G(q0, G0);
    s.G(q1, G1);
    ConstraintMatrix<Chain> K(s);
    K.right(s, q0, q0, G0, 0.01);
    K.assemble(G1);
    ASSERT_EQ(K.factor(), -1);
    Chain::Multiplier x, b;
    for (double& c : x) c = some(random);
    Chain::Vec along = Chain::Vec::Zero();
    G0.subtract_transpose(x, along);
    G1.times(Chain::Vec(-0.01 * along), b);  // K x
    K.solve(b);
    EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(PatternGram, AVanishedPivotIsNamedWhereItIsAQuotient) {
  const Chain s;
  Chain::Vec q = s.start().q;
  Chain::Jacobian G;
  s.G(q, G);
  G.entries[2] = G.entries[3] = 0;  // the second rod has no direction
  ConstraintMatrix<Chain> K(s);
  K.right(s, q, q, G, 1.0);
  K.assemble(G);
  EXPECT_EQ(K.factor(), 1);
}

}  // namespace
