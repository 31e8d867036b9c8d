// Coefficients of Gauss, Radau and Lobatto for any number of stages: Jay's tables and closed forms, the
// conditions that define them to the last digits of 128 bits, and the conditions that a user's own
// tableau must meet.

#include <taut/method/catalogue.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/stepper.hpp>
#include <taut/method/tableau_conditions.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace taut;
using Exact = Float128;
using Coefficients = Matrix<Exact, dynamic, dynamic>;

// 128-bit floats have 1.9e-34; the sums below have up to 12 terms of size up to 1.
constexpr double digits = 2e-32;

double size(Exact x) { return static_cast<double>(magnitude(x)); }

Exact power(Exact x, int k) {
  Exact y = 1;
  for (int i = 0; i < k; ++i) y *= x;
  return y;
}

// Each function returns the largest residual of the simplifying assumption of its name.
double B(const Tableau<Exact>& t, int p) {
  double worst = 0;
  for (int k = 1; k <= p; ++k) {
    Exact sum = -Exact(1) / k;
    for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * power(t.c[i], k - 1);
    worst = std::max(worst, size(sum));
  }
  return worst;
}
double C(const Tableau<Exact>& t, const Coefficients& A, int q) {
  double worst = 0;
  for (int k = 1; k <= q; ++k)
    for (int i = 0; i < t.stages(); ++i) {
      Exact sum = -power(t.c[i], k) / k;
      for (int j = 0; j < t.stages(); ++j) sum += A(i, j) * power(t.c[j], k - 1);
      worst = std::max(worst, size(sum));
    }
  return worst;
}
double D(const Tableau<Exact>& t, const Coefficients& A, int r) {
  double worst = 0;
  for (int k = 1; k <= r; ++k)
    for (int j = 0; j < t.stages(); ++j) {
      Exact sum = -t.b[j] / k * (1 - power(t.c[j], k));
      for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * power(t.c[i], k - 1) * A(i, j);
      worst = std::max(worst, size(sum));
    }
  return worst;
}
double CC(const Tableau<Exact>& t, int most) {
  double worst = 0;
  for (int k = 2; k <= most; ++k)
    for (int i = 0; i < t.stages(); ++i) {
      Exact sum = -power(t.c[i], k) / (k * (k - 1));
      for (int j = 0; j < t.stages(); ++j)
        for (int l = 0; l < t.stages(); ++l) sum += t.A(i, j) * t.A_hat(j, l) * power(t.c[l], k - 2);
      worst = std::max(worst, size(sum));
    }
  return worst;
}
double DD(const Tableau<Exact>& t, int most) {
  double worst = 0;
  for (int k = 2; k <= most; ++k)
    for (int l = 0; l < t.stages(); ++l) {
      Exact sum = -t.b[l] * (Exact(1) / k - t.c[l] / (k - 1) + power(t.c[l], k) / (k * (k - 1)));
      for (int i = 0; i < t.stages(); ++i)
        for (int j = 0; j < t.stages(); ++j) sum += t.b[i] * power(t.c[i], k - 2) * t.A(i, j) * t.A_hat(j, l);
      worst = std::max(worst, size(sum));
    }
  return worst;
}
double symplecticity(const Tableau<Exact>& t) {
  double worst = 0;
  for (int i = 0; i < t.stages(); ++i) {
    worst = std::max(worst, size(t.b[i] - t.b_hat[i]));
    for (int j = 0; j < t.stages(); ++j)
      worst = std::max(worst, size(t.b[i] * t.A_hat(i, j) + t.b_hat[j] * t.A(j, i) - t.b[i] * t.b_hat[j]));
  }
  return worst;
}

struct Fraction {
  int over, under;
  Exact value() const { return Exact(over) / under; }
};
void expect_table(const Coefficients& found, const std::vector<std::vector<Fraction>>& printed) {
  for (int i = 0; i < found.rows(); ++i)
    for (int j = 0; j < found.cols(); ++j) {
      const Exact exact = printed[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].value();
      EXPECT_LT(size(found(i, j) - exact), digits) << i << ", " << j;
      EXPECT_EQ(static_cast<double>(found(i, j)), static_cast<double>(exact)) << i << ", " << j;
      EXPECT_EQ(static_cast<long double>(found(i, j)), static_cast<long double>(exact)) << i << ", " << j;
    }
}

