// Pair potentials against a double loop over all pairs, one set of particles or two, in a periodic box, with
// exclusions; the same bits for any number of threads; the virial of all potentials against differences of
// V.

#include <taut/measure/virial.hpp>
#include <taut/parallel/workers.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "support/particle_models.hpp"

namespace {

using namespace taut;
using Problem = ParticleProblem<double>;
using Vec = Problem::Vec;

// Sixty particles in a chain of springs without force, in a box that is open in z.
const std::string cloud = R"toml([particles]
count = 60
position = ["3.3*sin(0.7*i)", "4*sin(0.83*i + 1)", "2*sin(37.719*i + 2)"]
box = [6.0, 7.0, 0.0]
[[springs]]
between = ["i", "i+1"]
for = "i in 0..58"
stiffness = 0
)toml";
constexpr int count = 60;
constexpr double cutoff = 2.0;
const std::string formula = "potential = \"0.1/(0.3 + r^2)\"\ncutoff = 2.0\n";

std::string pairs(const std::string& rest) { return "[[pairs]]\n" + formula + rest; }

double u(double r) { return 0.1 / (0.3 + r * r); }
double u_slope(double r) { return -0.2 * r / ((0.3 + r * r) * (0.3 + r * r)); }

struct Sum {
  double V = 0;
  Vec slope = Vec::Zero(3 * count);
  int pairs = 0;
};

// Sums over the pairs with acts(i, j), i < j, shifted to 0 at the cutoff.
template <class Acts>
Sum double_loop(const Vec& q, Acts&& acts) {
  const double box[] = {6, 7, 0};
  Sum sum;
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      double along[3], square = 0;
      for (int a = 0; a < 3; ++a) {
        along[a] = q[a * count + i] - q[a * count + j];
        if (box[a] > 0) along[a] = std::remainder(along[a], box[a]);
        square += along[a] * along[a];
      }
      const double r = std::sqrt(square);
      if (r >= cutoff || !acts(i, j)) continue;
      ++sum.pairs;
      sum.V += u(r) - u(cutoff);
      for (int a = 0; a < 3; ++a) {
        sum.slope[a * count + i] += u_slope(r) * along[a] / r;
        sum.slope[a * count + j] -= u_slope(r) * along[a] / r;
      }
    }
  return sum;
}

// Compares at the start, and after moves shorter and longer than the skin.
template <class Acts>
void agrees(const std::string& rest, Acts&& acts) {
  const Problem s(test::particles_of(cloud + pairs(rest)));
  Vec q = s.start().q, slope = q;
  for (const double move : {0.0, 0.01, 0.3, 5.0}) {
    for (int j = 0; j < q.size(); ++j) q[j] += move * std::sin(1.7 * j);
    const Sum right = double_loop(q, acts);
    EXPECT_GE(right.pairs, 10) << rest;
    EXPECT_NEAR(s.V(q), right.V, 1e-13) << rest;
    s.grad_V(q, slope);
    EXPECT_LT((slope - right.slope).cwiseAbs().maxCoeff(), 1e-13) << rest << move;
  }
}

TEST(Pairs, OfOneSet) {
  agrees("", [](int, int) { return true; });
  agrees("exclude_bonded = 2\n", [](int i, int j) { return j - i > 2; });
  agrees("of = \"2*i\"\nfor = \"i in 0..29\"\n", [](int i, int j) { return i % 2 == 0 && j % 2 == 0; });
  agrees("of = [7, 50, 3, 7, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35]\n",
         [](int i, int j) {
           const auto in = [](int k) { return k == 3 || k == 7 || k == 50 || (k >= 20 && k <= 35); };
           return in(i) && in(j);  // 7 is named twice
         });
}

TEST(Pairs, BetweenTwoSets) {
  agrees("between = [{ of = \"i\", for = \"i in 0..19\" }, { of = \"i\", for = \"i in 20..59\" }]\n",
         [](int i, int j) { return i < 20 && j >= 20; });
  agrees("between = [{ of = \"59 - i\", for = \"i in 0..19\" }, { of = \"i\", for = \"i in 0..39\" }]\n",
         [](int i, int j) { return i < 40 && j >= 40; });
  const std::set<int> some{3, 4, 7, 11, 19, 22, 23, 31, 40, 58};
  const auto in = [&](int i) { return some.contains(i); };
  const std::string list = "{ of = [3, 58, 7, 11, 22, 19, 23, 31, 40, 4] }";
  agrees("between = [" + list + ", {}]\nexclude_bonded = 1\n",
         [&](int i, int j) { return (in(i) || in(j)) && j > i + 1; });  // one of them in both sets
}

