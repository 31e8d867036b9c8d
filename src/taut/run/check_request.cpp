#include <taut/run/nearest_name.hpp>
#include <taut/run/ready_made_run_of.hpp>
#include <taut/run/step_count.hpp>

#include <fmt/format.h>

#include <charconv>

namespace taut {

Schedule schedule_of(const RunRequest& request, double default_step) {
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
  schedule.steps = ReadyMadeRun::default_steps;
  if (request.steps) {
    if (*request.steps < 0)
      throw InputError(fmt::format(
          "the number of steps is {}; it cannot be negative. To run backwards, give a negative step.",
          *request.steps));
    schedule.steps = *request.steps;
  }
  if (request.until) {
    const double until = *request.until;
    if (!std::isfinite(until))
      throw InputError(fmt::format("the end time must be a finite number, not {}.", until));
    if (until * h < 0)
      throw InputError(
          fmt::format("a step of {} never reaches t = {}: step and end time need the same sign.", h, until));
    const double count = steps_until(until, h);
    if (count > most_steps)
      throw InputError(fmt::format(
          "to reach t = {} with a step of {} takes {:.1e} steps; {:.0e} is the most that can be counted.",
          until, h, count, most_steps));
    schedule.steps = static_cast<std::int64_t>(count);
  }
  if (request.every < 0)
    throw InputError(fmt::format("a sample every {} steps makes no sense: give 1 or more.", request.every));
  // Not asked for: about a thousand samples, whatever the length of the run.
  schedule.every = request.every > 0 ? request.every : std::max<std::int64_t>(1, schedule.steps / 1000);
  return schedule;
}

void refuse_value(const Parameter& parameter, double value) {
  if (parameter.range == Parameter::Range::positive && !(value > 0 && std::isfinite(value)))
    throw InputError(fmt::format("{} must be positive, not {}.", parameter.name, value));
  if (parameter.range == Parameter::Range::counts &&
      !(value >= 1 && value <= 1e6 && value == std::floor(value)))
    throw InputError(
        fmt::format("{} must be a whole number from 1 to 1000000, not {}.", parameter.name, value));
  if (!std::isfinite(value))
    throw InputError(fmt::format("{} must be a finite number, not {}.", parameter.name, value));
}

void refuse_name(std::string_view model, const std::string& name, const std::vector<Parameter>& parameters,
                 int coordinates) {
  std::vector<std::string> known;
  for (const Parameter& a : parameters) known.push_back(a.name);
  const std::string nearest = did_you_mean(name, known);
  throw InputError(fmt::format(
      "{} has nothing called `{}` to set.{}\n  Known are: {}, and of the start q1 to q{} and p1 to p{}.",
      model, name, nearest, joined(known), coordinates, coordinates));
}

std::optional<int> index_of(std::string_view name, char letter, int count) {
  if (name.size() < 2 || name[0] != letter) return std::nullopt;
  int index = 0;
  const auto [stop, error] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
  if (error != std::errc{} || stop != name.data() + name.size() || index < 1 || index > count)
    return std::nullopt;
  return index - 1;
}

}  // namespace taut
