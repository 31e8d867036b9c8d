#define TAUT_COMPILE_DECOMPOSITIONS
#include <taut/solve/decompositions.hpp>
