// The loop of every solve, with a toy for each forecast: how often it looks, corrects and finishes, which
// corrections keep the factor, and how it fails.
#include <taut/scalar/pack.hpp>
#include <taut/solve/forecast.hpp>
#include <taut/solve/iterate.hpp>
#include <taut/solve/newton_by_curvature.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace taut;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The residual r of one unknown x, in all that forecasts ask for.
template <class T>
struct Toy {
  T x{0}, r{0}, unit{0x1p-51};
  int looked_at = 0, finished = 0, scaled = 0, corrected = 0;
  int vanishes_at = -1;  // the correction that meets a vanished pivot

  void finish() { ++finished; }
  void set_units() { ++scaled; }
  T in_units() const { return magnitude(r) / unit; }
  Mask<T> within(double tolerance) const { return magnitude(r) <= T(tolerance); }
  Mask<T> sound() const { return finite(r); }
  Failure describe(FailureKind kind, int k, const Mask<T>&) const { return {.kind = kind, .iterations = k}; }
  int add(const Mask<T>& active, const T& d) {
    if (corrected == vanishes_at) return 7;
    ++corrected;
    x = select(active, T(x + d), x);
    return -1;
  }
};

// Solves x = 0 by corrections that leave the part `poor` of it.
template <class T = double>
struct Line : Toy<T> {
  T poor{0};
  void evaluate() {
    ++this->looked_at;
    this->r = this->x;
  }
  int operator()(const Mask<T>& active) { return this->add(active, T(-(T(1) - poor) * this->r)); }
};

// Solves x² = 2 by Newton's iteration; for `keeps` see kept_corrections().
template <int keeps_, class T = double>
struct Root : Toy<T> {
  static constexpr int keeps = keeps_;
  T slope{1};
  int factored = 0, kept = 0;

  void evaluate() {
    ++this->looked_at;
    this->r = this->x * this->x - T(2);
  }
  int operator()(const Mask<T>& active, const Mask<T>& kept_lanes) {
    ++factored;
    slope = select(kept_lanes, slope, T(T(2) * this->x));
    return this->add(active, T(-this->r / slope));
  }
  void again(const Mask<T>& active) {
    ++kept;
    this->add(active, T(-this->r / slope));
  }
};

// Does the same with the curvature known: x² is quadratic, and a correction by d leaves d².
template <class T = double>
struct CurvedRoot : Root<0, T> {
  T d{0}, curvature{1};
  int bent = 0;
  int operator()(const Mask<T>& active, const Mask<T>& kept_lanes) {
    d = -this->r / (T(2) * this->x);
    return Root<0, T>::operator()(active, kept_lanes);
  }
  void bend() {
    ++bent;
    this->r = curvature * d * d;
  }
};

template <class R>
R from(double x) {
  R toy;
  toy.x = decltype(toy.x)(x);
  return toy;
}
Line<> line(double poor) {
  auto toy = from<Line<>>(1);
  toy.poor = poor;
  return toy;
}

template <class R, class F>
Expected<int> solve(R& toy, F forecast, int limit = 50) {
  return iterate<decltype(toy.x)>(limit, toy, toy, forecast);
}

const double root_of_2 = std::sqrt(2.0);

TEST(StatedTolerance, LooksAfterEveryCorrection) {
  Line<> toy = line(0.25);
  const auto corrections = solve(toy, StatedTolerance<double>(1e-3));
  ASSERT_TRUE(corrections);
  EXPECT_EQ(*corrections, 5);  // 4⁻⁵ is the first power below
  EXPECT_EQ(toy.looked_at, 6);
  EXPECT_EQ(toy.finished, 0);
  EXPECT_EQ(toy.scaled, 0);
}

TEST(LinearSystem, MakesASecondCorrectionOnlyIfTheFirstLeftMuch) {
  Line<> exact = line(0), poor = line(1e-10), wrong = line(-2);
  EXPECT_EQ(*solve(exact, LinearSystem<double>()), 1);
  EXPECT_EQ(exact.looked_at, 2);
  EXPECT_EQ(*solve(poor, LinearSystem<double>()), 2);
  EXPECT_EQ(poor.looked_at, 3);
  EXPECT_EQ(poor.finished, 0);
  EXPECT_EQ(poor.scaled, 1);
  EXPECT_FALSE(solve(wrong, LinearSystem<double>(), 20));
}

