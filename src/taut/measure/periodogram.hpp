// Finds the frequencies in a series: the periodogram of any number of evenly spaced values.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace taut {

// hann tapers the ends of the series: a line between two frequencies then leaks into its neighbours and not
// into all others.
enum class Window { none, hann };

struct Periodogram {
  std::vector<double> frequency;  // k/(N Δt), k = 1 … N/2: cycles per unit of time
  std::vector<double> power;      // a²/2 if a sine of amplitude a falls on a frequency
};

namespace fourier {

using Complex = std::complex<double>;

// Transforms in place by radix two: a_k ← Σ a_j exp(-2πi jk/N), N a power of two.
inline void transform_power_of_two(std::vector<Complex>& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    // Each root is computed from its angle, because repeated products would lose digits in long series.
    std::vector<Complex> root(length / 2);
    for (std::size_t k = 0; k < root.size(); ++k)
      root[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
    for (std::size_t i = 0; i < n; i += length)
      for (std::size_t k = 0; k < length / 2; ++k) {
        const Complex u = a[i + k], v = a[i + k + length / 2] * root[k];
        a[i + k] = u + v;
        a[i + k + length / 2] = u - v;
      }
  }
}

inline void invert_power_of_two(std::vector<Complex>& a) {
  for (Complex& z : a) z = std::conj(z);
  transform_power_of_two(a);
  for (Complex& z : a) z = std::conj(z) / static_cast<double>(a.size());
}

// Transforms for any N: jk = (j² + k² - (k-j)²)/2 makes the sum a convolution, which powers of two can do
// (Bluestein 1970).
inline std::vector<Complex> transform(std::span<const double> series) {
  const std::size_t n = series.size();
  // This is exp(-πi k²/n); k² is taken mod 2n first, to keep the digits of the angle.
  const auto chirp = [n](std::size_t k) {
    return std::polar(1.0,
                      -std::numbers::pi * static_cast<double>((k * k) % (2 * n)) / static_cast<double>(n));
  };
  const std::size_t length = std::bit_ceil(2 * n);
  std::vector<Complex> a(length), b(length);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = series[k] * chirp(k);
    b[k] = std::conj(chirp(k));
    if (k > 0) b[length - k] = b[k];
  }
  transform_power_of_two(a);
  transform_power_of_two(b);
  for (std::size_t k = 0; k < length; ++k) a[k] *= b[k];
  invert_power_of_two(a);
  a.resize(n);
  for (std::size_t k = 0; k < n; ++k) a[k] *= chirp(k);
  return a;
}

}  // namespace fourier

// Returns the periodogram of the series less its mean. Without a window the powers add up to the variance of
// the series (Parseval).
inline Periodogram periodogram(std::span<const double> series, double spacing, Window window = Window::none) {
  const std::size_t n = series.size();
  Periodogram result;
  if (n < 2) return result;
  double mean = 0;
  for (const double y : series) mean += y / static_cast<double>(n);
  std::vector<double> tapered(n);
  double weight = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    const double w = window == Window::hann ? (1 - std::cos(angle)) / 2 : 1;
    tapered[i] = w * (series[i] - mean);
    weight += w;
  }
  const auto amplitude = fourier::transform(tapered);
  for (std::size_t k = 1; k <= n / 2; ++k) {
    const bool alone = 2 * k == n;  // the highest frequency has no partner -k
    result.frequency.push_back(static_cast<double>(k) / (static_cast<double>(n) * std::abs(spacing)));
    result.power.push_back((alone ? 1 : 2) * std::norm(amplitude[k]) / (weight * weight));
  }
  return result;
}

}  // namespace taut