TEST(Tableau, TwoStagesAreJaysTable21) {
  const auto t = lobatto_tableau(2);
  expect_table(t.A, {{{0, 1}, {0, 1}}, {{1, 2}, {1, 2}}});
  expect_table(t.A_hat, {{{1, 2}, {0, 1}}, {{1, 2}, {0, 1}}});
  expect_table(t.b, {{{1, 2}}, {{1, 2}}});
  expect_table(t.c, {{{0, 1}}, {{1, 1}}});
}
TEST(Tableau, ThreeStagesAreJaysTable22) {
  const auto t = lobatto_tableau(3);
  expect_table(t.A, {{{0, 1}, {0, 1}, {0, 1}}, {{5, 24}, {1, 3}, {-1, 24}}, {{1, 6}, {2, 3}, {1, 6}}});
  expect_table(t.A_hat, {{{1, 6}, {-1, 6}, {0, 1}}, {{1, 6}, {1, 3}, {0, 1}}, {{1, 6}, {5, 6}, {0, 1}}});
  expect_table(t.b, {{{1, 6}}, {{2, 3}}, {{1, 6}}});
  expect_table(t.b_hat, {{{1, 6}}, {{2, 3}}, {{1, 6}}});
  expect_table(t.c, {{{0, 1}}, {{1, 2}}, {{1, 1}}});
}

