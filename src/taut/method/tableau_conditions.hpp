// The conditions on a tableau under which Jay's theorems hold, each by the name it has in the paper. Labels:
// docs/theory/tableau.md.
#pragma once

#include <taut/method/made/number_list.hpp>
#include <taut/method/tableau.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace taut {

// The tolerance follows from the digits that survive forming the conditions in 128-bit arithmetic, for
// tableaus given to at least 15 digits.
inline constexpr double tableau_tolerance = 1e-13;

namespace tableau_conditions {

inline bool vanishes(Float128 x) { return magnitude(x) < Float128(tableau_tolerance); }

// Returns the largest of the left-hand sides minus the right-hand sides of (2.3).                        (T3)
inline Float128 symplectic_defect(const Tableau<Float128>& t) {
  Float128 worst = 0;
  for (int i = 0; i < t.stages(); ++i) {
    worst = larger(worst, magnitude(t.b[i] - t.b_hat[i]));
    for (int j = 0; j < t.stages(); ++j)
      worst = larger(worst, magnitude(t.b[i] * t.A_hat(i, j) + t.b_hat[j] * t.A(j, i) - t.b[i] * t.b_hat[j]));
  }
  return worst;
}
inline bool symplectic(const Tableau<Float128>& t) { return vanishes(symplectic_defect(t)); }

// Forms A₀Â₀, with A₀ the rows 2…s of A and Â₀ the columns 1…s-1 of Â.                               (T6)
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

inline Float128 power(Float128 x, int k) {
  Float128 value = 1;
  for (int i = 0; i < k; ++i) value *= x;
  return value;
}

// Asks whether the simplifying assumption of degree k holds: B, C, D and CĈ of docs/theory/tableau.md.
inline bool B_holds(const Tableau<Float128>& t, int k) {
  Float128 sum = 0;
  for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * power(t.c[i], k - 1);
  return vanishes(sum - Float128(1) / k);
}
inline bool C_holds(const Tableau<Float128>& t, int k) {
  for (int i = 0; i < t.stages(); ++i) {
    Float128 sum = 0;
    for (int j = 0; j < t.stages(); ++j) sum += t.A(i, j) * power(t.c[j], k - 1);
    if (!vanishes(sum - power(t.c[i], k) / k)) return false;
  }
  return true;
}
inline bool D_holds(const Tableau<Float128>& t, int k) {
  for (int j = 0; j < t.stages(); ++j) {
    Float128 sum = 0;
    for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * power(t.c[i], k - 1) * t.A(i, j);
    if (!vanishes(sum - t.b[j] * (1 - power(t.c[j], k)) / k)) return false;
  }
  return true;
}

inline bool CC_holds(const Tableau<Float128>& t, int k) {
  if (k < 2) return true;  // it begins with k = 2
  for (int i = 0; i < t.stages(); ++i) {
    Float128 sum = 0;
    for (int j = 0; j < t.stages(); ++j)
      for (int l = 0; l < t.stages(); ++l) sum += t.A(i, j) * t.A_hat(j, l) * power(t.c[l], k - 2);
    if (!vanishes(sum - power(t.c[i], k) / (k * (k - 1)))) return false;
  }
  return true;
}

// Returns the largest p such that `holds` is true for 1 … p.
template <class Holds>
int degree(const Tableau<Float128>& t, Holds&& holds) {
  int p = 0;
  while (p < 2 * t.stages() && holds(t, p + 1)) ++p;
  return p;
}

}  // namespace tableau_conditions

// Returns the order that B(p), C(q), D(r), CĈ(Q) of a symplectic pair guarantee (Jay, Theorems 4.1 and 4.2,
// (4.2')): 2s-2 for Lobatto, 0 if they guarantee nothing. The true order may be higher by accident. (4.2')
// vouches for this order in q; that p has it too, and not 2Q-1 only, is due to the symplecticity:
// docs/theory/tableau.md.
inline int order_of(const Tableau<Float128>& t) {
  using namespace tableau_conditions;
  const int p = degree(t, B_holds), q = degree(t, C_holds), r = degree(t, D_holds), Q = degree(t, CC_holds);
  return std::max(0, std::min({p, 2 * q + 2, 2 * r + 2, q + r + 1, 2 * Q, Q + q}));  // (T7)
}

// Asks whether the method is the same when read backwards: b_{s+1-i} = bᵢ, a_{s+1-i,s+1-j} = bⱼ - aᵢⱼ, for Â
// too.
inline bool is_symmetric(const Tableau<Float128>& t) {
  using tableau_conditions::vanishes;
  const int last = t.stages() - 1;
  for (int i = 0; i <= last; ++i)
    for (int j = 0; j <= last; ++j)
      if (!vanishes(t.b[last - j] - t.b[j]) || !vanishes(t.A(last - i, last - j) + t.A(i, j) - t.b[j]) ||
          !vanishes(t.A_hat(last - i, last - j) + t.A_hat(i, j) - t.b_hat[j]))
        return false;
  return true;
}

// One condition on a tableau, for people: its name in the paper, what it asks, and by how much it is missed.
struct TableauCondition {
  std::string name, asks;
  bool needed = true;  // a tableau that violates it is refused
  bool holds = true;
  double defect = 0;
};

// Lists the conditions under which Jay's theorems hold. All sizes are right.
std::vector<TableauCondition> conditions_of(const Tableau<Float128>& t);

inline std::optional<std::string> violated_condition(const Tableau<Float128>& t) {
  const int s = t.stages();
  if (s < 2) return "a tableau of this kind has at least 2 stages";
  if (t.A.rows() != s || t.A.cols() != s || t.A_hat.rows() != s || t.A_hat.cols() != s ||
      t.b_hat.size() != s || t.c.size() != s)
    return "A and A^ must be s x s and b, b^, c of length s";
  using namespace tableau_conditions;
  Float128 sum = -1, last_column = 0, first_row = 0;
  for (int j = 0; j < s; ++j) {
    sum += t.b[j];
    last_column = larger(last_column, magnitude(t.A_hat(j, s - 1)));
    first_row = larger(first_row, magnitude(t.A(0, j)));
  }
  const auto missed = [](const char* what, Float128 by) {
    return std::string(what) + "; it is missed by " + few_digits(magnitude(by));
  };
  if (!vanishes(sum)) return missed("B(1) is violated: the weights b must sum to 1", sum);
  if (!vanishes(last_column))
    return missed("(3.10) is violated: the last column of A^ must be zero", last_column);  // (T4)
  if (!vanishes(first_row))
    return missed("(3.12) is violated: the first row of A must be zero", first_row);  // (T5)
  if (const Float128 defect = symplectic_defect(t); !vanishes(defect))
    return missed(
        "(2.3) is violated: b = b^ and b_i a^_ij + b^_j a_ji = b_i b^_j, so the method is not symplectic",
        defect);
  if (vanishes(t.b[s - 1])) return "b_s must not be zero";
  PivotedLU<double, dynamic> lu(s - 1);
  lu.a = stage_product(t);
  if (lu.factor() >= 0)
    return "(3.14) is violated: A0 A^0 must be invertible, so that the stages are determined";
  return std::nullopt;
}

}  // namespace taut