TEST(SeenRate, ContinuesBlindlyAtTheRoundingLevel) {
  const double rate = 0x1p-6;
  Line<> to_a_unit = line(rate), to_less = line(rate);
  const auto few = solve(to_a_unit, SeenRate<double>(stagnation_slack, one_unit));
  const auto more = solve(to_less, SeenRate<double>());
  ASSERT_TRUE(few && more);
  EXPECT_EQ(*few, 9);  // 2⁻⁵⁴ is below the unit 2⁻⁵¹
  EXPECT_EQ(to_a_unit.looked_at, *few + 1);
  EXPECT_EQ(to_a_unit.finished, 0);
  EXPECT_EQ(*more, *few + 2);  // 2⁻⁶⁶ is below 2⁻¹² of it
  EXPECT_EQ(to_less.looked_at, *more);
  EXPECT_EQ(to_less.finished, 1);
}

// A short step begins near its end. One correction brings it to rounding, or it is there already, and then no
// rate is seen: it must not take many more corrections than a long step.
TEST(SeenRate, AShortStepTakesFewCorrections) {
  for (const double begin : {1.0, 1e-8, 1e-11, 1e-14, 1e-17}) {
    Line<> usual = line(begin * 1e-3), stage = usual;
    usual.x = stage.x = begin;
    const auto few = solve(usual, SeenRate<double>()),
               more = solve(stage, SeenRate<double>(1000, stage_left_over));
    ASSERT_TRUE(few && more);
    EXPECT_LE(*few, begin == 1.0 ? 8 : 4) << begin;
    EXPECT_LE(*more, begin == 1.0 ? 11 : 6) << begin;
  }
}

// A rate that is slow from the first correction on is not taken for the one that is assumed.
TEST(SeenRate, ASlowRateIsSeen) {
  Line<> slow = line(0.6);
  slow.x = 1e-12;
  ASSERT_TRUE(solve(slow, SeenRate<double>()));
  EXPECT_LT(std::abs(slow.x), 0x1p-58);  // 0.6¹² of a unit; with the rate that is assumed, a third of one
}

TEST(SeenRate, ANoisyResidualEndsIfItFindsNoNewMinimum) {
  struct Noisy : Line<> {
    void evaluate() {
      Line<>::evaluate();
      r += looked_at % 2 == 0 ? 0x1p-40 : 0x1p-38;
    }
  };
  Noisy refused, accepted;
  EXPECT_FALSE(solve(refused, SeenRate<double>()));
  EXPECT_TRUE(solve(accepted, SeenRate<double>(stage_noise)));
}

template <int keeps>
Root<keeps> solved_from(double x) {
  auto root = from<Root<keeps>>(x);
  const auto corrections = solve(root, NewtonBySquares<double>());
  EXPECT_TRUE(corrections && *corrections == root.factored + root.kept);
  EXPECT_NEAR(root.x, root_of_2, 0x1p-52);
  return root;
}

TEST(NewtonBySquares, TheLastCorrectionsKeepTheFactorIfThatIsCheaper) {
  const auto fresh = solved_from<0>(1.4142);
  const auto both = solved_from<2>(1.4142);
  EXPECT_EQ(fresh.factored, 2);
  EXPECT_EQ(fresh.kept, 0);
  EXPECT_EQ(both.factored, 1);
  EXPECT_GE(both.kept, 1);
  // From far away the rate has to be seen first.
  EXPECT_GE(solved_from<2>(3).factored, 3);
}

TEST(NewtonBySquares, ASingleOneIsKeptOnlyIfItIsEnough) {
  EXPECT_EQ(solved_from<1>(root_of_2 + 1e-8).kept, 1);
  EXPECT_EQ(solved_from<1>(1.4142).kept, 0);
}

TEST(NewtonBySquares, TheLastCorrectionIsNotLookedAt) {
  const auto root = solved_from<0>(1.4142);
  EXPECT_EQ(root.looked_at, root.factored);
  EXPECT_EQ(root.finished, 1);
}

