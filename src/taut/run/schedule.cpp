#include <taut/contract/step_count.hpp>
#include <taut/contract/time_transform.hpp>
#include <taut/method/methods.hpp>
#include <taut/run/schedule.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {

Schedule schedule_of(const RunRequest& request) {
  Schedule schedule;
  schedule.step = request.step.value_or(default_step);
  const double h = schedule.step;
  if (!std::isfinite(h)) throw InputError(fmt::format("the step must be a finite number, not {}.", h));
  if (h == 0)
    throw InputError(
        "the step is 0: time would stand still. Give a positive step, or a negative one to run backwards.");
  if (!std::isfinite(request.tolerance) || request.tolerance < 0)
    throw InputError(fmt::format(
        "the tolerance must be 0 (until rounding stops the iteration) or a positive number, not {}.",
        request.tolerance));
  if (request.steps && request.until)
    throw InputError(
        "steps and until are both given; one of them decides how long the run is. Leave the other out.");
  schedule.steps = default_steps;
  if (request.steps) {
    if (*request.steps < 0)
      throw InputError(fmt::format(
          "the number of steps is {}; it cannot be negative. To run backwards, give a negative step.",
          *request.steps));
    schedule.steps = *request.steps;
  }
  const bool varies =
      base_of_adaptive(request.method).has_value() || time_transform_of(request.step_function).has_value();
  schedule.varies = varies;
  if (request.interval && !varies)
    throw ChoiceError(
        "interval",
        "samples at equal times are for adaptive(M) and for a time transform, whose steps differ in size. "
        "Leave the interval out; `every` counts steps.");
  if (request.until) {
    const double until = *request.until;
    if (!std::isfinite(until))
      throw InputError(fmt::format("the end time must be a finite number, not {}.", until));
    if (until * h < 0)
      throw InputError(
          fmt::format("a step of {} never reaches t = {}: step and end time need the same sign.", h, until));
    const double count = varies ? most_steps : steps_until(until, h);
    if (varies) schedule.end = until;
    if (count > most_steps)
      throw InputError(fmt::format(
          "to reach t = {} with a step of {} takes {:.1e} steps; {:.0e} is the most that can be counted.",
          until, h, count, most_steps));
    schedule.steps = static_cast<std::int64_t>(count);
  }
  if (!varies && !std::isfinite(static_cast<double>(schedule.steps) * h))
    throw InputError(fmt::format(
        "{} steps of {} end at a time that no number holds: the largest is 1.8e308. Give a shorter "
        "step, or fewer of them.",
        schedule.steps, h));
  if (request.every < 0)
    throw InputError(fmt::format("a sample every {} steps makes no sense: give 1 or more.", request.every));
  // If no interval is asked for, there are about a thousand samples, whatever the length of the run.
  constexpr std::int64_t usual_samples = 1000;
  schedule.every =
      request.every > 0 ? request.every : std::max<std::int64_t>(1, schedule.steps / usual_samples);
  schedule.interval = request.interval;
  if (schedule.end && *schedule.end != 0 && request.every == 0 && !request.interval)
    schedule.interval = std::abs(*schedule.end) / usual_samples;
  return schedule;
}

double Schedule::samples() const {
  constexpr double usual = 1000;
  if (interval && end) return 1 + std::abs(*end) / *interval;
  return end ? usual : 1 + static_cast<double>(steps / every);
}

std::int64_t step_of(double time, const Schedule& schedule) { return std::llround(time / schedule.step); }

}  // namespace taut
