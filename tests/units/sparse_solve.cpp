// The sparse constraint solve against a dense one, on graphs of every kind that it treats in its own way: cut
// chains, batches of equal components, single components with and without fill, all of them together.

#include <taut/problem/mass.hpp>
#include <taut/problem/particles/grouped_jacobian.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/matrix/sparse_gram.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <random>
#include <vector>

#include "support/in_full.hpp"

namespace {

using namespace taut;

using Edges = std::vector<std::pair<int, int>>;

// Makes one row for each edge, with the coordinates of its two ends, component after component.
std::shared_ptr<const GroupedRows> rows_of(const std::vector<Edges>& groups, int particles, int dimension) {
  auto rows = std::make_shared<GroupedRows>();
  for (const Edges& edges : groups) {
    std::vector<std::vector<int>> column(2 * dimension);
    for (const auto& [i, j] : edges)
      for (int a = 0; a < dimension; ++a) {
        column[a].push_back(a * particles + i);
        column[dimension + a].push_back(a * particles + j);
      }
    rows->add(column);
  }
  return rows;
}

template <class T>
void fill(GroupedJacobian<T>& G, std::mt19937& random, double size, double around) {
  std::uniform_real_distribution<double> some(-size, size);
  for (const RowGroup& g : G.groups())
    for (int e = 0; e < g.size; ++e)
      for (int k = 0; k < g.rows; ++k) {
        T& entry = G.entries[g.first_entry + e * g.stride + k];
        entry = entry * T(around) + T(some(random));
      }
}

template <class T>
Matrix<T, dynamic, dynamic> dense(const GroupedJacobian<T>& G, int columns) {
  Matrix<T, dynamic, dynamic> rows = Matrix<T, dynamic, dynamic>::Zero(G.rows(), columns);
  G.for_each([&](int i, int j, const T& entry) { rows(i, j) += entry; });
  return rows;
}

struct Comparison {
  double newton, symmetric, sweep;
};

// Returns errors relative to the solution, for G₁ near G₀ and for G₁ = G₀.
Comparison against_dense(const std::vector<Edges>& groups, int particles, int dimension = 3) {
  std::mt19937 random(1);
  const auto structure = rows_of(groups, particles, dimension);
  const int n = dimension * particles;
  GroupedJacobian<double> G0(structure);
  fill(G0, random, 1, 0);
  GroupedJacobian<double> G1 = G0;
  fill(G1, random, 0.05, 1);
  DiagonalMass<double, dynamic> W{Vector<double, dynamic>::Random(n).cwiseAbs() +
                                  Vector<double, dynamic>::Constant(n, 0.5)};
  const Eigen::MatrixXd R = 0.7 * W.inverse.asDiagonal() * dense(G0, n).transpose();
  const Eigen::MatrixXd K1 = dense(G1, n) * R, K0 = dense(G0, n) * R;
  const Eigen::VectorXd b = Eigen::VectorXd::Random(G0.rows());

  SparseGram<double> gram(plan_sparse<double>(G0), G0, W);
  const auto solved = [&](const GroupedJacobian<double>& G) {
    gram.right(G0, 0.7);
    gram.assemble(G);
    EXPECT_EQ(gram.factor(), -1);
    Eigen::VectorXd x = b;
    gram.solve(x);
    return x;
  };
  const auto error = [](const Eigen::VectorXd& x, const Eigen::VectorXd& exact) {
    return (x - exact).norm() / exact.norm();
  };
  const Eigen::VectorXd newton = K1.partialPivLu().solve(b), symmetric = K0.partialPivLu().solve(b);
  const Comparison first{error(solved(G1), newton), error(solved(G0), symmetric), 0};
  gram.right(G0, 0.7);
  gram.assemble(G0);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
  for (int k = 0; k < 2000; ++k) {
    Eigen::VectorXd r = b - K0 * x;
    gram.sweep(r);
    x += r;
  }
  // Gauss-Seidel converges for every symmetric positive definite K, at a rate that its condition sets.
  return {first.newton, first.symmetric, error(K0 * x, b)};
}

Edges chain(int rods, int first = 0) {
  Edges edges;
  for (int k = 0; k < rods; ++k) edges.emplace_back(first + k, first + k + 1);
  return edges;
}

// The condition of these random matrices is below 1e4.
constexpr double rounding = 1e-10;

TEST(SparseSolve, AChainOfEveryLength) {
  std::vector<int> lengths{1, 2, 7, 95, 96, 97, 103, 104};
  if (test::in_full()) lengths.insert(lengths.end(), {511, 512, 513, 700});
  for (const int rods : lengths) {
    const Comparison c = against_dense({chain(rods)}, rods + 1);
    EXPECT_LT(c.newton, rounding) << rods;
    EXPECT_LT(c.symmetric, rounding) << rods;
    EXPECT_LT(c.sweep, 1e-6) << rods;
  }
}

// Such a chain is too long for a dense matrix, and its residual tells as much. A block has 1024 rows.
TEST(SparseSolve, AChainOfSeveralBlocks) {
  for (const int rods : {1023, 1024, 1025, 2300}) {
    std::mt19937 random(1);
    GroupedJacobian<double> G0(rows_of({chain(rods)}, rods + 1, 3));
    fill(G0, random, 1, 0);
    GroupedJacobian<double> G1 = G0;
    fill(G1, random, 0.05, 1);
    using Vec = Vector<double, dynamic>;
    const int n = 3 * (rods + 1);
    DiagonalMass<double, dynamic> W{Vec::Random(n).cwiseAbs() + Vec::Constant(n, 0.5)};
    const Vec b = Vec::Random(rods);
    const auto left_by = [&](const Vec& x, const GroupedJacobian<double>& G) -> Vec {  // b - G (0.7 W G₀ᵀ) x
      Vec along = Vec::Zero(n), out = Vec::Zero(rods);
      G0.subtract_transpose(x, along);
      G.times(Vec(0.7 * W.inverse.cwiseProduct(along)), out);
      return b + out;
    };
    SparseGram<double> gram(plan_sparse<double>(G0), G0, W);
    for (const auto& G : {G1, G0}) {
      gram.right(G0, 0.7);
      gram.assemble(G);
      ASSERT_EQ(gram.factor(), -1);
      Vec x = b;
      gram.solve(x);
      EXPECT_LT(left_by(x, G).norm(), rounding * b.norm()) << rods;
    }
    gram.right(G0, 0.7);
    gram.assemble(G0);
    Vec x = Vec::Zero(rods);
    for (int k = 0; k < 2000; ++k) {
      Vec r = left_by(x, G0);
      gram.sweep(r);
      x += r;
    }
    EXPECT_LT(left_by(x, G0).norm(), 1e-6 * b.norm()) << rods;
  }
}

TEST(SparseSolve, AChainWhoseRodsAreListedInAnyOrder) {
  Edges edges = chain(300);
  std::shuffle(edges.begin(), edges.end(), std::mt19937(5));
  const Comparison c = against_dense({edges}, 301);
  EXPECT_LT(c.newton, rounding);
  EXPECT_LT(c.symmetric, rounding);
}

TEST(SparseSolve, BatchesOfEqualComponents) {
  for (const int waters : {1, 2, 7, 8, 9, 40}) {
    std::vector<Edges> groups(3);
    for (int w = 0; w < waters; ++w) {
      groups[0].emplace_back(3 * w, 3 * w + 1);
      groups[1].emplace_back(3 * w, 3 * w + 2);
      groups[2].emplace_back(3 * w + 1, 3 * w + 2);
    }
    const Comparison c = against_dense(groups, 3 * waters);
    EXPECT_LT(std::max(c.newton, c.symmetric), rounding) << waters;
  }
}

TEST(SparseSolve, RingsNetsAndCages) {
  Edges ring = chain(40);
  ring.emplace_back(40, 0);
  EXPECT_LT(against_dense({ring}, 41).newton, rounding);
  Edges net;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      if (i < 11) net.emplace_back(12 * i + j, 12 * (i + 1) + j);
      if (j < 11) net.emplace_back(12 * i + j, 12 * i + j + 1);
    }
  EXPECT_LT(against_dense({net}, 144).newton, rounding);
  EXPECT_LT(against_dense({net}, 144).symmetric, rounding);
}

