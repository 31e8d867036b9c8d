// The rows of the catalogue that fit a problem, each with its name in the trace of what fails.
#pragma once

#include <taut/method/stepper.hpp>

#include <gtest/gtest.h>

namespace taut::test {

// Methods that solve for all stages (or past values) at once. They compile slowly, so theorems about every row come as two programs;
// a row of a type not named here belongs to the first.
template <class Method>
inline constexpr bool solves_for_stages = false;
template <int most>
inline constexpr bool solves_for_stages<Lobatto<most>> = true;
template <>
inline constexpr bool solves_for_stages<Projected<DiracGauss>> = true;
template <DaeFamily family, bool projected>
inline constexpr bool solves_for_stages<DaeRungeKutta<family, projected>> = true;
template <>
inline constexpr bool solves_for_stages<Bdf> = true;

enum class Rows { one_step_at_a_time, stages, all };

template <class P, Rows rows = Rows::all, class F>
void for_each_fitting_method(F&& f) {
  for_each_method([&](const auto& method) {
    using Method = std::decay_t<decltype(method)>;
    constexpr bool chosen = rows == Rows::all || (rows == Rows::stages) == solves_for_stages<Method>;
    if constexpr (chosen && Method::template fits<P>) {
      SCOPED_TRACE(label(facts_of(method)));
      f(method);
    }
  });
}

}  // namespace taut::test
