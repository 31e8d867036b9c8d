// Elementary functions of + - * / and comparisons, for a double and for vectors of the compiler: at most 1
// ulp from the exact value, and the same bits for a scalar and a lane, for every compiler, -march and
// machine that computes by IEEE 754 (the sign and payload of a NaN aside). bench/elementary.cpp measures
// both.
#pragma once

#include <taut/scalar/elementary/arcs.hpp>
#include <taut/scalar/elementary/cube_root.hpp>
#include <taut/scalar/elementary/error_function.hpp>
#include <taut/scalar/elementary/exponential.hpp>
#include <taut/scalar/elementary/logarithm.hpp>
#include <taut/scalar/elementary/trigonometric.hpp>
