// The rows of the catalogue that fit a problem, each with its name in the trace of a failure.
#pragma once

#include <gtest/gtest.h>

#include "support/steppers.hpp"

namespace taut::test {

template <class P, class F>
void for_each_fitting_method(F&& f) {
  for_each_method([&](const auto& method) {
    using Method = std::decay_t<decltype(method)>;
    if constexpr (Method::template fits<P>) {
      SCOPED_TRACE(label(facts_of(method)));
      f(method);
    }
  });
}

}  // namespace taut::test
