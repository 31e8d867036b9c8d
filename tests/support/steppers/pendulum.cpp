#include "support/steppers.hpp"

TAUT_TEST_STEPPERS(, taut::PlanarPendulum<double>)
