// The rows of the catalogue that fit a problem, each with its name in the trace of what fails.
#pragma once

#include <taut/method/stepper.hpp>

#include <gtest/gtest.h>

#include <string>

namespace taut::test {

template <class P, class F>
void for_each_fitting_method(F&& f) {
  for_each_method([&](const auto& method) {
    if constexpr (std::decay_t<decltype(method)>::template fits<P>) {
      SCOPED_TRACE(std::string(facts_of(method).name));
      f(method);
    }
  });
}

}  // namespace taut::test
