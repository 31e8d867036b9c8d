// Some tests have a short form, which ./test runs, and a long one, which .ci/long-tests asks for.
#pragma once

#include <cstdlib>

namespace taut::test {

inline bool in_full() { return std::getenv("TAUT_TESTS_IN_FULL") != nullptr; }

}  // namespace taut::test
