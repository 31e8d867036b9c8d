// The loop of every constraint solve: evaluate a residual, correct, until it vanishes; and the rule that says when.
#pragma once

#include <taut/scalar/number.hpp>
#include <taut/solve/failure.hpp>

#include <Eigen/Core>

namespace taut {

enum class Iteration {
  full_newton,  // G(q₁) W G(q₀)ᵀ refreshed and factored in each iteration: quadratic
  symmetric,    // G(q₀) W G(q₀)ᵀ factored once per step: linear, rate O(h)
  sweep         // SHAKE's Gauss-Seidel sweep over the constraints: linear, the classical baseline
};

struct SolveOptions {
  Iteration iteration = Iteration::full_newton;
  double tolerance =
      0;  // on max |g| and max |G H_p|, in their own units; 0: until rounding stops the iteration
  int max_iterations = 0;  // 0: 50 for Newton's iterations, 20000 for sweeps

  int limit() const {
    if (max_iterations > 0) return max_iterations;
    return iteration == Iteration::sweep ? 20000 : 50;
  }
};

// Stagnation counts as convergence only this close to the rounding level; above it, it is a failure.
inline constexpr double stagnation_slack = 1000;

template <class Residual>
auto largest_entry(const Residual& r) {
  using T = typename Residual::Scalar;
  Real<T> largest(0);
  for (Eigen::Index i = 0; i < r.size(); ++i) largest = larger(largest, magnitude(r[i]));
  return largest;
}

// NaN and infinity survive a sum, while a maximum may lose a NaN.
template <class Residual>
auto all_finite(const Residual& r) {
  using T = typename Residual::Scalar;
  Real<T> total(0);
  for (Eigen::Index i = 0; i < r.size(); ++i) total += magnitude(r[i]);
  return finite(total);
}

// Sizes to take rounding units from: a component that happens to vanish still feels the rounding of the others, so none counts for
// less than 1/1024 of the largest. (Stagnation is accepted at 1000 units, which is then a bound by the largest component.)
template <class Sizes>
void raise_vanishing(Sizes& sizes) {
  auto largest = typename Sizes::Scalar(0);
  for (Eigen::Index i = 0; i < sizes.size(); ++i) largest = larger(largest, sizes[i]);
  largest *= typename Sizes::Scalar(0x1p-10);
  for (Eigen::Index i = 0; i < sizes.size(); ++i) sizes[i] = larger(sizes[i], largest);
}

// |rᵢ| <= unitᵢ for every i.
template <class Residual, class Units>
auto within(const Residual& r, const Units& unit) {
  using T = typename Residual::Scalar;
  Mask<T> inside(true);
  for (Eigen::Index i = 0; i < r.size(); ++i) inside = inside && magnitude(r[i]) <= unit[i];
  return inside;
}

// max |rᵢ|/unitᵢ over the entries above their unit, else 0: residuals of different kinds side by side, in units of rounding.
template <class Residual, class Units>
auto largest_excess(const Residual& r, const Units& unit) {
  using T = typename Residual::Scalar;
  Real<T> excess(0);
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    const Real<T> size = magnitude(r[i]);
    excess = larger(excess, select(Mask<T>(size <= unit[i]), Real<T>(0), Real<T>(size / unit[i])));
  }
  return excess;
}

template <class Residual, class M>
Failure describe(FailureKind kind, const Residual& r, int iterations, const M& bad) {
  Failure f{.kind = kind, .iterations = iterations};
  using T = typename Residual::Scalar;
  while (f.lane < ScalarTraits<T>::lanes - 1 && !lane(bad, f.lane)) ++f.lane;
  f.residual = -1;
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    const double size = lane(magnitude(r[i]), f.lane);
    if (size <= f.residual) continue;  // a NaN passes, and stays
    f.residual = size;
    f.constraint = static_cast<int>(i);
    if (!(size == size)) break;
  }
  return f;
}

// Drives the residual r to zero. `evaluate()` fills r, `rounding_units(unit)` says at what |rᵢ| rounding takes over (it
// is called once, after the first evaluation), `correct(active)` applies one correction to the lanes in `active` and
// returns -1, or the index of the constraint whose pivot vanished. Gives the number of corrections.
//
// A lane that has converged is left alone while others go on, so that it agrees with a scalar run to the last bit.
template <class Residual, class Units, class Evaluate, class RoundingUnits, class Correct>
Expected<int> drive_to_zero(const SolveOptions& options, const Residual& r, Units& unit, Evaluate&& evaluate,
                            RoundingUnits&& rounding_units, Correct&& correct) {
  using T = typename Residual::Scalar;
  const bool to_rounding = options.tolerance == 0;
  if (!to_rounding) unit.setConstant(Real<T>(options.tolerance));
  Mask<T> active(true);
  Real<T> previous(0);
  for (int k = 0;; ++k) {
    evaluate();
    if (k == 0 && to_rounding) rounding_units(unit);
    active = active && !within(r, unit);  // false for a NaN, so that only what is still active can be one
    if (to_rounding && any(active)) {
      const Real<T> excess = largest_excess(r, unit);
      if (k > 0) active = active && !(excess >= previous && excess <= Real<T>(stagnation_slack));
      previous = excess;
    }
    if (!any(active)) return k;
    if (const Mask<T> unsound = active && !all_finite(r); any(unsound))
      return describe(FailureKind::not_finite, r, k, unsound);
    if (k == options.limit()) return describe(FailureKind::not_converged, r, k, active);
    if (const int pivot = correct(active); pivot >= 0) {
      Failure f = describe(FailureKind::singular, r, k, active);
      f.constraint = pivot;
      return f;
    }
  }
}

}  // namespace taut
