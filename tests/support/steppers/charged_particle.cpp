#include "support/steppers.hpp"

TAUT_TEST_STEPPERS_OF_CHARGED_PARTICLE()
