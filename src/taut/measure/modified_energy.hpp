// The modified Hamiltonian of a map on M, found from the map alone. By backward error analysis a symplectic
// method follows, up to exponentially small terms, the flow of a Hamiltonian H̃ near H, and H̃ stays where H
// oscillates. A method that is not symplectic has no H̃. Labels: docs/theory/modified-energy.md.
#pragma once

#include <taut/solve/failure.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace taut {

// Points of a path over [0, 1] with weights: Clenshaw and Curtis's quadrature, and the matrix that
// differentiates the polynomial through values at its nodes.
struct PathNodes {
  explicit PathNodes(int count) : s(count + 1), weight(count + 1), slope(count + 1, count + 1) {
    const int n = count;  // even
    for (int i = 0; i <= n; ++i) s[i] = (1 - std::cos(std::numbers::pi * i / n)) / 2;
    for (int i = 0; i <= n; ++i) {
      double sum = 1;
      for (int j = 1; j <= n / 2; ++j)
        sum -= (2 * j == n ? 1.0 : 2.0) / (4 * j * j - 1) * std::cos(2 * std::numbers::pi * j * i / n);
      weight[i] = sum * (i == 0 || i == n ? 1.0 : 2.0) / (2 * n);
    }
    const auto ends = [n](int i) { return (i == 0 || i == n ? 2.0 : 1.0) * (i % 2 == 0 ? 1 : -1); };
    for (int i = 0; i <= n; ++i) {
      double row = 0;
      for (int j = 0; j <= n; ++j)
        if (i != j) row += slope(i, j) = ends(i) / ends(j) / (s[i] - s[j]);
      slope(i, i) = -row;  // a constant has no slope
    }
  }
  Eigen::VectorXd s, weight;
  Eigen::MatrixXd slope;
};

// Returns the weight of x(t + jh) - x(t - jh) in h x'(t), of order 2k: (-1)^(j+1) k!² / (j (k-j)! (k+j)!).
inline double difference_weight(int k, int j) {
  double ratio = 1;  // k!² / ((k-j)! (k+j)!)
  for (int i = 1; i <= j; ++i) ratio *= static_cast<double>(k - j + i) / (k + i);
  return (j % 2 == 1 ? ratio : -ratio) / j;
}

// Returns the increments of H̃ from each state to the next, along paths on M beside the trajectory. They
// vanish, up to O(h^2k), if the map is symplectic on M and the states lie on one trajectory of it.
//     steps(y)  returns y and the states after 1, …, 2k steps of size h, as columns (q, p)
//     onto(y)   brings y onto M
template <class Steps, class Onto>
Expected<std::vector<double>> modified_energy_increments(const std::vector<Eigen::VectorXd>& states, int k,
                                                         double h, Steps&& steps, Onto&& onto) {
  static const PathNodes path(16);
  const Eigen::Index nodes = path.s.size();
  std::vector<double> increments;
  for (std::size_t a = 0; a + 1 < states.size(); ++a) {
    const Eigen::Index n = states[a].size() / 2;
    Eigen::MatrixXd z(2 * n, nodes), field(2 * n, nodes);
    for (Eigen::Index i = 0; i < nodes; ++i) {
      const Expected<Eigen::VectorXd> y =
          onto(Eigen::VectorXd((1 - path.s[i]) * states[a] + path.s[i] * states[a + 1]));
      if (!y) return y.error();
      const Expected<Eigen::MatrixXd> after = steps(*y);
      if (!after) return after.error();
      z.col(i) = after->col(k);
      field.col(i).setZero();
      for (int j = 1; j <= k; ++j)
        field.col(i) += difference_weight(k, j) / h * (after->col(k + j) - after->col(k - j));  // (ME1)
    }
    const Eigen::MatrixXd along = z.lazyProduct(path.slope.transpose());
    double sum = 0;
    for (Eigen::Index i = 0; i < nodes; ++i)
      sum += path.weight[i] * (field.col(i).head(n).dot(along.col(i).tail(n)) -
                               field.col(i).tail(n).dot(along.col(i).head(n)));  // (ME2)
    increments.push_back(sum);
  }
  return increments;
}

// Returns max H̃ - min H̃ over the ends of the paths.                                                 (ME3)
inline double swing_of(const std::vector<double>& increments) {
  double now = 0, least = 0, most = 0;
  for (const double by : increments) {
    now += by;
    least = std::min(least, now);
    most = std::max(most, now);
  }
  return most - least;
}

}  // namespace taut