TEST(SparseSolve, RandomGraphsWithEverythingAtOnce) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 8; ++trial) {
    std::vector<Edges> groups(3);
    groups[0] = chain(150);
    for (int k = 0; k < 10; ++k) {
      groups[1].emplace_back(160 + 3 * k, 161 + 3 * k);
      groups[1].emplace_back(160 + 3 * k, 162 + 3 * k);
    }
    std::uniform_int_distribution<int> among(190, 249);
    for (int k = 0; k < 70; ++k) {
      const int i = among(random), j = among(random);
      const auto taken = [&](const Edges& list) {
        return std::count(list.begin(), list.end(), std::pair(std::min(i, j), std::max(i, j))) > 0;
      };
      if (i != j && !taken(groups[1]) && !taken(groups[2]))
        groups[k % 3 == 0 ? 1 : 2].emplace_back(std::min(i, j), std::max(i, j));
    }
    const Comparison c = against_dense(groups, 250);
    EXPECT_LT(c.newton, 1e-9) << trial;
    EXPECT_LT(c.symmetric, 1e-9) << trial;
  }
}

TEST(SparseSolve, OtherScalarsGiveTheSame) {
  const auto structure = rows_of({chain(120)}, 121, 2);
  std::mt19937 random(2);
  GroupedJacobian<double> G(structure);
  fill(G, random, 1, 0);
  GroupedJacobian<long double> G_long(structure);
  G_long.entries = G.entries.cast<long double>();
  SparseGram<double> gram(plan_sparse<double>(G), G, ScalarMass<double>{});
  SparseGram<long double> gram_long(plan_sparse<long double>(G_long), G_long, ScalarMass<long double>{});
  Vector<double, dynamic> b = Vector<double, dynamic>::Random(120);
  Vector<long double, dynamic> b_long = b.cast<long double>();
  const auto run = [](auto& K, auto& matrix, auto& x, auto one) {
    K.right(matrix, one);
    K.assemble(matrix);
    ASSERT_EQ(K.factor(), -1);
    K.solve(x);
  };
  run(gram, G, b, 1.0);
  run(gram_long, G_long, b_long, 1.0L);
  EXPECT_LT(static_cast<double>((b.cast<long double>() - b_long).norm() / b_long.norm()), rounding);
}

