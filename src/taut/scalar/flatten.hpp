// TAUT_FLATTEN compiles everything that a function calls into it, so that a step of a small problem stays
// in registers. Programs that make few steps of many methods (the tests, the catalogue of the command line)
// define TAUT_NO_FLATTEN and compile much sooner. With the checks of a sanitizer in it, such a function
// would take minutes to compile.
#pragma once

#if !defined(TAUT_NO_FLATTEN) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define TAUT_NO_FLATTEN
#endif

#ifdef TAUT_NO_FLATTEN
#define TAUT_FLATTEN
#else
#define TAUT_FLATTEN [[gnu::flatten]]
#endif

// TAUT_STEPS is the name of an inline namespace. Whatever is compiled differently for the two choices lies
// in it, so that two units of one program that chose differently do not give one name to two functions. A
// unit that compiles one stop rule alone (TAUT_SOLVES_BY, solve/options.hpp) beside others names its own.
#ifndef TAUT_STEPS
#ifdef TAUT_NO_FLATTEN
#define TAUT_STEPS soon_compiled
#else
#define TAUT_STEPS flat
#endif
#endif

// TAUT_KERNEL flattens loops over long lists in the same way. They repay it in every program, except under
// a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAUT_KERNEL [[gnu::noinline]]
#else
#define TAUT_KERNEL [[gnu::noinline, gnu::flatten]]
#endif

namespace taut {
inline namespace TAUT_STEPS {

// Code elsewhere asks this when it makes the same choice between a fast step and a short compilation.
#ifdef TAUT_NO_FLATTEN
inline constexpr bool flattened = false;
#else
inline constexpr bool flattened = true;
#endif

}  // namespace TAUT_STEPS
}  // namespace taut
