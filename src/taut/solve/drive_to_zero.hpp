// Drives one vector to zero, by the stop rule of the options and the forecast that the caller knows to hold.
#pragma once

#include <taut/solve/forecast.hpp>
#include <taut/solve/iterate.hpp>
#include <taut/solve/newton_by_curvature.hpp>
#include <taut/solve/options.hpp>
#include <taut/solve/residual_size.hpp>

namespace taut {

// A residual that is one vector r, filled by `form()`. `rounding_units(unit)` writes the |rᵢ| at which
// rounding takes over; `unit` then stores their reciprocals. If `rounding_units.known` is true, `unit`
// already holds them and the call is skipped. If `form` has a member last(), it is called after the last
// correction, when the new state is needed but its residual is not.
template <class R, class Units, class Form, class RoundingUnits>
struct VectorResidual {
  using T = typename R::Scalar;
  const R& r;
  Units& per_unit;
  Form& form;
  RoundingUnits& rounding_units;

  void evaluate() { form(); }
  void finish() {
    if constexpr (requires { form.last(); })
      form.last();
    else
      form();
  }
  void set_units() {
    if constexpr (requires { rounding_units.known; })
      if (rounding_units.known) return;
    rounding_units(per_unit);
    const Real<T> least(0x1p-1000);  // a unit if nothing moves at all
    each_index(per_unit, [&](int i) { per_unit[i] = Real<T>(1) / larger(per_unit[i], least); });
  }
  Real<T> in_units() const { return largest_in_units(r, per_unit); }
  Real<T> norm() const { return two_norm(r); }
  Mask<T> within(double tolerance) const { return all_within(r, tolerance); }
  Mask<T> sound() const { return all_finite(r); }
  Failure describe(FailureKind kind, int k, const Mask<T>& bad) const {
    return taut::describe(kind, r, k, bad);
  }
};

// Makes a forecast and follows it.
template <class T, class F, class R, class C>
Expected<int> iterate_by(int limit, R& residual, C& correct, const F& forecast) {
  return iterate<T>(limit, residual, correct, forecast);
}
template <class T, class First, class Second, class R, class C>
Expected<int> iterate_by(int limit, R& residual, C& correct, const EitherForecast<First, Second>& forecast) {
  if (!forecast.is_first) return iterate_from<T>(limit, residual, correct, [] { return Second(); });
  if constexpr (std::is_empty_v<First>)
    return iterate<T>(limit, residual, correct, First());
  else if constexpr (std::is_constructible_v<First, bool>)
    return iterate_from<T>(limit, residual, correct, [&] { return First(forecast.is_exact); });
  else
    return iterate_from<T>(limit, residual, correct, [] { return First(); });
}

// Drives one vector r to zero; the arguments are those of VectorResidual. The forecast counts if the rule is
// to solve to rounding.
template <class R, class Units, class Form, class RoundingUnits, class Correct,
          class F = SeenRate<typename R::Scalar>>
Expected<int> drive_to_zero(const ToRounding& options, const R& r, Units& unit, Form&& form,
                            RoundingUnits&& rounding_units, Correct&& correct, const F& forecast = F()) {
  VectorResidual residual{r, unit, form, rounding_units};
  return iterate_by<typename R::Scalar>(options.limit(), residual, correct, forecast);
}

template <class R, class Units, class Form, class RoundingUnits, class Correct,
          class F = SeenRate<typename R::Scalar>>
Expected<int> drive_to_zero(const ToTolerance& options, const R& r, Units& unit, Form&& form,
                            RoundingUnits&& rounding_units, Correct&& correct, F = F()) {
  using T = typename R::Scalar;
  VectorResidual residual{r, unit, form, rounding_units};
  return iterate<T>(options.limit(), residual, correct, StatedTolerance<T>(options.tolerance, options.stop));
}

inline namespace TAUT_STEPS {  // flatten.hpp

template <class R, class Units, class Form, class RoundingUnits, class Correct,
          class F = SeenRate<typename R::Scalar>>
Expected<int> drive_to_zero(const SolveOptions& options, const R& r, Units& unit, Form&& form,
                            RoundingUnits&& rounding_units, Correct&& correct, F forecast = F()) {
  return with_stop_rule(options, [&](const auto& rule) {
    return drive_to_zero(rule, r, unit, form, rounding_units, correct, forecast);
  });
}

}  // namespace TAUT_STEPS

}  // namespace taut
