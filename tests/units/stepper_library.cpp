// The library of steppers (support/steppers.hpp) has every type of method in the catalogue. If a method is
// missing there, it still works in the tests, but each of them compiles it again.

#include <gtest/gtest.h>

#include <set>

#include "support/steppers.hpp"

namespace {

using namespace taut;

// One address for each type, so that types can be put into a set.
template <class T>
const void* mark() {
  static const char here = 0;
  return &here;
}

std::set<const void*> listed() {
  std::set<const void*> marks;
#undef TAUT_TEST_STEPPER
#define TAUT_TEST_STEPPER(word, Method, P) marks.insert(mark<Method>());
  TAUT_TEST_STEPPERS(, none)
  return marks;
}

TEST(StepperLibrary, HasTheWholeCatalogue) {
  const std::set<const void*> library = listed();
  for_each_method([&](const auto& method) {
    using Method = std::remove_cvref_t<decltype(method)>;
    // Half-explicit methods are for comparison; half_explicit.cpp and stabilised_forms.cpp test them.
    if constexpr (std::is_same_v<Method, HalfExplicit> || std::is_same_v<Method, HalfExplicitRungeKutta>)
      return;
    // These are for models of formulas that say what they need; driven_and_damped.cpp tests them.
    if constexpr (std::is_same_v<Method, Nonholonomic> || std::is_same_v<Method, Conformal>) return;
    EXPECT_TRUE(library.contains(mark<Method>()))
        << label(facts_of(method)) << " is not in support/steppers.hpp";
  });
  EXPECT_FALSE(library.contains(mark<int>()));
}

}  // namespace
