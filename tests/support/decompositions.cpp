#define TAUT_COMPILE_DECOMPOSITIONS
#include "support/decompositions.hpp"
