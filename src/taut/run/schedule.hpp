#pragma once

#include <taut/contract/request.hpp>

namespace taut {

// The step, the number of steps and the interval between samples.
struct Schedule {
  double step = 0;
  std::int64_t steps = 0, every = 1;
};

inline constexpr double default_step = 0.01;
inline constexpr std::int64_t default_steps = 10000;

// Returns what the request says, checked. Throws InputError if it makes no sense.
Schedule schedule_of(const RunRequest& request);

// Returns the number of the step that ends at this time.
std::int64_t step_of(double time, const Schedule& schedule);

}  // namespace taut
