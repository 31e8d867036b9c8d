// The functions of libquadmath that taut calls. On wasm32 a long double has the same 128 bits, so that those
// of the C library serve, except for the ones that musl computes in double precision: exp, log, pow and what
// is made of them.
#include <cfloat>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static_assert(LDBL_MANT_DIG == 113);

namespace {

using Long = long double;
constexpr Long ln2_high = 0.693147180559945309417232121458176568L;
constexpr Long ln2_low = 7.01e-37L;

// Returns exp(x) - 1 for |x| ≤ 0.01, by its series.
Long small_expm1(Long x) {
  Long sum = 0;
  for (int k = 18; k >= 1; --k) sum = x / k * (1 + sum);
  return sum;
}

// Returns exp(x) - 1: the series at x/2^k, and (1 + e)² - 1 = e(e + 2) k times.
Long expm1_of(Long x) {
  int halvings = 0;
  while (fabsl(x) > 0.01L) {
    x /= 2;
    ++halvings;
  }
  Long e = small_expm1(x);
  while (halvings-- > 0) e *= e + 2;
  return e;
}

Long exp_of(Long x) {
  if (x != x) return x;
  if (x > 11400) return HUGE_VALL;
  if (x < -11600) return 0;
  const Long k = nearbyintl(x / ln2_high);
  const Long r = (x - k * ln2_high) - k * ln2_low;
  return scalbnl(1 + expm1_of(r), static_cast<int>(k));
}

// Returns log(x): the double's logarithm, and two steps of Newton's iteration, which double the digits.
Long log_of(Long x) {
  if (x != x || x < 0) return NAN;
  if (x == 0) return -HUGE_VALL;
  if (x > LDBL_MAX) return x;
  int k = 0;
  Long m = frexpl(x, &k);
  if (m < 0.7071L) {
    m *= 2;
    --k;
  }
  // With m near 1 the series of log((1+s)/(1-s)) has few terms: m/exp(y) is within 1e-16 of it.
  const Long y = log(static_cast<double>(m));
  const Long ratio = m / exp_of(y);
  const Long s = (ratio - 1) / (ratio + 1);
  const Long rest = 2 * s * (1 + s * s / 3);
  return k * ln2_high + (k * ln2_low + (y + rest));
}

// erf by its series, erfc by its continued fraction, where each is short.
Long erf_series(Long x) {
  Long term = x, sum = x;
  for (int k = 1; k < 400 && fabsl(term) > 1e-40L * fabsl(sum); ++k) {
    term *= -x * x / k;
    sum += term / (2 * k + 1);
  }
  return 1.12837916709551257389615890312154517L * sum;
}
Long erfc_fraction(Long x) {  // x ≥ 2
  Long f = 0;
  for (int k = 400; k >= 1; --k) f = k / 2.0L / (x + f);
  return exp_of(-x * x) / (x + f) * 0.564189583547756286948079451560772586L;
}

bool is_whole(Long y) { return fabsl(y) >= 0x1p112L || truncl(y) == y; }
bool is_odd(Long y) { return is_whole(y) && fabsl(y) < 0x1p113L && fmodl(y, 2) != 0; }

Long whole_power(Long x, int n) {
  Long power = 1;
  for (; n > 0; n >>= 1, x *= x)
    if (n & 1) power *= x;
  return power;
}

Long pow_of(Long x, Long y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return NAN;
  if (is_whole(y) && fabsl(y) <= 64) {
    const Long power = whole_power(x, static_cast<int>(fabsl(y)));
    return y < 0 ? 1 / power : power;
  }
  if (x == 0) return y < 0 ? (is_odd(y) ? copysignl(HUGE_VALL, x) : HUGE_VALL) : (is_odd(y) ? x : 0);
  if (x < 0 && !is_whole(y)) return NAN;
  const Long power = exp_of(y * log_of(fabsl(x)));
  return x < 0 && is_odd(y) ? -power : power;
}

}  // namespace

extern "C" {
// The C library's own exp, log and pow of a long double have the digits of a double: these take their place.
Long expl(Long x) { return exp_of(x); }
Long logl(Long x) { return log_of(x); }
Long powl(Long x, Long y) { return pow_of(x, y); }
Long sinhl(Long x) {
  const Long e = expm1_of(fabsl(x) > 40 ? 0 : x);
  return fabsl(x) > 40 ? copysignl(exp_of(fabsl(x)) / 2, x) : (e + e / (e + 1)) / 2;
}
Long coshl(Long x) {
  const Long e = exp_of(fabsl(x));
  return (e + 1 / e) / 2;
}
Long tanhl(Long x) {
  if (fabsl(x) > 45) return copysignl(1, x);
  const Long e = expm1_of(2 * x);
  return e / (e + 2);
}
Long erfl(Long x) {
  if (x != x) return x;
  if (fabsl(x) < 3) return erf_series(x);
  return fabsl(x) > 9 ? copysignl(1, x) : copysignl(1 - erfc_fraction(fabsl(x)), x);
}
Long erfcl(Long x) {
  if (x != x) return x;
  if (x < 3) return x < -9 ? 2 : x < -3 ? 2 - erfc_fraction(-x) : 1 - erf_series(x);
  return x > 107 ? 0 : erfc_fraction(x);
}

#define QUAD(name)                                                 \
  __extension__ __float128 name##q(__float128 x) noexcept {        \
    return static_cast<__float128>(name##l(static_cast<Long>(x))); \
  }
QUAD(sqrt)
QUAD(sin)
QUAD(cos)
QUAD(tan)
QUAD(exp)
QUAD(log)
QUAD(asin)
QUAD(acos)
QUAD(atan)
QUAD(sinh)
QUAD(cosh)
QUAD(tanh)
QUAD(erf)
QUAD(erfc)
QUAD(cbrt)
#undef QUAD
__extension__ __float128 atan2q(__float128 y, __float128 x) noexcept {
  return static_cast<__float128>(atan2l(static_cast<Long>(y), static_cast<Long>(x)));
}
__extension__ __float128 powq(__float128 x, __float128 y) noexcept {
  return static_cast<__float128>(pow_of(static_cast<Long>(x), static_cast<Long>(y)));
}
__extension__ __float128 strtoflt128(const char* text, char** end) noexcept {
  return static_cast<__float128>(strtold(text, end));
}

// Formats are "%.NQg": the Q of libquadmath is the L of C.
int quadmath_snprintf(char* out, size_t size, const char* format, ...) noexcept {
  char of_c[16];
  snprintf(of_c, sizeof of_c, "%s", format);
  for (char& c : of_c)
    if (c == 'Q') c = 'L';
  va_list arguments;
  va_start(arguments, format);
  const Long x = static_cast<Long>(va_arg(arguments, __float128));
  va_end(arguments);
  return snprintf(out, size, of_c, x);
}
}
