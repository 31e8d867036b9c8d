#include <taut/model/code/mass_matrix.hpp>

namespace taut {

std::optional<std::pair<int, int>> not_symmetric(const Numbers& A, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const Float128 a = A[i * n + j], b = A[j * n + i];
      if (magnitude(a - b) > epsilon<double>() * (magnitude(a) + magnitude(b))) return std::pair{j, i};
    }
  return std::nullopt;
}

std::optional<Numbers> inverse_of_positive(const Numbers& A, int n) {
  Numbers L(A.size(), 0);
  for (int j = 0; j < n; ++j) {
    Float128 d = A[j * n + j];
    for (int k = 0; k < j; ++k) d -= L[j * n + k] * L[j * n + k];
    // A pivot below the rounding of the doubles in which the matrix may be written says nothing.
    if (!(d > epsilon<double>() * magnitude(A[j * n + j]))) return std::nullopt;
    L[j * n + j] = sqrt(d);
    for (int i = j + 1; i < n; ++i) {
      Float128 s = A[i * n + j];
      for (int k = 0; k < j; ++k) s -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = s / L[j * n + j];
    }
  }
  Numbers X(A.size(), 0);
  for (int c = 0; c < n; ++c) {
    Numbers y(n, 0);
    for (int i = c; i < n; ++i) {
      Float128 s = i == c ? 1 : 0;
      for (int k = c; k < i; ++k) s -= L[i * n + k] * y[k];
      y[i] = s / L[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) y[i] -= L[k * n + i] * y[k];
      y[i] /= L[i * n + i];
    }
    for (int i = 0; i < n; ++i) X[i * n + c] = y[i];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) X[i * n + j] = X[j * n + i] = (X[i * n + j] + X[j * n + i]) / 2;
  return X;
}

bool is_diagonal(const Numbers& A, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && A[i * n + j] != 0) return false;
  return true;
}

}  // namespace taut
