// K = G W Gᵀ with a diagonal W: its Cholesky factor inside an envelope, solves, log det K, and those entries
// of K⁻¹ that the gradient of log det K needs. The work is linear for chains. Labels:
// docs/theory/sampling.md.
#pragma once

#include <vector>

namespace taut {

// The places of the entries of G, row by row, and what follows from them; all factors of a target share it.
struct GramPattern {
  GramPattern(int rows, int columns, std::vector<int> row_begin, std::vector<int> columns_of_entries);

  // Two entries of one column: e1 and e2 stand in rows whose product is entry `to` of the envelope.
  struct Pair {
    int to, e1, e2, column, row1, row2;
  };
  int m = 0, n = 0;
  std::vector<int> begin, column;  // those of G
  std::vector<int> place;          // each row has this one in the order of the envelope
  std::vector<int> first, offset;  // entry (i, j) of the envelope, j ≥ first[i], has the index offset[i] + j
  std::vector<int> last;           // for column j of the envelope: the last row that reaches it
  std::vector<Pair> pairs;         // sorted by `to`
  int size = 0;                    // entries of the envelope
};

class Gram {
 public:
  explicit Gram(const GramPattern& pattern)
      : L_(static_cast<std::size_t>(pattern.size)), work_(static_cast<std::size_t>(pattern.m)) {}

  // Forms K and factors it. Returns false if a pivot vanishes: the constraints depend on each other.
  bool factor(const GramPattern& pattern, const double* G, const double* W);
  void solve(const GramPattern& pattern, double* x) const;  // x ← K⁻¹ x
  double log_det(const GramPattern& pattern) const;         // log det K
  // Y ← W GᵀK⁻¹ at the places of the entries of G, so that d(½ log det K) = Σ dG_e Y_e.                (SM5)
  void weights(const GramPattern& pattern, const double* G, const double* W, std::vector<double>& Z,
               double* Y) const;

 private:
  std::vector<double> L_;
  mutable std::vector<double> work_;
};

}  // namespace taut
