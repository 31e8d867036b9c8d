// Factors (S Gᵀ; G₁ 0), which is sparse although G₁S⁻¹Gᵀ is full: LU with exchanges of rows, in an order that
// fills little (Eigen's SparseLU, COLAMD).
#pragma once

#include <Eigen/SparseLU>

#include <algorithm>
#include <memory>
#include <vector>

namespace taut {

using SparseMatrix = Eigen::SparseMatrix<double>;
using SparseEntries = std::vector<Eigen::Triplet<double>>;

inline bool same_pattern(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

// The factor of a matrix; its pattern is analysed again only if it changes. Eigen's own factor cannot be
// moved.
template <class Factor>
class PatternKept {
 public:
  // Factors the matrix; returns false if that is impossible.
  bool compute(const SparseMatrix& matrix) {
    if (!same_pattern(matrix, last_)) factor_->analyzePattern(matrix);
    last_ = matrix;
    factor_->factorize(last_);
    return factor_->info() == Eigen::Success;
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const { return factor_->solve(b); }

 private:
  SparseMatrix last_;
  std::unique_ptr<Factor> factor_ = std::make_unique<Factor>();
};

class SaddleFactor {
 public:
  // Factors the system of the n × n matrix S; returns false if it is singular.
  template <class Jacobian>
  bool compute(const SparseMatrix& S, const Jacobian& G0, const Jacobian& G1, int constraints) {
    n_ = static_cast<int>(S.rows());
    entries_.clear();
    for (int j = 0; j < S.outerSize(); ++j)
      for (SparseMatrix::InnerIterator at(S, j); at; ++at)
        entries_.emplace_back(at.row(), at.col(), at.value());
    G0.for_each([&](int i, int j, double entry) { entries_.emplace_back(j, n_ + i, entry); });
    G1.for_each([&](int i, int j, double entry) { entries_.emplace_back(n_ + i, j, entry); });
    SparseMatrix whole(n_ + constraints, n_ + constraints);
    whole.setFromTriplets(entries_.begin(), entries_.end());
    right_ = Eigen::VectorXd::Zero(n_ + constraints);
    return lu_.compute(whole);
  }
  // Solves b ← (G₁ S⁻¹ G₀ᵀ)⁻¹ b.
  template <class Multiplier>
  void solve(Multiplier& b) const {
    right_.head(n_).setZero();
    right_.tail(b.size()) = -b;
    right_ = lu_.solve(right_);
    b = right_.tail(b.size());
  }

 private:
  int n_ = 0;
  SparseEntries entries_;
  PatternKept<Eigen::SparseLU<SparseMatrix>> lu_;
  mutable Eigen::VectorXd right_;
};

}  // namespace taut