TEST(NewtonByCurvature, CloseByOneLookIsEnough) {
  for (const double off : {1e-7, -3e-8, 1e-10}) {
    auto root = from<CurvedRoot<>>(root_of_2 + off);
    const auto corrections = solve(root, NewtonByCurvature<double>());
    ASSERT_TRUE(corrections);
    EXPECT_EQ(*corrections, root.factored + root.kept);
    EXPECT_EQ(root.looked_at, 1) << off;
    EXPECT_EQ(root.bent, 1) << off;
    EXPECT_EQ(root.finished, 1) << off;
    EXPECT_NEAR(root.x, root_of_2, 0x1p-52);
  }
}

TEST(NewtonByCurvature, FromAfarItLooksAgain) {
  auto root = from<CurvedRoot<>>(3);
  ASSERT_TRUE(solve(root, NewtonByCurvature<double>()));
  EXPECT_GE(root.looked_at, 3);
  EXPECT_EQ(root.bent, root.factored);
  EXPECT_NEAR(root.x, root_of_2, 0x1p-52);
}

TEST(NewtonByCurvature, AWrongCurvatureLeavesWhatItMisses) {
  auto root = from<CurvedRoot<>>(root_of_2 + 1e-7);
  root.curvature = 0;
  ASSERT_TRUE(solve(root, NewtonByCurvature<double>()));
  EXPECT_GT(std::abs(root.x - root_of_2), 1e-15);
}

TEST(NewtonByCurvature, ABendThatIsNotFiniteShowsInTheNextEvaluation) {
  auto root = from<CurvedRoot<>>(3);
  root.curvature = not_a_number;
  const auto lost = solve(root, NewtonByCurvature<double>());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, FailureKind::not_converged);
  EXPECT_EQ(lost.error().iterations, 2);
}

// Each forecast with a toy that it suits: `start` needs at least three corrections.
template <class R, class F>
void fails_as_it_should(R start, const F& forecast) {
  R limited = start;
  const auto ended = solve(limited, forecast, 2);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, FailureKind::not_converged);
  EXPECT_EQ(ended.error().iterations, 2);
  EXPECT_EQ(limited.corrected, 2);

  R none = start;
  none.x = not_a_number;
  const auto lost = solve(none, forecast);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, FailureKind::not_finite);
  EXPECT_EQ(lost.error().iterations, 0);
  EXPECT_EQ(none.corrected, 0);

  R dependent = start;
  dependent.vanishes_at = 0;
  const auto singular = solve(dependent, forecast);
  ASSERT_FALSE(singular);
  EXPECT_EQ(singular.error().kind, FailureKind::singular);
  EXPECT_EQ(singular.error().constraint, 7);
  EXPECT_EQ(singular.error().iterations, 0);
}

TEST(Iterate, EveryForecastFailsInTheSameWords) {
  fails_as_it_should(line(0.25), StatedTolerance<double>(1e-3));
  fails_as_it_should(line(1e-3), LinearSystem<double>());
  fails_as_it_should(line(0.25), SeenRate<double>());
  fails_as_it_should(from<Root<0>>(3), NewtonBySquares<double>());
  fails_as_it_should(from<Root<1>>(3), NewtonBySquares<double>());
  fails_as_it_should(from<Root<2>>(3), NewtonBySquares<double>());
  fails_as_it_should(from<CurvedRoot<>>(3), NewtonByCurvature<double>());
}

// Gives the least limit with which a solve ends well.
template <class R, class F>
int least_limit(const R& start, const F& forecast) {
  for (int limit = 0;; ++limit)
    if (R toy = start; solve(toy, forecast, limit)) return limit;
}

TEST(Iterate, WhatHasArrivedHasNotFailedWhateverPolishingIsLeft) {
  Line<> unlimited = line(0.5);
  EXPECT_EQ(*solve(unlimited, SeenRate<double>(), 1000), 51 + 12);
  EXPECT_EQ(least_limit(line(0.5), SeenRate<double>()), 51);  // 2⁻⁵¹ is one unit
  for (const double off : {1e-15, 3e-16}) {                   // within two units, and within one
    const auto near = from<Root<0>>(root_of_2 + off);
    EXPECT_EQ(least_limit(near, NewtonBySquares<double>()), 1) << off;
  }
  EXPECT_EQ(least_limit(from<CurvedRoot<>>(root_of_2 + 1e-8), NewtonByCurvature<double>()), 1);
  EXPECT_GT(least_limit(from<CurvedRoot<>>(3), NewtonByCurvature<double>()), 3);
}

