#include <taut/bytes/wide_text.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

// clang has no quadmath.h, so the functions of libquadmath that are used are declared here.
extern "C" {
__extension__ int quadmath_snprintf(char*, size_t, const char*, ...) noexcept;
__extension__ __float128 strtoflt128(const char*, char**) noexcept;
}

namespace taut {

namespace {

__extension__ using Quad = __float128;

std::string digits(long double x, int count) { return fmt::format("{:.{}g}", x, count); }
std::string digits(Quad x, int count) {
  char text[64];
  quadmath_snprintf(text, sizeof text, "%.*Qg", count, x);
  return text;
}
long double read_back(const std::string& text, long double) { return std::strtold(text.c_str(), nullptr); }
Quad read_back(const std::string& text, Quad) { return strtoflt128(text.c_str(), nullptr); }

// Tries so many digits and more, up to those that always suffice.
template <class T>
std::string shortest(T x, int fewest, int most) {
  for (int count = fewest; count < most; ++count)
    if (std::string text = digits(x, count); read_back(text, x) == x) return text;
  return digits(x, most);
}

}  // namespace

std::string text_of(const Wide& x, Precision precision) {
  if (precision == Precision::double_precision || !std::isfinite(x.high)) return fmt::format("{}", x.high);
  const Quad whole = Quad(x.high) + Quad(x.middle) + Quad(x.low);
  if (precision == Precision::quadruple) return shortest(whole, 33, 36);
  return shortest(static_cast<long double>(whole), 18, 21);
}

}  // namespace taut
