// Small dense systems of plain numbers, compiled once. They are for code that solves a few of them and has no
// other use for the headers of linear algebra.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

namespace taut {

struct DenseMatrix {
  int rows = 0, columns = 0;
  std::vector<double> entries;  // column by column

  DenseMatrix(int row_count, int column_count)
      : rows(row_count),
        columns(column_count),
        entries(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(column_count)) {}

  double* column(int j) {
    return entries.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(rows);
  }
  double& operator()(int i, int j) { return column(j)[i]; }
};

// Finds the x with the least |A x - b|. Gives nothing if a column of A follows from the others, up to
// `threshold` of the largest.
std::optional<std::vector<double>> least_squares(const DenseMatrix& A, const std::vector<double>& b,
                                                 double threshold);

// Returns the eigenvalues of a square A.
std::vector<std::complex<double>> eigenvalues(const DenseMatrix& A);

// Is a square A regular, up to rounding?
bool is_invertible(const DenseMatrix& A);

// Returns the rows of A, from 0, that depend on each other, if A has fewer independent rows than columns;
// otherwise none.
std::vector<int> dependent_rows_below_rank(const DenseMatrix& A);

}  // namespace taut