void expect_nodes(const std::vector<Exact>& found, const std::vector<Exact>& exact) {
  ASSERT_EQ(found.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_LT(size(found[i] - exact[i]), digits) << i;
}

TEST(Tableau, NodesAreTheClosedForms) {
  const Exact half = Exact(1) / 2, r15 = sqrt(Exact(15)), r6 = sqrt(Exact(6));
  const Exact l4 = half / sqrt(Exact(5)), l5 = half * sqrt(Exact(3) / 7);
  const Exact near = half * sqrt((7 - 2 * sqrt(Exact(7))) / 21),
              far = half * sqrt((7 + 2 * sqrt(Exact(7))) / 21);
  expect_nodes(quadrature::lobatto_nodes(4), {0, half - l4, half + l4, 1});
  expect_nodes(quadrature::lobatto_nodes(5), {0, half - l5, half, half + l5, 1});
  expect_nodes(quadrature::lobatto_nodes(6), {0, half - far, half - near, half + near, half + far, 1});
  expect_nodes(quadrature::gauss_nodes(1), {half});
  expect_nodes(quadrature::gauss_nodes(3), {half - r15 / 10, half, half + r15 / 10});
  expect_nodes(quadrature::radau_nodes(2), {Exact(1) / 3, 1});
  expect_nodes(quadrature::radau_nodes(3), {(4 - r6) / 10, (4 + r6) / 10, 1});
}

// Jay (2.7). As printed, the argument of arccos is above 1 and u = √v; with arccos(3c/2) and u = -√v it
// gives the nodes.
struct JayNodes {
  Exact c = sqrt(Exact(13) / 42);
  std::vector<Exact> with(Exact sign_of_u) const {
    const Exact x = 3 * c / 2;
    Exact angle = std::acos(static_cast<double>(x));
    for (int k = 0; k < 4; ++k) angle += (cos(angle) - x) / sin(angle);
    const Exact v = 32 / (323 * c) * cos(angle / 3) + Exact(720) / 6137, u = sign_of_u * sqrt(v);
    const Exact e1 = -Exact(1080) / 6137, e2 = Exact(96912) / 28800941;
    const Exact d1 = (e1 + v) / 2, d2 = sqrt((e1 + v) * (e1 + v) - 4 * e2) / 2;
    const Exact a1 = sqrt(v - 4 * (d1 - d2)), a2 = sqrt(v - 4 * (d1 + d2)), a3 = Exact(9) / 19;
    const Exact half = Exact(1) / 2;
    const Exact d[] = {half * sqrt((-u + a1) / 2 + a3), half * sqrt((-u - a1) / 2 + a3),
                       half * sqrt((u + a2) / 2 + a3), half * sqrt((u - a2) / 2 + a3)};
    return {0,    half - d[0], half - d[1], half - d[2], half - d[3],
            half, half + d[3], half + d[2], half + d[1], half + d[0],
            1};
  }
};
TEST(Tableau, ElevenStagesHaveJaysClosedFormOnceCorrected) {
  EXPECT_GT(3 / (2 * static_cast<double>(JayNodes().c)), 1);  // as printed: no arccos
  expect_nodes(quadrature::lobatto_nodes(11), JayNodes().with(-1));
  const auto printed = JayNodes().with(+1), found = quadrature::lobatto_nodes(11);
  // The other misprint is no mere permutation: each is far from every node.
  double off = 0;
  for (const Exact& x : printed) {
    double nearest = 1;
    for (const Exact& y : found) nearest = std::min(nearest, size(x - y));
    off = std::max(off, nearest);
  }
  EXPECT_GT(off, 1e-3);
}

TEST(Tableau, LobattoMeetsEveryConditionToTheLastDigits) {
  for (int s = 2; s <= 12; ++s) {
    SCOPED_TRACE(s);
    const auto t = lobatto_tableau(s);
    EXPECT_LT(B(t, 2 * s - 2), digits);
    EXPECT_LT(C(t, t.A, s), digits);
    EXPECT_LT(D(t, t.A, s - 2), digits);
    EXPECT_LT(C(t, t.A_hat, s - 2), digits);
    EXPECT_LT(D(t, t.A_hat, s), digits);
    EXPECT_LT(CC(t, s), digits);
    EXPECT_LT(DD(t, s), digits);
    EXPECT_LT(symplecticity(t), digits);
    EXPECT_EQ(violated_condition(t), std::nullopt);
    for (int j = 0; j < s; ++j) {  // to the bit, since they decide what is unknown
      EXPECT_EQ(t.A(0, j), Exact(0));
      EXPECT_EQ(t.A(s - 1, j), t.b[j]);
      EXPECT_EQ(t.A_hat(j, s - 1), Exact(0));
      EXPECT_EQ(t.A_hat(j, 0), t.b[0]);
    }
    // One more degree would be too much: the residuals see it.
    EXPECT_GT(B(t, 2 * s - 1), 1e-16);
    EXPECT_GT(C(t, t.A, s + 1), 1e-10);
  }
}
TEST(Tableau, MoreStagesThanAnyoneNeeds) {
  for (const int s : {16, 24, 32}) {
    const auto t = lobatto_tableau(s);
    EXPECT_LT(B(t, 2 * s - 2), 10 * digits) << s;
    EXPECT_LT(C(t, t.A, s), 10 * digits) << s;
    EXPECT_LT(symplecticity(t), 10 * digits) << s;
    EXPECT_EQ(violated_condition(t), std::nullopt) << s;
  }
}

TEST(Tableau, GaussAndRadauMeetTheirs) {
  for (int s = 1; s <= 12; ++s) {
    SCOPED_TRACE(s);
    const auto gauss = gauss_tableau(s);
    EXPECT_LT(B(gauss, 2 * s), digits);
    EXPECT_LT(C(gauss, gauss.A, s), digits);
    EXPECT_LT(D(gauss, gauss.A, s), digits);
    EXPECT_LT(symplecticity(gauss), digits);
    const auto radau = radau_tableau(s);
    EXPECT_LT(B(radau, 2 * s - 1), digits);
    EXPECT_LT(C(radau, radau.A, s), digits);
    EXPECT_LT(D(radau, radau.A, s - 1), digits);
    for (int j = 0; j < s; ++j) EXPECT_EQ(radau.A(s - 1, j), radau.b[j]);
    EXPECT_GT(B(gauss, 2 * s + 1), 1e-16);
    EXPECT_GT(B(radau, 2 * s), 1e-16);
  }
}

// A double taken from x, which is known to within `digits`, is the double nearest to the exact number unless
// x lies that close to the middle between two doubles.
void expect_rounded_once(Exact x) {
  if (x == 0) return;  // a structural zero
  const double nearest = static_cast<double>(x);
  const Exact below = (Exact(std::nextafter(nearest, -2.0)) + nearest) / 2;
  const Exact above = (Exact(std::nextafter(nearest, 2.0)) + nearest) / 2;
  EXPECT_TRUE(below + digits < x && x < above - digits) << nearest;
}
TEST(Tableau, DoublesAreCorrectlyRounded) {
  for (int s = 2; s <= 12; ++s)
    for (const auto& t : {lobatto_tableau(s), gauss_tableau(s), radau_tableau(s)}) {
      const Tableau<double> rounded = t.cast<double>();
      for (int i = 0; i < s; ++i) {
        expect_rounded_once(t.b[i]);
        expect_rounded_once(t.c[i]);
        EXPECT_EQ(rounded.b[i], static_cast<double>(t.b[i]));
        for (int j = 0; j < s; ++j) {
          expect_rounded_once(t.A(i, j));
          expect_rounded_once(t.A_hat(i, j));
          EXPECT_EQ(rounded.A_hat(i, j), static_cast<double>(t.A_hat(i, j)));
        }
      }
    }
}

void expect_violated(const Tableau<Exact>& t, const std::string& name) {
  const auto found = violated_condition(t);
  ASSERT_TRUE(found) << "expected " << name;
  EXPECT_TRUE(found->starts_with(name)) << *found;
}

// Makes a symplectic pair on given nodes with A from C(s).
Tableau<Exact> pair_on(const std::vector<Exact>& c) {
  Tableau<Exact> t = collocation(c);
  for (int i = 0; i < t.stages(); ++i)
    for (int j = 0; j < t.stages(); ++j) t.A_hat(i, j) = t.b[j] * (1 - t.A(j, i) / t.b[i]);
  return t;
}

TEST(ATableauOfOnesOwn, IsRefusedWithTheConditionNamed) {
  auto t = lobatto_tableau(4);
  t.A(1, 2) += Exact(1e-6);
  expect_violated(t, "(2.3)");
  t = lobatto_tableau(4);
  t.b_hat[1] += Exact(1e-6);
  expect_violated(t, "(2.3)");
  t = lobatto_tableau(4);
  t.A_hat = t.A;  // IIIA for both
  expect_violated(t, "(3.10)");
  expect_violated(gauss_tableau(3), "(3.10)");
  expect_violated(pair_on(quadrature::gauss_nodes(3)), "(3.10)");
  expect_violated(pair_on(quadrature::radau_nodes(3)), "(3.12)");  // stiffly accurate, but q₀ is no stage
  t = lobatto_tableau(3);
  t.A(0, 1) = Exact(1) / 10;
  expect_violated(t, "(3.12)");
  expect_violated(gauss_tableau(1), "a tableau");
  t = lobatto_tableau(3);
  t.c.conservativeResize(2);
  expect_violated(t, "A and A^ must be");
}

// b = (1/2, 1/2), a₂ = (1/2, 1/2) and its dual are Lobatto's two stages. If one stage is split into two equal
// ones, A₀Â₀ is singular, though every other condition holds.
TEST(ATableauOfOnesOwn, IsRefusedWhereItsStagesAreNotDetermined) {
  Tableau<Exact> t{Coefficients::Zero(3, 3), Coefficients::Zero(3, 3), Vector<Exact, dynamic>(3),
                   Vector<Exact, dynamic>(3), Vector<Exact, dynamic>(3)};
  const Exact quarter = Exact(1) / 4;
  t.b << quarter, quarter, 2 * quarter;
  t.b_hat = t.b;
  t.c << Exact(0), Exact(0), Exact(1);
  t.A.row(2) = t.b.transpose();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t.A_hat(i, j) = t.b[j] * (1 - t.A(j, i) / t.b[i]);
  EXPECT_LT(symplecticity(t), digits);
  expect_violated(t, "(3.14)");
}

std::string refusal(const Lobatto<>& method) {
  const PlanarPendulum<> s;
  try {
    bind(method, s, s.start());
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(ATableauOfOnesOwn, DoesNotRunWhereAConditionIsViolated) {
  Tableau<Exact> t = lobatto_tableau(3);
  EXPECT_EQ(refusal({.s = 3, .own = &t}), "");
  EXPECT_EQ(refusal({.s = 4, .own = &t}), "lobatto: s = 4, but the tableau has 3 stages");
  t.A(1, 1) += Exact(1e-3);
  EXPECT_EQ(
      refusal({.s = 3, .own = &t}),
      "lobatto: a tableau of one's own is refused: (2.3) is violated: b = b^ and b_i a^_ij + b^_j a_ji = "
      "b_i b^_j, so the method is not symplectic; it is missed by 0.000666666666666667");
}

// The nodes 0, 1/2, 1 are Lobatto's; with 0, 2/5, 1 the pair is symplectic too, but of a lower order.
TEST(ATableauOfOnesOwn, RunsAndStaysOnTheManifold) {
  const Tableau<Exact> own = pair_on({0, Exact(2) / 5, 1});
  ASSERT_EQ(violated_condition(own), std::nullopt);
  const PlanarPendulum<> s;
  auto x = s.start();
  const auto stepper = bind(Lobatto<>{.s = 3, .own = &own}, s, x);
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(stepper->step(x, 0.05));
  EXPECT_NEAR(x.q.norm(), 1, 1e-14);
  EXPECT_NEAR(x.q.dot(x.p), 0, 1e-14);
  EXPECT_NEAR(H(s, x.q, x.p), 0, 1e-3);
  const MethodFacts claimed = Lobatto<>{.s = 3, .own = &own}.facts();  // B(3), C(3), D(0), CĈ(1)
  EXPECT_EQ(claimed.order, 2);
  EXPECT_FALSE(claimed.symmetric);
  EXPECT_TRUE(claimed.symplectic);
  for (int stages = 2; stages <= 8; ++stages) {
    const Tableau<Exact> t = lobatto_tableau(stages);
    EXPECT_EQ(order_of(t), 2 * stages - 2);
    EXPECT_TRUE(is_symmetric(t));
  }
  const Tableau<Exact> lobattos = lobatto_tableau(3);
  auto y = s.start(), z = y;
  const auto given = bind(Lobatto<>{.s = 3, .own = &lobattos}, s, y),
             built_in = bind(Lobatto<>{.s = 3}, s, z);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(given->step(y, 0.05) && built_in->step(z, 0.05));
  EXPECT_EQ(y.q, z.q);
  EXPECT_EQ(y.p, z.p);
}

}  // namespace
