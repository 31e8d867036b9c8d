#pragma once

#include <taut/contract/request.hpp>

#include <optional>

namespace taut {

// The step, the number of steps and the interval between samples.
struct Schedule {
  double step = 0;
  std::int64_t steps = 0, every = 1;
  bool varies = false;  // the steps differ in size: `step` is one of a fictitious time
  // If so, nobody knows their number before the run: it ends at this time, and `steps` is
  // the most that can be counted.
  std::optional<double> end = {};
  std::optional<double> interval = {};  // samples are taken at equal times, so far apart

  bool knows_its_length() const { return !end; }
  // Returns about how many samples there will be.
  double samples() const;
};

inline constexpr double default_step = 0.01;
inline constexpr std::int64_t default_steps = 10000;

// Returns what the request says, checked. Throws InputError if it makes no sense.
Schedule schedule_of(const RunRequest& request);

// Returns the number of the step that ends at this time.
std::int64_t step_of(double time, const Schedule& schedule);

}  // namespace taut
