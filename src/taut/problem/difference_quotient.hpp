// Derivatives by differences, each with an estimate of its error.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace taut {

struct DifferenceQuotient {
  double value = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::infinity();  // an estimate
};

// Steps fall by a factor of four from 1/16 of the size that counts as large.
inline constexpr double difference_ratio = 4, first_difference = 0x1p-4;
inline constexpr int difference_steps = 13;

struct Difference {
  double value, rounding;  // the quotient of one step, and how far rounding may have put it off
};

// Extrapolates central differences with falling steps to the step 0 (Ridders 1982). Long steps suffer from
// curvature and short ones from rounding; the entry of the table is taken that agrees best with its
// neighbours, as far as rounding lets them agree. Differences that are not finite, as long steps may give,
// are left out.
inline DifferenceQuotient extrapolated(const std::vector<Difference>& differences) {
  DifferenceQuotient best;
  std::vector<double> row, above;
  for (const Difference& d : differences) {
    above.swap(row);
    row.clear();
    if (!std::isfinite(d.value)) continue;
    row.push_back(d.value);
    double power = 1;
    for (std::size_t j = 0; j < above.size(); ++j) {
      power *= difference_ratio * difference_ratio;
      row.push_back((row[j] * power - above[j]) / (power - 1));
      const double apart = std::max(std::abs(row[j + 1] - row[j]), std::abs(row[j + 1] - above[j]));
      if (apart + d.rounding <= best.error) best = {row[j + 1], apart + d.rounding};
    }
  }
  return best;
}

// The derivatives at 0 of the components of f(t). A change of t by `size` counts as large.
inline std::vector<DifferenceQuotient> difference_quotients(
    const std::function<std::vector<double>(double)>& f, double size) {
  std::vector<std::vector<Difference>> differences;  // one list for each component
  double step = first_difference * size;
  for (int k = 0; k < difference_steps; ++k, step /= difference_ratio) {
    const std::vector<double> after = f(step), before = f(-step);
    differences.resize(after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double quotient = (after[i] - before[i]) / (2 * step);
      // f may be a small difference of large terms; a term that t moves is about as large as its slope times
      // `size`.
      const double terms = std::max(std::abs(after[i]), std::abs(before[i])) + std::abs(quotient) * size;
      differences[i].push_back({quotient, std::numeric_limits<double>::epsilon() * terms / step});
    }
  }
  std::vector<DifferenceQuotient> found;
  for (const auto& list : differences) found.push_back(extrapolated(list));
  return found;
}

}  // namespace taut