// All pairs are those inside the two parts and those between them.
TEST(Pairs, ThePartsMakeTheWhole) {
  const std::string low = "{ of = \"i\", for = \"i in 0..24\" }",
                    high = "{ of = \"i\", for = \"i in 25..59\" }";
  const Problem whole(test::particles_of(cloud + pairs("")));
  const Problem parts(test::particles_of(cloud + pairs("of = \"i\"\nfor = \"i in 0..24\"\n") +
                                         pairs("of = \"i\"\nfor = \"i in 25..59\"\n") +
                                         pairs("between = [" + low + ", " + high + "]\n")));
  const Vec q = whole.start().q;
  EXPECT_NEAR(whole.V(q), parts.V(q), 1e-13);
  EXPECT_GT(whole.V(q), 0.1);
}

// A few hundred particles lie in twos and threes, far from each other: without a bound there would be
// thousands of millions of cells.
TEST(Pairs, OfAScatteredCloudNeedFewCells) {
  constexpr int d = 3, n = 600;
  PairRule rule{.cutoff = 1, .skin = 0.2, .sets = {{}}, .apart = std::vector<std::vector<int>>(n)};
  std::vector<double> q(std::size_t{d} * n);
  for (int i = 0; i < n; ++i) {
    rule.sets[0].push_back(i);
    const int place = i / 3;
    for (int a = 0; a < d; ++a)
      q[a * n + i] = 1000 * std::sin(12.9898 * place + 78.233 * a) + 0.7 * std::sin(5.1 * i + a);
  }
  for (const double edge : {0.0, 2500.0}) {
    rule.box = {edge, edge, 0};
    const CellGrid grid(rule, d, q, rule.sets[0]);
    EXPECT_LE(grid.cells(), 2 * n + 1);
    EXPECT_GE(grid.cells(), n / 8);
    std::vector<int> first, second;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j)
        if (grid.distance2(i, j) < 1.2 * 1.2) {
          first.push_back(i);
          second.push_back(j);
        }
    const PairList list(rule, d, q);
    EXPECT_GT(first.size(), 100U);
    EXPECT_EQ(list.first, first);
    EXPECT_EQ(list.second, second);
  }
}

TEST(Pairs, TheSameBitsForAnyNumberOfThreads) {
  const std::string fluid =
      "[parameters]\nn = 16\n[particles]\nfor = \"a in 0..n-1, b in 0..n-1, c in 0..n-1\"\nposition = "
      "[\"1.2*a + 0.1*sin(i)\", \"1.2*b + 0.1*sin(2*i)\", \"1.2*c + 0.1*sin(3*i)\"]\nbox = [\"1.2*n\", "
      "\"1.2*n\", \"1.2*n\"]\n[[pairs]]\npotential = \"4*((1/r)^12 - (1/r)^6)\"\ncutoff = 2.5\n[[pairs]]\n"
      "potential = \"1/r\"\ncutoff = 2\nbetween = [{ of = [5, 9, 700] }, { of = \"3*i\", for = \"i in "
      "0..1000\" }]\n";
  const auto model = test::particles_of(fluid);
  struct Result {
    double V;
    Vec slope;
  };
  const auto with_threads = [&](int threads) {
    Workers workers(threads);
    const SharedWith shared(&workers);
    const Problem s(model);
    Result result{0, s.start().q};
    Vec q = result.slope;
    for (int k = 0; k < 3; ++k) {  // the list is made anew on the way
      for (int j = 0; j < q.size(); ++j) q[j] += 0.1 * std::sin(0.37 * j);
      s.grad_V(q, result.slope);
    }
    result.V = s.V(q);
    return result;
  };
  const Result alone = with_threads(1);
  for (const int threads : {2, 3}) {
    const Result shared = with_threads(threads);
    EXPECT_EQ(alone.V, shared.V);
    EXPECT_EQ(std::memcmp(alone.slope.data(), shared.slope.data(), sizeof(double) * alone.slope.size()), 0);
  }
}

