// One register of the processor with its lanes, and the outcome of comparing two of them: what Pack is
// made of. With libstdc++ they are those of <experimental/simd>; elsewhere (libc++), or if
// TAUT_OWN_REGISTERS is defined, vectors of the compiler stand behind the same names.
#pragma once

#include <taut/scalar/elementary/lanes.hpp>

#include <cstddef>
#include <version>

// An operation on packs is an instruction or two. A compiler that has inlined much in a unit stops doing so,
// and calls go through memory: interpreted pendulums in lanes would take 1.8 times as long.
#define TAUT_INLINE [[gnu::always_inline]] inline

#if !defined(__GLIBCXX__) && !defined(TAUT_OWN_REGISTERS)
#define TAUT_OWN_REGISTERS
#endif

#ifdef TAUT_OWN_REGISTERS

#if defined(__AVX512F__)
#define TAUT_REGISTER_BYTES 64
#elif defined(__AVX__)
#define TAUT_REGISTER_BYTES 32
#else
#define TAUT_REGISTER_BYTES 16
#endif

namespace taut::registers {

inline constexpr int native_width = TAUT_REGISTER_BYTES / static_cast<int>(sizeof(double));

template <int width>
struct RegisterMask {
  using Lanes = elementary::Chosen<elementary::Vector<width>>;
  Lanes m;

  RegisterMask() = default;
  explicit RegisterMask(bool all) : m(Lanes{} == Lanes{}) {
    if (!all) m = elementary::opposite(m);
  }
  template <class M>
    requires(std::is_same_v<M, Lanes>)
  RegisterMask(M lanes) : m(lanes) {}  // NOLINT(google-explicit-constructor): the outcome of a comparison

  bool operator[](std::size_t i) const {
    if constexpr (width == 1)
      return m;
    else
      return m[i] != 0;
  }
  friend RegisterMask operator&&(const RegisterMask& a, const RegisterMask& b) { return Lanes(a.m & b.m); }
  friend RegisterMask operator||(const RegisterMask& a, const RegisterMask& b) { return Lanes(a.m | b.m); }
  friend RegisterMask operator!(const RegisterMask& a) { return elementary::opposite(a.m); }
};

template <int width>
struct Register {
  using Vector = elementary::Vector<width>;
  using Mask = RegisterMask<width>;
  Vector v;

  Register() = default;
  explicit Register(double x) : v(elementary::same<Vector>(x)) {}
  static Register of(Vector v) {
    Register x;
    x.v = v;
    return x;
  }

  double operator[](std::size_t i) const {
    if constexpr (width == 1)
      return v;
    else
      return v[i];
  }
  friend Register operator+(const Register& x, const Register& y) { return of(x.v + y.v); }
  friend Register operator-(const Register& x, const Register& y) { return of(x.v - y.v); }
  friend Register operator*(const Register& x, const Register& y) { return of(x.v * y.v); }
  friend Register operator/(const Register& x, const Register& y) { return of(x.v / y.v); }
  friend Register operator-(const Register& x) { return of(-x.v); }
  friend Mask operator<=(const Register& x, const Register& y) { return x.v <= y.v; }
  friend Mask operator<(const Register& x, const Register& y) { return x.v < y.v; }
  friend Mask operator==(const Register& x, const Register& y) { return x.v == y.v; }
};

template <int width>
void load(Register<width>& x, const double* from) {
  __builtin_memcpy(&x.v, from, sizeof x.v);
}
template <int width>
void store(const Register<width>& x, double* to) {
  __builtin_memcpy(to, &x.v, sizeof x.v);
}
template <int width>
void set_lane(Register<width>& x, std::size_t i, double value) {
  if constexpr (width == 1)
    x.v = value;
  else
    x.v[i] = value;
}
template <int width>
void assign_where(const RegisterMask<width>& mask, Register<width>& x, const Register<width>& y) {
  x.v = elementary::choose(mask.m, y.v, x.v);
}
template <int width>
void add_where(const RegisterMask<width>& mask, Register<width>& x, const Register<width>& dx) {
  x.v = elementary::choose(mask.m, typename Register<width>::Vector(x.v + dx.v), x.v);
}
// Writes lane by lane, because the lanes outside the mask may belong to somebody else.
template <int width>
void store_where(const RegisterMask<width>& mask, const Register<width>& x, double* to) {
  for (std::size_t i = 0; i < width; ++i)
    if (mask[i]) to[i] = x[i];
}
template <int width>
Register<width> absolute_value(const Register<width>& x) {
  return Register<width>::of(elementary::absolute_value(x.v));
}
template <int width>
Register<width> square_root(const Register<width>& x) {
  return Register<width>::of(elementary::square_root(x.v));
}
template <int width>
Register<width> largest_of_two(const Register<width>& x, const Register<width>& y) {
  return Register<width>::of(elementary::choose(x.v < y.v, y.v, x.v));
}
template <int width>
double largest_lane(const Register<width>& x) {
  double largest = x[0];
  for (std::size_t i = 1; i < width; ++i) largest = largest < x[i] ? x[i] : largest;
  return largest;
}
template <int width>
bool any_lane(const RegisterMask<width>& mask) {
  return elementary::some(mask.m);
}
template <int width>
bool every_lane(const RegisterMask<width>& mask) {
  return !elementary::some(elementary::opposite(mask.m));
}

}  // namespace taut::registers

#else

#include <experimental/simd>

namespace taut::registers {

inline constexpr int native_width = static_cast<int>(std::experimental::native_simd<double>::size());

template <int width>
using Register = std::experimental::simd<double, std::experimental::simd_abi::deduce_t<double, width>>;
template <int width>
using RegisterMask = typename Register<width>::mask_type;

template <class R>
TAUT_INLINE void load(R& x, const double* from) {
  x.copy_from(from, std::experimental::element_aligned);
}
template <class R>
TAUT_INLINE void store(const R& x, double* to) {
  x.copy_to(to, std::experimental::element_aligned);
}
template <class R>
TAUT_INLINE void set_lane(R& x, std::size_t i, double value) {
  x[i] = value;
}
template <class M, class R>
TAUT_INLINE void assign_where(const M& mask, R& x, const R& y) {
  std::experimental::where(mask, x) = y;
}
// One masked addition.
template <class M, class R>
TAUT_INLINE void add_where(const M& mask, R& x, const R& dx) {
  std::experimental::where(mask, x) += dx;
}
template <class M, class R>
TAUT_INLINE void store_where(const M& mask, const R& x, double* to) {
  std::experimental::where(mask, x).copy_to(to, std::experimental::element_aligned);
}
// abs clears the sign bits of a register at once; libstdc++'s fabs goes lane by lane.
template <class R>
TAUT_INLINE R absolute_value(const R& x) {
  return std::experimental::abs(x);
}
// g++ 12 takes the undefined vector inside its own intrinsic for a variable of ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
template <class R>
TAUT_INLINE R square_root(const R& x) {
  return std::experimental::sqrt(x);
}
#pragma GCC diagnostic pop
template <class R>
TAUT_INLINE R largest_of_two(const R& x, const R& y) {
  return std::experimental::max(x, y);
}
template <class R>
double largest_lane(const R& x) {
  return std::experimental::hmax(x);
}
template <class M>
TAUT_INLINE bool any_lane(const M& mask) {
  return std::experimental::any_of(mask);
}
template <class M>
TAUT_INLINE bool every_lane(const M& mask) {
  return std::experimental::all_of(mask);
}

}  // namespace taut::registers

#endif
