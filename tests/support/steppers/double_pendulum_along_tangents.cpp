#include "support/steppers.hpp"

TAUT_TEST_STEPPERS(, taut::test::DoublePendulumAlongTangents)
