// When a pivot counts as zero, the same for every factorisation.
#pragma once

#include <taut/scalar/number.hpp>

namespace taut {

// A pivot this much smaller than the diagonal entry it came from is rounding noise: the constraint depends on the ones
// eliminated before it. Given is 1/pivot, which the factorisations keep; infinities and NaN count as vanished too.
template <class T>
Mask<T> pivot_vanished(const T& inverse_pivot, const T& diagonal) {
  return !(magnitude(base(inverse_pivot) * base(diagonal)) < Real<T>(1 / (100 * epsilon<T>())));
}

// The same of two constraints, from the determinant of K and the product of its diagonal entries.
template <class T>
Mask<T> determinant_vanished(const T& determinant, const T& product) {
  return !(Real<T>(100 * epsilon<T>()) * magnitude(base(product)) < magnitude(base(determinant)));
}

}  // namespace taut
