#include "support/steppers.hpp"

TAUT_TEST_STEPPERS(, taut::PlanarPendulum<taut::Float128>)
