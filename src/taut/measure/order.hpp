// Measures the order of a method as the slope of log(error) against log(h).
#pragma once

#include <taut/measure/distance.hpp>
#include <taut/measure/growth.hpp>
#include <taut/measure/order_fit.hpp>
#include <taut/solve/failure.hpp>

#include <span>
#include <utility>
#include <vector>

namespace taut {

inline OrderFit fit_order(const std::vector<double>& h, std::vector<double> sizes) {
  const LineFit line = growth_exponent(h, sizes);
  const std::size_t k = h.size() - 1;
  const double last = std::log(sizes[k - 1] / sizes[k]) / std::log(h[k - 1] / h[k]);
  return {.order = line.slope, .last = last, .error = line.slope_error, .sizes = std::move(sizes)};
}

// Measures the order against a reference. `state_at_end(steps)` integrates from the start to one fixed time
// in that many steps and returns an Expected state. The numbers of steps increase; there are three or more.
// For high orders let it compute in long double or 128-bit floats.
template <class StateAtEnd, class X>
Expected<OrderFit> measured_order(StateAtEnd&& state_at_end, std::span<const int> steps, const X& reference) {
  std::vector<double> h, sizes;
  for (const int n : steps) {
    const auto end = state_at_end(n);
    if (!end) return end.error();
    h.push_back(1.0 / n);
    sizes.push_back(phase_distance(*end, reference));
  }
  return fit_order(h, std::move(sizes));
}

// Measures the order without a reference: the change to the next number of steps counts as the error of n
// steps. If the numbers grow by a constant factor, these differences fall like h^order too; one more number
// of steps is needed.
template <class StateAtEnd>
Expected<OrderFit> measured_order(StateAtEnd&& state_at_end, std::span<const int> steps) {
  auto coarse = state_at_end(steps[0]);
  if (!coarse) return coarse.error();
  std::vector<double> h, sizes;
  for (std::size_t k = 1; k < steps.size(); ++k) {
    auto fine = state_at_end(steps[k]);
    if (!fine) return fine.error();
    h.push_back(1.0 / steps[k - 1]);
    sizes.push_back(phase_distance(*coarse, *fine));
    coarse = fine;
  }
  return fit_order(h, std::move(sizes));
}

}  // namespace taut
