// Small symmetric matrices in 128 bits, row by row: tests whether a matrix is symmetric and positive
// definite, and inverts it.
#pragma once

#include <taut/scalar/number.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace taut {

using Numbers = std::vector<Float128>;

// Returns the first pair (i, j) that differs from (j, i) by more than the rounding of doubles; nothing if the
// matrix is symmetric.
std::optional<std::pair<std::size_t, std::size_t>> not_symmetric(const Numbers& A, std::size_t n);

// Returns A⁻¹ by Cholesky, symmetric to the last bit; nothing if A is not positive definite.
std::optional<Numbers> inverse_of_positive(const Numbers& A, std::size_t n);

// Returns the diagonal alone if nothing else is there, otherwise the matrix as it is. A matrix of order n in
// this form has n entries or n²: a system of many coordinates with one mass for each keeps n numbers.
Numbers shortened(Numbers A, std::size_t n);

}  // namespace taut
