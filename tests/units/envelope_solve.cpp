// The solves inside an envelope against dense ones: in an order of their own, and with a sparse mass matrix.

#include <taut/problem/jacobian.hpp>
#include <taut/problem/mass.hpp>
#include <taut/solve/matrix/envelope_gram.hpp>
#include <taut/solve/matrix/envelope_saddle.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <memory>
#include <random>
#include <vector>

namespace {

using namespace taut;
using Dense = Eigen::MatrixXd;

// The pattern of a row of windows: a constraint for each point, then one for each pair of neighbours.
struct Row {
  int points;
  int coordinates() const { return 2 * points; }
  SparseJacobian<double> jacobian() const {
    std::vector<int> begin{0}, column;
    const auto add = [&](int from, int to) {
      for (int j = from; j < to; ++j) column.push_back(j);
      begin.push_back(static_cast<int>(column.size()));
    };
    for (int i = 0; i < points; ++i) add(2 * i, 2 * i + 2);
    for (int i = 0; i + 1 < points; ++i) add(2 * i, 2 * i + 4);
    return {begin, column};
  }
  SparseMass<double> mass() const {
    Neighbours near(coordinates());
    std::vector<SparseMass<double>::Entry> entries;
    for (int j = 0; j < coordinates(); ++j) {
      entries.push_back({j, j, 1.0 + 0.01 * j});
      for (const int k : {j - 2, j + 2})
        if (k >= 0 && k < coordinates()) {
          entries.push_back({j, k, 1.0 / 6});
          near[j].push_back(k);
        }
    }
    return {narrow_order(near), entries};
  }
};

Dense dense(const SparseJacobian<double>& G, int columns) {
  Dense out = Dense::Zero(G.rows(), columns);
  G.for_each([&](int i, int j, double entry) { out(i, j) += entry; });
  return out;
}
Dense dense(const SparseMass<double>& M, int n) {
  Dense out = Dense::Zero(n, n);
  for (const auto& e : M.entries()) out(e.row, e.column) = e.value;
  return out;
}

struct Pair {
  SparseJacobian<double> G0, G1;
};
Pair random_pair(const Row& row) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> some(-1, 1);
  Pair made{row.jacobian(), row.jacobian()};
  for (std::size_t k = 0; k < made.G0.entries.size(); ++k) {
    made.G0.entries[k] = some(random);
    made.G1.entries[k] = made.G0.entries[k] + 0.05 * some(random);
  }
  return made;
}

// Returns what a solve of K x = b leaves, relative to what is added up in K x. K is badly conditioned,
// because its rows are random.
template <class Matrix>
double left_by(Matrix& matrix, const Dense& K) {
  const Eigen::VectorXd b = Eigen::VectorXd::Random(K.rows());
  Eigen::VectorXd x = b;
  EXPECT_EQ(matrix.factor(), -1);
  matrix.solve(x);
  return (K * x - b).norm() / (K.norm() * x.norm());
}

TEST(EnvelopeSolve, OfADiagonalMassInAnOrderOfItsOwn) {
  const Row row{40};
  const auto [G0, G1] = random_pair(row);
  const int n = row.coordinates();
  DiagonalMass<double, dynamic> W{Eigen::VectorXd::LinSpaced(n, 0.5, 2)};
  EnvelopeGram<double> gram(G0);
  gram.right(G0, W, 0.7);
  gram.assemble(G1);
  const Dense K = dense(G1, n) * 0.7 * W.inverse.asDiagonal() * dense(G0, n).transpose();
  EXPECT_LT(left_by(gram, K), 1e-14);
}

