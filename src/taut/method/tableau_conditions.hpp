// The conditions on a tableau under which Jay's theorems hold, each by the name it has in the paper. Labels: docs/theory/tableau.md.
#pragma once

#include <taut/method/tableau.hpp>

#include <Eigen/LU>

#include <optional>
#include <string>

namespace taut {

// Digits that survive forming the conditions in 128-bit arithmetic, for tableaus given to at least 15 digits.
inline constexpr double tableau_tolerance = 1e-13;

namespace tableau_conditions {

inline bool vanishes(Float128 x) { return magnitude(x) < Float128(tableau_tolerance); }

inline bool symplectic(const Tableau<Float128>& t) {  // (T3)
  for (int i = 0; i < t.stages(); ++i) {
    if (!vanishes(t.b[i] - t.b_hat[i])) return false;
    for (int j = 0; j < t.stages(); ++j)
      if (!vanishes(t.b[i] * t.A_hat(i, j) + t.b_hat[j] * t.A(j, i) - t.b[i] * t.b_hat[j])) return false;
  }
  return true;
}

// A₀: rows 2…s of A; Â₀: columns 1…s-1 of Â.                                                                    (T6)
inline Matrix<double, dynamic, dynamic> stage_product(const Tableau<Float128>& t) {
  const int s = t.stages();
  Matrix<double, dynamic, dynamic> product(s - 1, s - 1);
  for (int i = 1; i < s; ++i)
    for (int k = 0; k < s - 1; ++k) {
      Float128 sum = 0;
      for (int j = 0; j < s; ++j) sum += t.A(i, j) * t.A_hat(j, k);
      product(i - 1, k) = static_cast<double>(sum);
    }
  return product;
}

}  // namespace tableau_conditions

inline std::optional<std::string> violated_condition(const Tableau<Float128>& t) {
  using namespace tableau_conditions;
  const int s = t.stages();
  if (s < 2) return "a tableau of this kind has at least 2 stages";
  if (t.A.rows() != s || t.A.cols() != s || t.A_hat.rows() != s || t.A_hat.cols() != s ||
      t.b_hat.size() != s || t.c.size() != s)
    return "A and A^ must be s x s and b, b^, c of length s";
  for (int j = 0; j < s; ++j) {
    if (!vanishes(t.A_hat(j, s - 1)))
      return "(3.10) is violated: the last column of A^ must be zero";                       // (T4)
    if (!vanishes(t.A(0, j))) return "(3.12) is violated: the first row of A must be zero";  // (T5)
  }
  if (!symplectic(t))
    return "(2.3) is violated: b = b^ and b_i a^_ij + b^_j a_ji = b_i b^_j, so the method is not symplectic";
  if (vanishes(t.b[s - 1])) return "b_s must not be zero";
  const Eigen::FullPivLU<Matrix<double, dynamic, dynamic>> lu(stage_product(t));
  if (!lu.isInvertible()) return "A0 A^0 is not invertible, so the stages are not determined";
  return std::nullopt;
}

}  // namespace taut
