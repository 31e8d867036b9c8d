// A unit for a device begins with this, before any other header: what clang does not have for that target.
// Nothing here is evaluated there; the headers only have to be read.
#pragma once

// There are no 128-bit floats.
struct TautNoFloat128 {
  constexpr TautNoFloat128() = default;
  constexpr TautNoFloat128(double x) : x(x) {}     // NOLINT(google-explicit-constructor)
  constexpr operator double() const { return x; }  // NOLINT(google-explicit-constructor)
  double x = 0;
};
#define __float128 TautNoFloat128

// There is no storage of a thread's own behind a name, and no instruction that waits.
#define thread_local
#define __builtin_ia32_pause()

// A call needs a stack, so that functions which are kept out of loops for a processor are kept in them here.
#define noinline unused

#define TAUT_NO_FLATTEN
#define TAUT_OWN_REGISTERS
