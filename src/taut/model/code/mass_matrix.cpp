#include <taut/model/code/mass_matrix.hpp>

#include <taut/contract/reading_time.hpp>

#include <algorithm>

namespace taut {

std::optional<std::pair<std::size_t, std::size_t>> not_symmetric(const Numbers& A, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Float128 a = A[i * n + j], b = A[j * n + i];
      if (magnitude(a - b) > epsilon<double>() * (magnitude(a) + magnitude(b))) return std::pair{j, i};
    }
  return std::nullopt;
}

std::optional<Numbers> inverse_of_positive(const Numbers& A, std::size_t n) {
  // In row i of L nothing stands before the first entry of A there that is not 0.
  std::vector<std::size_t> first(n);
  for (std::size_t i = 0; i < n; ++i)
    while (first[i] < i && A[i * n + first[i]] == 0) ++first[i];
  Numbers L(A.size(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = first[i]; j < i; ++j) {
      ReadingTime::spend(1 + j - std::min(j, std::max(first[i], first[j])));
      Float128 s = A[i * n + j];
      for (std::size_t k = std::max(first[i], first[j]); k < j; ++k) s -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = s / L[j * n + j];
    }
    Float128 d = A[i * n + i];
    for (std::size_t k = first[i]; k < i; ++k) d -= L[i * n + k] * L[i * n + k];
    // A pivot below the rounding of the doubles in which the matrix may be written says nothing.
    if (!(d > epsilon<double>() * magnitude(A[i * n + i]))) return std::nullopt;
    L[i * n + i] = sqrt(d);
  }
  Numbers X(A.size(), 0);
  for (std::size_t c = 0; c < n; ++c) {
    Numbers y(n, 0);
    for (std::size_t i = c; i < n; ++i) {
      ReadingTime::spend(1 + i - std::min(i, std::max(c, first[i])));
      Float128 s = i == c ? 1 : 0;
      for (std::size_t k = std::max(c, first[i]); k < i; ++k) s -= L[i * n + k] * y[k];
      y[i] = s / L[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      ReadingTime::spend(1 + i - first[i]);
      y[i] /= L[i * n + i];
      for (std::size_t k = first[i]; k < i; ++k) y[k] -= L[i * n + k] * y[i];
    }
    for (std::size_t i = 0; i < n; ++i) X[i * n + c] = y[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) X[i * n + j] = X[j * n + i] = (X[i * n + j] + X[j * n + i]) / 2;
  return X;
}

Numbers shortened(Numbers A, std::size_t n) {
  for (std::size_t k = 0; k < A.size(); ++k)
    if (k / n != k % n && A[k] != 0) return A;
  for (std::size_t i = 0; i < n; ++i) A[i] = A[i * n + i];
  A.resize(n);
  return A;
}

}  // namespace taut
