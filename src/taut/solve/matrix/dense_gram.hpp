// K = G₁ W G₀ᵀ as a dense matrix: assembled, factored K = LU in place, solved. There is no pivoting: for
// steps that make sense K is a small perturbation of the symmetric positive definite G₀ W G₀ᵀ, and SIMD lanes
// could not pivot differently anyway.
#pragma once

#include <taut/solve/elimination.hpp>

#include <Eigen/Core>

#include <utility>

namespace taut {

template <class T, int m, int n>
class DenseGram {
 public:
  using Multiplier = Eigen::Matrix<T, m, 1>;
  using Response = Eigen::Matrix<T, n, m>;

  DenseGram(int constraints, int coordinates)
      : response_(Response::Zero(coordinates, constraints)),
        diagonal_(Multiplier::Zero(constraints)),
        k_(Eigen::Matrix<T, m, m>::Zero(constraints, constraints)) {}

  // Forms the right factor W G₀ᵀ, column by column: `fill(R)` writes it.
  template <class Fill>
  void right(Fill&& fill) {
    fill(response_);
  }

  template <class Jacobian>
  void assemble(const Jacobian& G1) {
    k_.setZero();
    G1.for_each([&](int i, int j, const T& entry) { k_.row(i) += entry * response_.row(j); });
    diagonal_ = k_.diagonal();
  }

  // Factors K. Returns -1, or the first constraint that depends on earlier ones. The diagonal keeps the
  // inverse pivots.
  int factor() {
    for (int k = 0; k < size(); ++k) {
      k_(k, k) = T(1) / k_(k, k);
      if (any(pivot_vanished(k_(k, k), diagonal_[k]))) return k;
      for (int i = k + 1; i < size(); ++i) {
        k_(i, k) *= k_(k, k);
        for (int j = k + 1; j < size(); ++j) k_(i, j) -= k_(i, k) * k_(k, j);
      }
    }
    return -1;
  }

  void solve(Multiplier& b) const {
    for (int i = 0; i < size(); ++i)
      for (int j = 0; j < i; ++j) b[i] -= k_(i, j) * b[j];
    for (int i = size() - 1; i >= 0; --i) {
      for (int j = i + 1; j < size(); ++j) b[i] -= k_(i, j) * b[j];
      b[i] *= k_(i, i);
    }
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored K: (D + L) b = b.
  int sweep(Multiplier& b) const {
    for (int i = 0; i < size(); ++i) {
      for (int j = 0; j < i; ++j) b[i] -= k_(i, j) * b[j];
      b[i] /= k_(i, i);
    }
    return -1;
  }

 private:
  int size() const { return static_cast<int>(k_.rows()); }
  Response response_;    // W G₀ᵀ
  Multiplier diagonal_;  // the diagonal of K before elimination
  Eigen::Matrix<T, m, m> k_;
};

}  // namespace taut
