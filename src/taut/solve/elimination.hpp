// Decides when a pivot counts as zero, the same way for every factorisation.
#pragma once

#include <taut/scalar/number.hpp>

namespace taut {

// A pivot this much smaller than the diagonal entry it came from is rounding noise: the constraint depends on
// the ones eliminated before it. The argument is 1/pivot, which the factorisations keep; infinities and NaN
// count as vanished too.
template <class T>
Mask<T> pivot_vanished(const T& inverse_pivot, const T& diagonal) {
  return !(magnitude(base(inverse_pivot) * base(diagonal)) < Real<T>(1 / (100 * epsilon<T>())));
}

// Decides the same for two constraints, from the determinant of K and the product of its diagonal entries.
template <class T>
Mask<T> determinant_vanished(const T& determinant, const T& product) {
  return !(Real<T>(100 * epsilon<T>()) * magnitude(base(product)) < magnitude(base(determinant)));
}

// The bound that applies if dependent constraints are left out: rounding in a long elimination leaves more
// than the bound above allows.
inline constexpr double dependent_pivot = 1e-10;

// Returns 1/pivot, or 0 if the pivot is that much smaller than its diagonal entry: such a row gets no
// multiplier.
template <class T>
T inverse_or_zero(const T& inverse_pivot, const T& diagonal) {
  const Mask<T> keep = magnitude(base(inverse_pivot) * base(diagonal)) < Real<T>(1 / dependent_pivot);
  return select(keep, inverse_pivot, T(0));
}

}  // namespace taut
