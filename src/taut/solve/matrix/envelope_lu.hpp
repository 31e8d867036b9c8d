// LU of a matrix whose pattern is symmetric, in envelope storage: row i keeps the columns from its first
// possibly non-zero one to the diagonal and, since the pattern is symmetric, the rows above the diagonal in
// column i. Elimination fills nothing outside the envelope; for a chain it is the tridiagonal band.
#pragma once

#include <taut/solve/elimination.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <utility>
#include <vector>

namespace taut {

template <class T>
class EnvelopeLU {
 public:
  using Vec = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  EnvelopeLU() = default;
  // first[i] is the first column of row i inside the envelope.
  explicit EnvelopeLU(std::vector<int> first) : first_(std::move(first)), row_(first_.size()) {
    int entries = 0;
    for (int i = 0; i < size(); ++i) {
      row_[i] = entries - first_[i];
      entries += i - first_[i] + 1;
    }
    lower.resize(entries);
    upper.resize(entries);
    reference.resize(first_.size());
  }

  // The entries are set anew before each factorisation: L(i, j) and, by columns, U(j, i) are number
  // place(i, j) of `lower` and `upper`, the diagonal is in `lower`. A pivot is compared with its reference.
  std::vector<T> lower, upper, reference;

  int size() const { return static_cast<int>(first_.size()); }
  int first(int i) const { return first_[i]; }
  int place(int i, int j) const { return row_[i] + j; }

  // Factors in Crout's order: row i of L and column i of U from all before. The diagonal of L keeps its
  // inverse, U has ones there. Returns -1, or the first row whose pivot vanished.
  int factor() {
    // The inverse of the last pivot stays at hand, because in a chain each pivot waits for the one before.
    T inverse(0);
    for (int i = 0; i < size(); ++i) {
      T* const l_i = lower.data() + row_[i];
      T* const u_i = upper.data() + row_[i];
      T d = l_i[i];
      for (int j = first_[i]; j < i; ++j) {
        const T* const l_j = lower.data() + row_[j];
        const T* const u_j = upper.data() + row_[j];
        T l = l_i[j], u = u_i[j];
        for (int k = std::max(first_[i], first_[j]); k < j; ++k) {
          l -= l_i[k] * u_j[k];
          u -= l_j[k] * u_i[k];
        }
        u *= j == i - 1 ? inverse : l_j[j];
        l_i[j] = l;
        u_i[j] = u;
        d -= l * u;
      }
      inverse = T(1) / d;
      l_i[i] = inverse;
      if (any(pivot_vanished(inverse, reference[i]))) return i;
    }
    return -1;
  }

  void solve(Vec& b) const {
    for (int i = 0; i < size(); ++i) {
      const T* const l_i = lower.data() + row_[i];
      T sum = b[i];
      for (int k = first_[i]; k < i; ++k) sum -= l_i[k] * b[k];
      b[i] = sum * l_i[i];
    }
    for (int i = size() - 1; i >= 0; --i) {
      const T* const u_i = upper.data() + row_[i];
      const T known = b[i];
      for (int k = first_[i]; k < i; ++k) b[k] -= u_i[k] * known;
    }
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored matrix: (D + L) b = b.
  void sweep(Vec& b) const {
    for (int i = 0; i < size(); ++i) {
      const T* const l_i = lower.data() + row_[i];
      for (int k = first_[i]; k < i; ++k) b[i] -= l_i[k] * b[k];
      b[i] /= l_i[i];
    }
  }

 private:
  std::vector<int> first_;  // first column of row i inside the envelope
  std::vector<int> row_;
};

}  // namespace taut
