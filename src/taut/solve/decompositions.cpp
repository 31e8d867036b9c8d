// This file goes first: what it compiles is not to be declared `extern` before.
#define TAUT_COMPILE_DECOMPOSITIONS
#include <taut/solve/decompositions.hpp>