TEST(EnvelopeSolve, APlanServesEveryMatrixOfItsPattern) {
  const Row row{40};
  const auto [G0, G1] = random_pair(row);
  const auto plan = std::make_shared<const EnvelopePlan>(G0.begin, G0.column);
  EXPECT_FALSE(plan->order.empty());
  const Eigen::VectorXd b = Eigen::VectorXd::Random(G0.rows());
  const auto solved = [&, &G0 = G0, &G1 = G1](EnvelopeGram<double> gram) {
    gram.right(G0, ScalarMass<double>{}, 1);
    gram.assemble(G1);
    EXPECT_EQ(gram.factor(), -1);
    Eigen::VectorXd x = b;
    gram.solve(x);
    return x;
  };
  const Eigen::VectorXd own = solved(EnvelopeGram<double>(G0));
  EXPECT_EQ(solved(EnvelopeGram<double>(plan)), own);
  EXPECT_EQ(solved(EnvelopeGram<double>(plan)), own);
}

TEST(EnvelopeSolve, TheOrderMakesTheEnvelopeNarrow) {
  Neighbours of(79);
  for (int i = 0; i < 39; ++i) {  // coupler 40 + i shares points with cranks i and i + 1
    for (const int crank : {i, i + 1}) of[40 + i].push_back(crank), of[crank].push_back(40 + i);
    if (i > 0) of[40 + i].push_back(39 + i), of[39 + i].push_back(40 + i);
  }
  std::vector<int> same(79);
  for (int i = 0; i < 79; ++i) same[i] = i;
  const auto wide = work_in(envelope_of(of, same));
  const auto narrow = work_in(envelope_of(of, places_in(narrow_order(of))));
  EXPECT_GT(wide, 40 * 40 * 39);
  EXPECT_LT(narrow, 79 * 16);
}

TEST(EnvelopeSolve, OfASparseMass) {
  const Row row{40};
  const auto [G0, G1] = random_pair(row);
  const int n = row.coordinates();
  const SparseMass<double> M = row.mass();
  using Saddle = EnvelopeSaddle<double, SparseMass<double>>;
  EXPECT_TRUE(Saddle::pays(G0, M, n));
  Saddle saddle(G0, M, n);
  saddle.right(G0, -0.7);
  saddle.assemble(G1);
  const Dense K = dense(G1, n) * -0.7 * dense(M, n).inverse() * dense(G0, n).transpose();
  const Eigen::VectorXd b = Eigen::VectorXd::Random(K.rows());
  Eigen::VectorXd swept = b;
  saddle.sweep(swept);
  EXPECT_LT((Dense(K.triangularView<Eigen::Lower>()) * swept - b).norm(), 1e-12 * b.norm());
  EXPECT_LT(left_by(saddle, K), 1e-14);
}

TEST(EnvelopeSolve, ConstraintsThatDependOnEachOtherAreFound) {
  const Row row{20};
  auto [G0, G1] = random_pair(row);
  const int n = row.coordinates();
  const SparseMass<double> M = row.mass();
  // The rows of cranks 4 and 5 together are the row of the coupler between them, number 24.
  for (int k = 0; k < 4; ++k) G0.entries[G0.begin[24] + k] = G0.entries[G0.begin[4] + k];
  EnvelopeSaddle<double, SparseMass<double>> saddle(G0, M, n);
  saddle.right(G0, 1);
  saddle.assemble(G0);
  const auto is_one_of_them = [](int found) { return found == 4 || found == 5 || found == 24; };
  EXPECT_TRUE(is_one_of_them(saddle.factor()));
  EnvelopeGram<double> gram(G0);
  gram.right(G0, ScalarMass<double>{}, 1);
  gram.assemble(G0);
  EXPECT_TRUE(is_one_of_them(gram.factor()));
}

TEST(SparseMass, IsTheInverseOfItsMatrix) {
  const Row row{30};
  const SparseMass<double> M = row.mass();
  const int n = row.coordinates();
  const Eigen::VectorXd p = Eigen::VectorXd::Random(n);
  Eigen::VectorXd v(n), back(n), scaled(n);
  M.times(p, v);
  M.times(0.25, p, scaled);
  M.mass_times(v, back);
  EXPECT_LT((v - dense(M, n).ldlt().solve(p)).norm(), 1e-14 * v.norm());
  EXPECT_LT((scaled - 0.25 * v).norm(), 1e-15);
  EXPECT_LT((back - p).norm(), 1e-14 * p.norm());
}

}  // namespace
