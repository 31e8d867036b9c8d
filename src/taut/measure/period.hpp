// The period of a motion, from the times at which a quantity rises through zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace taut {

// Returns the value at t of the polynomial through the points, by Neville's scheme.
inline double interpolated(std::span<const double> time, std::span<const double> value, double t) {
  std::vector<double> p(value.begin(), value.end());
  for (std::size_t width = 1; width < p.size(); ++width)
    for (std::size_t i = 0; i + width < p.size(); ++i)
      p[i] = ((t - time[i + width]) * p[i] - (t - time[i]) * p[i + 1]) / (time[i] - time[i + width]);
  return p.front();
}

// Returns the times, each from the polynomial of degree 7 through the eight samples around it, so that a
// hundred samples a period give some twelve digits.
inline std::vector<double> upward_crossings(std::span<const double> time, std::span<const double> value) {
  constexpr std::size_t points = 8;
  std::vector<double> found;
  if (value.size() < points) return found;
  for (std::size_t k = 0; k + 1 < value.size(); ++k) {
    if (!(value[k] < 0 && value[k + 1] >= 0)) continue;
    const std::size_t first = std::min(k < points / 2 ? 0 : k + 1 - points / 2, value.size() - points);
    const auto near_time = time.subspan(first, points), near_value = value.subspan(first, points);
    double low = time[k], high = time[k + 1];
    while (true) {
      const double middle = low + (high - low) / 2;
      if (middle == low || middle == high) break;
      (interpolated(near_time, near_value, middle) < 0 ? low : high) = middle;
    }
    found.push_back(high);
  }
  return found;
}

// Returns the mean time between them; nothing if there are fewer than two.
inline std::optional<double> mean_period(std::span<const double> time, std::span<const double> value) {
  const std::vector<double> crossings = upward_crossings(time, value);
  if (crossings.size() < 2) return std::nullopt;
  return (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
}

}  // namespace taut
