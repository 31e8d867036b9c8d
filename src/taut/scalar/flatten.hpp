// A function with everything it calls compiled into it, so that a step of a small problem stays in registers. Programs that make few steps of
// many methods (the tests, the catalogue of the command line) define TAUT_NO_FLATTEN and compile much sooner.
#pragma once

#ifdef TAUT_NO_FLATTEN
#define TAUT_FLATTEN
#else
#define TAUT_FLATTEN [[gnu::flatten]]
#endif