// V of a bonded cloud is computed in 128 bits while all lengths of one direction, or of all, are scaled, box
// and positions alike: the virial is its derivative.
const std::string bonded = cloud + R"toml([[springs]]
between = ["2*i", "2*i + 1"]
for = "i in 0..29"
stiffness = 1.5
length = 2
[[bends]]
between = ["3*i", "3*i + 1", "3*i + 2"]
for = "i in 0..19"
stiffness = 2
angle = 1.5
[[torsions]]
between = ["i", "i+1", "i+2", "i+3"]
for = "i in 0..11"
potential = "0.3*(1 + cos(3*phi))"
[[field]]
potential = "0.1*x^2 + y*z"
)toml";

Float128 V_scaled(const ParticleModel& model, const std::array<Float128, 9>& F) {
  auto scaled = std::make_shared<ParticleModel>(model);
  for (auto& group : scaled->pairs) {
    auto other = std::make_shared<PairGroup<Program>>(*group);
    for (int a = 0; a < 3; ++a) other->box[a] *= static_cast<double>(F[4 * a]);
    group = other;
  }
  const ParticleProblem<Float128> s(scaled);
  const auto q = s.start().q;
  auto moved = q;
  for (int i = 0; i < count; ++i)
    for (int a = 0; a < 3; ++a) {
      moved[a * count + i] = 0;
      for (int b = 0; b < 3; ++b) moved[a * count + i] += F[3 * a + b] * q[b * count + i];
    }
  return s.V(moved);
}

void virial_is_the_derivative(const std::string& text, bool sheared) {
  const auto model = test::particles_of(text);
  const Problem s(model);
  std::array<double, 9> virial{};
  double V = 0;
  for (const auto& part : parts_of_V(s, s.start().q)) {
    V += part.energy;
    for (int k = 0; k < 9; ++k) virial[k] += part.virial[k];
  }
  EXPECT_NEAR(V, s.V(s.start().q), 1e-12);
  // In an edge of the box a double's 53 bits lose nothing of this step.
  const Float128 step = Float128(0x1p-30);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      if (a != b && !sheared) continue;
      const auto V_at = [&](Float128 by) {
        std::array<Float128, 9> F{1, 0, 0, 0, 1, 0, 0, 0, 1};
        F[3 * a + b] += by;
        return V_scaled(*model, F);
      };
      // x_a ← x_a + s x_b: dV/ds = Σ x_b ∂V/∂x_a
      const double slope = static_cast<double>((V_at(step) - V_at(-step)) / (2 * step));
      EXPECT_NEAR(virial[3 * b + a], -slope, 1e-10) << a << b;
      EXPECT_GT(std::abs(slope), 1e-4);
    }
}

TEST(Virial, IsTheDerivativeByTheScaleOfTheBox) {
  // V is differentiable when a pair crosses the cutoff.
  const std::string smooth = "truncation = \"force-shift\"\n";
  virial_is_the_derivative(cloud + pairs(smooth), false);
  virial_is_the_derivative(bonded + pairs(smooth + "exclude_bonded = 2\n"), false);
  std::string open = bonded + pairs(smooth);
  open.erase(open.find("box = "), std::string("box = [6.0, 7.0, 0.0]\n").size());
  virial_is_the_derivative(open, true);
}

// However short the cutoff is, and however far the particles fly apart, the cells are soon made.
TEST(Pairs, ACutoffWithoutExtentAndACloudWithoutEnd) {
  for (const char* reach : {"5e-324", "1e-300", "1e-9"})
    for (const char* spread : {"1", "1e9", "1e150", "1e300"}) {
      const std::string x = std::string(spread) + "*i", y = std::string("-") + spread + "*i";
      const Problem problem(
          test::particles_of("[particles]\ncount = 50\nposition = [\"" + x + "\", \"" + y +
                             "\", \"0\"]\n[[pairs]]\npotential = \"1/r\"\ncutoff = " + reach + "\n"));
      EXPECT_EQ(problem.V(problem.start().q), 0) << reach << " " << spread;
    }
}

TEST(Pairs, MoreThanCanBeNumberedAreRefused) {
  EXPECT_NO_THROW(check_number_of_pairs(2'147'483'000));
  EXPECT_THROW(check_number_of_pairs(2'147'483'648), std::length_error);
}

}  // namespace