TEST(Iterate, AResidualThatOverflowsHasNotConverged) {
  Line<> toy = line(-1e200);
  const auto lost = solve(toy, SeenRate<double>());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, FailureKind::not_converged);
  EXPECT_EQ(lost.error().iterations, 2);
}

// A residual of two entries of which the second has no value from some look on, while the maximum shows the
// first alone.
template <class R>
struct HalfLost : R {
  std::vector<double> shown;  // in units, look by look; the last of them is not sound
  void evaluate() { this->r = shown[static_cast<std::size_t>(this->looked_at++)] * this->unit; }
  bool sound() const { return this->looked_at < static_cast<int>(shown.size()); }
};
template <class R, class F>
void finds_the_lost_entry(const F& forecast, const std::vector<double>& shown) {
  HalfLost<R> toy;
  toy.x = 3;
  toy.shown = shown;
  const auto ended = solve(toy, forecast, static_cast<int>(shown.size()) - 1);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, FailureKind::not_converged);
  EXPECT_EQ(ended.error().iterations, static_cast<int>(shown.size()) - 1);
}

TEST(Iterate, AMaximumThatLosesANumberEndsNothing) {
  for (const double small : {0.0, 1e-6, 0.5}) {
    finds_the_lost_entry<Line<>>(LinearSystem<double>(), {1e12, small});
    finds_the_lost_entry<Line<>>(SeenRate<double>(), {1e12, small});
    finds_the_lost_entry<Root<0>>(NewtonBySquares<double>(), {1e12, small});
    finds_the_lost_entry<Root<2>>(NewtonBySquares<double>(), {1e12, small});
  }
  finds_the_lost_entry<Line<>>(SeenRate<double>(), {1e12, 1e7, 5, 5});  // as if it stagnated
}

template <class R, class F>
void makes_no_correction(R toy, const F& forecast) {
  const auto corrections = solve(toy, forecast);
  ASSERT_TRUE(corrections);
  EXPECT_EQ(*corrections, 0);
  EXPECT_EQ(toy.looked_at, 1);
  EXPECT_LE(toy.finished, 1);
}

TEST(Iterate, NothingIsCorrectedIfNothingIsLeft) {
  const Line<> there;
  makes_no_correction(there, StatedTolerance<double>(1e-3));
  makes_no_correction(there, LinearSystem<double>());
  makes_no_correction(there, SeenRate<double>());
  struct OwnRoot : CurvedRoot<> {
    void evaluate() {
      ++looked_at;
      r = 0;
    }
  };
  makes_no_correction(OwnRoot(), NewtonBySquares<double>());
  makes_no_correction(OwnRoot(), NewtonByCurvature<double>());
}

// Solves in four lanes from four starts, and each lane alone.
template <template <class> class R, template <class> class F>
void lanes_equal_scalar_runs(const std::array<double, 4>& starts) {
  R<Pack<4>> lanes;
  R<double> alone[4];
  for (int l = 0; l < 4; ++l) lanes.x.set(l, alone[l].x = starts[l]);
  const auto together = solve(lanes, F<Pack<4>>());
  ASSERT_TRUE(together);
  int most = 0;
  for (int l = 0; l < 4; ++l) {
    const auto one = solve(alone[l], F<double>());
    ASSERT_TRUE(one);
    most = std::max(most, *one);
    EXPECT_EQ(lane(lanes.x, l), alone[l].x) << l;
  }
  EXPECT_GE(*together, most);
}
template <class T>
struct CrawlingLine : Line<T> {
  CrawlingLine() { this->poor = T(0.1); }
};
template <class T>
using FreshRoot = Root<0, T>;
template <class T>
using KeptRoot = Root<2, T>;

TEST(Iterate, ALaneEqualsItsScalarRun) {
  const std::array<double, 4> starts = {3, 1.4142, root_of_2 + 1e-8, 40};
  lanes_equal_scalar_runs<CrawlingLine, SeenRate>(starts);
  lanes_equal_scalar_runs<CrawlingLine, LinearSystem>(starts);
  lanes_equal_scalar_runs<FreshRoot, NewtonBySquares>(starts);
  lanes_equal_scalar_runs<KeptRoot, NewtonBySquares>(starts);
  lanes_equal_scalar_runs<CurvedRoot, NewtonByCurvature>(starts);
}

}  // namespace
