#include <taut/model/code/mass_matrix.hpp>

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
  Numbers L(A.size(), 0);
  for (std::size_t j = 0; j < n; ++j) {
    Float128 d = A[j * n + j];
    for (std::size_t k = 0; k < j; ++k) d -= L[j * n + k] * L[j * n + k];
    // A pivot below the rounding of the doubles in which the matrix may be written says nothing.
    if (!(d > epsilon<double>() * magnitude(A[j * n + j]))) return std::nullopt;
    L[j * n + j] = sqrt(d);
    for (std::size_t i = j + 1; i < n; ++i) {
      Float128 s = A[i * n + j];
      for (std::size_t k = 0; k < j; ++k) s -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = s / L[j * n + j];
    }
  }
  Numbers X(A.size(), 0);
  for (std::size_t c = 0; c < n; ++c) {
    Numbers y(n, 0);
    for (std::size_t i = c; i < n; ++i) {
      Float128 s = i == c ? 1 : 0;
      for (std::size_t k = c; k < i; ++k) s -= L[i * n + k] * y[k];
      y[i] = s / L[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) y[i] -= L[k * n + i] * y[k];
      y[i] /= L[i * n + i];
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
