// K = G(q) W G₀ᵀ, the matrix of Newton's iteration for a point whose normals are not those of q: its LU with
// pivoting inside a band. The work is linear for chains, and that of a dense elimination if the band is all.
#pragma once

#include <taut/sample/gram.hpp>

#include <cstddef>
#include <vector>

namespace taut {

class BandLu {
 public:
  explicit BandLu(const GramPattern& pattern);

  // The band has so many diagonals on either side of the main one.
  int width() const { return width_; }
  // Forms K and factors it. Returns false if it is singular.
  bool factor(const GramPattern& pattern, const double* G, const double* W, const double* G0);
  void solve(double* x);  // x ← K⁻¹ x

 private:
  // Exchanges of rows let the upper part grow to twice the width.
  int below(int k) const { return k + width_ < m_ ? k + width_ : m_ - 1; }
  int behind(int k) const { return k + 2 * width_ < m_ ? k + 2 * width_ : m_ - 1; }
  // Entry (i, j) has the number row(i) + j. If whole rows take no more room than the band, they are kept,
  // in the order of the model.
  int row(int i) const { return i * stride_ + shift_; }

  // The pairs of entries of G whose products make one entry of K, and its mirror image if it has another one.
  struct Sum {
    std::size_t begin, end;
    int to, mirrored;  // -1: on the diagonal
  };

  int m_ = 0, width_ = 0, stride_ = 0, shift_ = 0;
  std::vector<int> place_;  // each constraint has this row
  std::vector<double> entries_, work_;
  std::vector<int> pivot_;
  std::vector<Sum> sums_;
};

}  // namespace taut
