// Small symmetric matrices in 128 bits, row by row: tests whether a matrix is symmetric and positive
// definite, and inverts it.
#pragma once

#include <taut/scalar/number.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace taut {

using Numbers = std::vector<Float128>;

// Returns the first pair (i, j) that differs from (j, i) by more than the rounding of doubles; nothing if the
// matrix is symmetric.
std::optional<std::pair<int, int>> not_symmetric(const Numbers& A, int n);

// Returns A⁻¹ by Cholesky, symmetric to the last bit; nothing if A is not positive definite.
std::optional<Numbers> inverse_of_positive(const Numbers& A, int n);

bool is_diagonal(const Numbers& A, int n);

}  // namespace taut
