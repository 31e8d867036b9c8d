// Small symmetric matrices in 128 bits, row by row: is it one, is it positive definite, what is its inverse?
#pragma once

#include <taut/scalar/number.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace taut {

using Numbers = std::vector<Float128>;

// The first pair (i, j) that differs from (j, i) by more than the rounding of doubles; nothing for a symmetric matrix.
std::optional<std::pair<int, int>> not_symmetric(const Numbers& A, int n);

// A⁻¹ by Cholesky, symmetric to the last bit; nothing where A is not positive definite.
std::optional<Numbers> inverse_of_positive(const Numbers& A, int n);

bool is_diagonal(const Numbers& A, int n);

}  // namespace taut
