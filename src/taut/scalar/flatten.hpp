// A function with everything it calls compiled into it, so that a step of a small problem stays in registers. Programs that make few steps of
// many methods (the tests, the catalogue of the command line) define TAUT_NO_FLATTEN and compile much sooner. With the checks of a sanitizer in it such a
// function takes minutes to compile.
#pragma once

#if !defined(TAUT_NO_FLATTEN) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define TAUT_NO_FLATTEN
#endif

#ifdef TAUT_NO_FLATTEN
#define TAUT_FLATTEN
#else
#define TAUT_FLATTEN [[gnu::flatten]]
#endif

// The same for loops over long lists, which pay for it in every program but those of a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAUT_KERNEL [[gnu::noinline]]
#else
#define TAUT_KERNEL [[gnu::noinline, gnu::flatten]]
#endif

namespace taut {

// For the same choice between a fast step and a short compilation elsewhere.
#ifdef TAUT_NO_FLATTEN
inline constexpr bool flattened = false;
#else
inline constexpr bool flattened = true;
#endif

}  // namespace taut
