// Says how an error grows, by a straight line through it with the uncertainty of its slope. In logarithms the
// slope is the exponent of a power law; over blocks it is the drift of a series whose neighbouring values are
// not independent.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace taut {

// Returns the 97.5 % point of Student's t: the first four terms of its expansion about the normal
// distribution, right to 1 % from three degrees of freedom on; for one and two degrees the tabulated values.
inline double student_975(int freedom) {
  if (freedom < 1) return std::numeric_limits<double>::infinity();
  if (freedom == 1) return 12.706;
  if (freedom == 2) return 4.303;
  const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, f = freedom;
  return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
         (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

struct LineFit {
  double slope = 0, intercept = 0;
  double slope_error = 0;  // one standard error
  int points = 0;

  // Returns half the width of the interval that holds the true slope with probability 95 %.
  double confidence() const { return student_975(points - 2) * slope_error; }
};

// Fits by least squares. The slope error is the one that the scatter about the line shows; two points show
// none.
inline LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean_x += x[i] / static_cast<double>(n);
    mean_y += y[i] / static_cast<double>(n);
  }
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  LineFit fit{.slope = xy / xx, .points = static_cast<int>(n)};
  fit.intercept = mean_y - fit.slope * mean_x;
  double scatter = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = y[i] - fit.intercept - fit.slope * x[i];
    scatter += r * r;
  }
  if (n > 2) fit.slope_error = std::sqrt(scatter / static_cast<double>(n - 2) / xx);
  return fit;
}

// Fits the exponent a of e ≈ c t^a. Points at which t or |e| is zero have no logarithm and are left out.
inline LineFit growth_exponent(std::span<const double> t, std::span<const double> error) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!(t[i] > 0) || !(std::abs(error[i]) > 0)) continue;
    x.push_back(std::log(t[i]));
    y.push_back(std::log(std::abs(error[i])));
  }
  return fit_line(x, y);
}

// Does the same for an error history at t = 1, 2, 3, …, by its root mean square between powers of two. The
// values of a history are many and correlated, those of octaves few and nearly independent, and the fit
// weighs each octave alike.
inline LineFit growth_of_history(std::span<const double> error) {
  std::vector<double> time, size;
  for (std::size_t begin = 1; 2 * begin <= error.size() + 1; begin *= 2) {
    double sum = 0;
    for (std::size_t n = begin; n < 2 * begin; ++n) sum += error[n - 1] * error[n - 1];
    time.push_back(static_cast<double>(begin));
    size.push_back(std::sqrt(sum / static_cast<double>(begin)));
  }
  return growth_exponent(time, size);
}

// Returns the drift of a series per entry. Averages over blocks much longer than the correlation time are
// nearly independent. Their scatter about the line therefore gives an honest error bar; the scatter of the
// entries would give one too small.
inline LineFit linear_trend(std::span<const double> series, int blocks = 20) {
  const std::size_t length = series.size() / static_cast<std::size_t>(blocks);
  std::vector<double> middle, mean;
  for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b) {
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += series[b * length + i];
    middle.push_back(static_cast<double>(b * length) + static_cast<double>(length - 1) / 2);
    mean.push_back(sum / static_cast<double>(length));
  }
  return fit_line(middle, mean);
}

}  // namespace taut
