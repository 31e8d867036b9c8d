#pragma once

#include <taut/contract/request.hpp>

namespace taut {

// Step, number of steps and interval between samples.
struct Schedule {
  double step = 0;
  std::int64_t steps = 0, every = 1;
};

inline constexpr double default_step = 0.01;
inline constexpr std::int64_t default_steps = 10000;

// What the request says, checked. InputError where it makes no sense.
Schedule schedule_of(const RunRequest& request);

// The number of the step that ends at this time.
std::int64_t step_of(double time, const Schedule& schedule);

}  // namespace taut