// A band whose rows are numbered at random fills no more than in its natural order, and a tree fills
// nothing at all.
TEST(SparseSolve, TheOrderOfEliminationFillsLittle) {
  constexpr int n = 600;
  std::vector<int> number(n);
  for (int k = 0; k < n; ++k) number[k] = k;
  std::shuffle(number.begin(), number.end(), std::mt19937(11));
  std::vector<std::vector<int>> band(n), tree(n);
  const auto join = [&](std::vector<std::vector<int>>& graph, int i, int j) {
    graph[number[i]].push_back(number[j]);
    graph[number[j]].push_back(number[i]);
  };
  for (int i = 0; i < n; ++i)
    for (int d = 1; d <= 4 && i + d < n; ++d) join(band, i, i + d);
  for (int i = 1; i < n; ++i) join(tree, i, (i - 1) / 3);
  const auto entries = [](const std::vector<std::vector<int>>& graph) {
    std::size_t count = 0;
    for (const auto& column : front_detail::factor_structure(graph, plan_fronts(graph).order))
      count += column.size();
    return count;
  };
  EXPECT_LE(entries(band), 4U * n);
  EXPECT_EQ(entries(tree), static_cast<std::size_t>(n - 1));
}

// A row is a multiple of another, in a chain, in a batch and alone: the constraint found is one of the two.
TEST(SparseSolve, ADependentConstraintIsNamed) {
  const auto failing = [](const std::vector<Edges>& groups, int particles, int row) {
    const auto structure = rows_of(groups, particles, 3);
    GroupedJacobian<double> G(structure);
    std::mt19937 random(3);
    fill(G, random, 1, 0);
    for (const RowGroup& g : G.groups())
      if (row >= g.first_row && row < g.first_row + g.rows)
        for (int e = 0; e < g.size; ++e) G.entries[g.first_entry + e * g.stride + row - g.first_row] = 0;
    SparseGram<double> gram(plan_sparse<double>(G), G, ScalarMass<double>{});
    gram.right(G, 1);
    gram.assemble(G);
    return gram.factor();
  };
  for (const int row : {0, 63, 64, 150, 199}) EXPECT_EQ(failing({chain(200)}, 201, row), row);
  Edges pairs;
  for (int k = 0; k < 20; ++k) pairs.emplace_back(2 * k, 2 * k + 1);
  EXPECT_EQ(failing({pairs}, 40, 13), 13);
  EXPECT_EQ(failing({chain(5)}, 6, 3), 3);
}

}  // namespace
