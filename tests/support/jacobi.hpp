#pragma once

// Jacobi's elliptic functions of parameter m = k², 0 <= m < 1, by the arithmetic-geometric mean and the
// descending Landen transformation (Abramowitz & Stegun 16.4).

#include <cmath>
#include <vector>

namespace taut::test {

struct Jacobi {
  long double sn, cn, dn;
};

namespace jacobi_details {

// The sequences a_n, c_n from a₀ = 1, b₀ = √(1 - m); the last c vanishes to rounding.
struct Means {
  std::vector<long double> a{1}, c;
  explicit Means(long double m) : c{std::sqrt(m)} {
    long double b = std::sqrt(1 - m);
    while (c.back() > 1e-20L * a.back()) {
      const long double last = a.back();
      c.push_back((last - b) / 2);
      a.push_back((last + b) / 2);
      b = std::sqrt(last * b);
    }
  }
};

}  // namespace jacobi_details

inline long double quarter_period(long double m) {
  return std::acos(-1.0L) / (2 * jacobi_details::Means(m).a.back());
}

inline Jacobi jacobi(long double u, long double m) {
  const jacobi_details::Means means(m);
  std::size_t n = means.a.size() - 1;
  long double phi = std::ldexp(means.a[n] * u, static_cast<int>(n));
  for (; n > 0; --n) phi = (phi + std::asin(means.c[n] / means.a[n] * std::sin(phi))) / 2;
  const long double sn = std::sin(phi), cn = std::cos(phi);
  return {sn, cn, std::sqrt(1 - m * sn * sn)};
}

}  // namespace taut::test
