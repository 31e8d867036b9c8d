// Measures a residual, in its own units and in units of rounding, and asks whether all of it is finite.
#pragma once

#include <taut/scalar/number.hpp>
#include <taut/scalar/unroll.hpp>
#include <taut/solve/failure.hpp>

#include <Eigen/Core>

#include <type_traits>

namespace taut {

// A long vector of floats is searched in parts that do not wait for each other. How it is cut does not change
// a maximum.
template <class Residual>
inline constexpr bool is_long =
    Residual::SizeAtCompileTime == Eigen::Dynamic && std::is_floating_point_v<typename Residual::Scalar>;
inline constexpr Eigen::Index side_by_side = 8;

// Returns the maximum of value(i), each of which is 0 or more.
template <class T, class Value>
T largest_in_parts(Eigen::Index size, Value&& value) {
  Eigen::Index i = 0;
  if (size < side_by_side) {
    T largest(0);
    for (; i < size; ++i) largest = larger(largest, value(i));
    return largest;
  }
  T part[side_by_side] = {};
  for (; i + side_by_side <= size; i += side_by_side)
    for (Eigen::Index k = 0; k < side_by_side; ++k) part[k] = larger(part[k], value(i + k));
  for (; i < size; ++i) part[0] = larger(part[0], value(i));
  for (Eigen::Index k = 1; k < side_by_side; ++k) part[0] = larger(part[0], part[k]);
  return part[0];
}

// Returns the maximum of value(first), …, `count` of them, as the compiler knows. It goes by halves, because
// one after the other they would wait for each other.
template <class T, int first, int count, class Value>
constexpr T largest_by_halves(Value& value) {
  if constexpr (count == 1)
    return value(first);
  else
    return larger(largest_by_halves<T, first, count / 2>(value),
                  largest_by_halves<T, first + count / 2, count - count / 2>(value));
}
template <class Residual>
inline constexpr bool is_short = Residual::SizeAtCompileTime > 1 && Residual::SizeAtCompileTime <= 24;

template <class Residual>
auto largest_entry(const Residual& r) {
  using T = typename Residual::Scalar;
  if constexpr (is_long<Residual>) {
    return largest_in_parts<T>(r.size(), [&](Eigen::Index i) { return magnitude(r[i]); });
  } else {
    Real<T> largest(0);
    each_index(r, [&](int i) { largest = larger(largest, magnitude(r[i])); });
    return largest;
  }
}

// Returns the 2-norm.
template <class Residual>
auto two_norm(const Residual& r) {
  using T = typename Residual::Scalar;
  Real<T> sum(0);
  each_index(r, [&](int i) {
    const Real<T> entry = magnitude(r[i]);
    sum += entry * entry;
  });
  return Real<T>(sqrt(sum));
}

// Asks whether all entries are finite, by their sum: it keeps NaN and infinity, while a maximum may lose a
// NaN.
template <class Residual>
auto all_finite(const Residual& r) {
  using T = typename Residual::Scalar;
  if constexpr (is_long<Residual>) {
    Eigen::Index i = 0;
    if (r.size() < side_by_side) {
      T total(0);
      for (; i < r.size(); ++i) total += magnitude(r[i]);
      return finite(total);
    }
    T part[side_by_side] = {};
    for (; i + side_by_side <= r.size(); i += side_by_side)
      for (Eigen::Index k = 0; k < side_by_side; ++k) part[k] += magnitude(r[i + k]);
    for (; i < r.size(); ++i) part[0] += magnitude(r[i]);
    for (Eigen::Index k = 1; k < side_by_side; ++k) part[0] += part[k];
    return finite(part[0]);
  } else {
    Real<T> total(0);
    each_index(r, [&](int i) { total = i == 0 ? magnitude(r[i]) : Real<T>(total + magnitude(r[i])); });
    return finite(total);
  }
}

// Asks whether |rᵢ| <= tolerance for every i; a NaN gives false.
template <class Residual>
auto all_within(const Residual& r, double tolerance) {
  using T = typename Residual::Scalar;
  if constexpr (is_long<Residual>) {
    int outside = 0;
    for (Eigen::Index i = 0; i < r.size(); ++i) outside |= !(magnitude(r[i]) <= tolerance);
    return outside == 0;
  } else {
    Mask<T> inside(true);
    each_index(r, [&](int i) {
      const Mask<T> entry = magnitude(r[i]) <= Real<T>(tolerance);
      inside = i == 0 ? entry : Mask<T>(inside && entry);
    });
    return inside;
  }
}

template <class Sizes>
auto largest_size(const Sizes& sizes) {
  auto largest = typename Sizes::Scalar(0);
  if constexpr (is_short<Sizes>) {
    const auto size = [&](int i) { return sizes[i]; };
    largest = largest_by_halves<typename Sizes::Scalar, 0, Sizes::SizeAtCompileTime>(size);
  } else {
    each_index(sizes, [&](int i) { largest = larger(largest, sizes[i]); });
  }
  return largest;
}

// Raises the sizes from which rounding units are taken. A component that happens to vanish still feels the
// rounding of the others, so none counts for less than 1/1024 of the largest. (Stagnation is accepted at 1000
// units, which is then a bound by the largest component.)
template <class Sizes>
void raise_vanishing(Sizes& sizes, typename Sizes::Scalar largest) {
  largest *= typename Sizes::Scalar(0x1p-10);
  each_index(sizes, [&](int i) { sizes[i] = larger(sizes[i], largest); });
}
template <class Sizes>
void raise_vanishing(Sizes& sizes) {
  raise_vanishing(sizes, largest_size(sizes));
}

// Returns max |rᵢ|/unitᵢ, which compares residuals of different kinds in units of rounding. `per_unit` holds
// the 1/unitᵢ, all finite.
template <class Residual, class Units>
auto largest_in_units(const Residual& r, const Units& per_unit) {
  using T = typename Residual::Scalar;
  const auto in_units = [&](Eigen::Index i) { return Real<T>(magnitude(r[i]) * per_unit[i]); };
  if constexpr (is_long<Residual>) {
    return largest_in_parts<T>(r.size(), in_units);
  } else if constexpr (is_short<Residual>) {
    return largest_by_halves<Real<T>, 0, Residual::SizeAtCompileTime>(in_units);
  } else {
    Real<T> largest(0);
    each_index(r, [&](int i) { largest = larger(largest, in_units(i)); });
    return largest;
  }
}

// Takes the residual by value and stays out of line: a failure is rare, and a residual whose address is taken
// could not live in registers.
template <class Residual, class M>
[[gnu::cold, gnu::noinline]] Failure describe(FailureKind kind, Residual r, int iterations, M bad) {
  Failure f{.kind = kind, .iterations = iterations};
  using T = typename Residual::Scalar;
  while (f.lane < ScalarTraits<T>::lanes - 1 && !lane(bad, f.lane)) ++f.lane;
  f.residual = -1;
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    const double size = lane(magnitude(r[i]), f.lane);
    if (size <= f.residual) continue;  // a NaN gets through, and stays
    f.residual = size;
    f.constraint = static_cast<int>(i);
    if (!(size == size)) break;
  }
  return f;
}

}  // namespace taut
