// Order conditions of the explicit Runge-Kutta table: Σ bᵢ Φᵢ(τ) = 1/γ(τ) for every rooted tree τ with up
// to `order` nodes, in 128-bit arithmetic, for the methods and for their embedded estimates; and one order
// more must fail.

#include <taut/method/ordinary/explicit_tableau.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace taut;

// A rooted tree as its branches, each an index into the list of smaller trees; the list grows by the
// number of nodes.
struct Tree {
  int nodes;
  std::vector<std::size_t> branches;  // decreasing
};

const std::vector<Tree>& trees(int most) {
  static std::vector<Tree> list{{1, {}}};
  static int done = 1;
  for (; done < most; ++done) {
    const int nodes = done + 1;
    std::vector<Tree> grown;
    std::vector<std::size_t> branches;
    const auto add = [&](auto&& self, int left, std::size_t largest) -> void {
      if (left == 0) {
        grown.push_back({nodes, branches});
        return;
      }
      for (std::size_t t = 0; t < list.size() && t <= largest; ++t) {
        if (list[t].nodes > left) continue;
        branches.push_back(t);
        self(self, left - list[t].nodes, t);
        branches.pop_back();
      }
    };
    add(add, nodes - 1, list.size());
    list.insert(list.end(), grown.begin(), grown.end());
  }
  return list;
}

using Row = Vector<Float128, dynamic>;

// Returns the largest |Σ bᵢ Φᵢ(τ) - 1/γ(τ)| over the trees with exactly that many nodes.
double defect(const ExplicitTableau& t, const Row& b, int nodes) {
  const auto& list = trees(nodes);
  std::vector<Row> weights;
  std::vector<Float128> gamma;
  double worst = 0;
  for (const Tree& tree : list) {
    if (tree.nodes > nodes) break;
    Row phi = Row::Ones(t.stages());
    Float128 density = tree.nodes;
    for (const std::size_t branch : tree.branches) {
      phi = phi.cwiseProduct(Row(t.A * weights[branch])).eval();
      density *= gamma[branch];
    }
    weights.push_back(phi);
    gamma.push_back(density);
    if (tree.nodes == nodes)
      worst = std::max(worst, static_cast<double>(magnitude(Float128(b.dot(phi) - 1 / density))));
  }
  return worst;
}

// dop853 is given with 30 digits; its weights reach 43, and up to eight of them are multiplied.
constexpr double digits = 1e-24;

TEST(ExplicitTable, ThereAreAsManyTreesAsThereShouldBe) {
  std::map<int, int> count;
  for (const Tree& tree : trees(9)) ++count[tree.nodes];
  const int expected[] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
  for (int n = 1; n <= 9; ++n) EXPECT_EQ(count[n], expected[n - 1]) << n;
}

TEST(ExplicitTable, EveryMethodHasItsOrderAndNotOneMore) {
  for (const ExplicitScheme& scheme : explicit_schemes) {
    SCOPED_TRACE(scheme.name);
    const ExplicitTableau t = explicit_tableau(scheme);
    for (int n = 1; n <= scheme.order; ++n) EXPECT_LT(defect(t, t.b, n), digits) << n;
    EXPECT_GT(defect(t, t.b, scheme.order + 1), 1e-8);
  }
}

TEST(ExplicitTable, EstimatesHaveTheOrdersTheyAreNamedBy) {
  for (const ExplicitScheme& scheme : explicit_schemes) {
    if (scheme.error.empty()) continue;
    SCOPED_TRACE(scheme.name);
    const ExplicitTableau t = explicit_tableau(scheme);
    const Row embedded = t.b - t.error;
    for (int n = 1; n <= scheme.error_order; ++n) EXPECT_LT(defect(t, embedded, n), digits) << n;
    EXPECT_GT(defect(t, embedded, scheme.error_order + 1), 1e-8);
    if (scheme.error3.empty()) continue;
    const Row third = t.b - t.error3;
    for (int n = 1; n <= 3; ++n) EXPECT_LT(defect(t, third, n), digits) << n;
    EXPECT_GT(defect(t, third, 4), 1e-8);
  }
}

TEST(ExplicitTable, NamesAreFound) {
  for (const ExplicitScheme& scheme : explicit_schemes) EXPECT_EQ(find_explicit(scheme.name), &scheme);
  EXPECT_EQ(find_explicit("rk3"), nullptr);
}

}  // namespace
