#include "support/steppers.hpp"

TAUT_TEST_STEPPERS(, taut::StiffPendulum<taut::Float128>)
