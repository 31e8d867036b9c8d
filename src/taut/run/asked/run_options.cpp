#include <taut/contract/time_transform.hpp>
#include <taut/run/asked/run_options.hpp>
#include <taut/run/schedule.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

namespace {

// As it was typed or stands in the file: a method with its definitions cannot be asked for beside them.
std::string method_as_written(const ModelRun& run) {
  if (!run.asked.method.empty()) return run.asked.method;
  if (run.model.run.method) return *run.model.run.method;
  return chosen_method(*run.mechanism, run.name, run.request).label();
}

void add_solve(const RunRequest& request, Json& object) {
  const RunRequest usual;
  if (request.tolerance > 0) object["tolerance"] = request.tolerance;
  if (request.solver != usual.solver) object["solver"] = name_of(request.solver);
  if (request.first_guess != usual.first_guess) object["first-guess"] = name_of(request.first_guess);
  if (request.stop != usual.stop) object["stop-rule"] = name_of(request.stop);
  if (request.error_tolerance) object["error-tolerance"] = *request.error_tolerance;
}

void add_sizes_of_steps(const RunRequest& request, Json& object) {
  if (const auto sigma = time_transform_of(request.step_function))
    object["time-transform"] = *sigma;
  else if (!request.step_function.empty())
    object["step-function"] = request.step_function;
  if (request.shortest_step) object["shortest-step"] = *request.shortest_step;
  if (request.longest_step) object["longest-step"] = *request.longest_step;
}

void add_ordinary(const RunRequest& request, Json& object) {
  if (!request.formulation.empty()) object["formulation"] = request.formulation;
  if (request.projection_tolerance)
    object["projection"] =
        Json::object({{"kind", request.projection}, {"tolerance", *request.projection_tolerance}});
  else if (!request.projection.empty())
    object["projection"] = request.projection;
}

// Asks whether the options already say what `NAME=VALUE` sets.
bool is_said(std::string_view assignment, const Json& options) {
  std::string_view name = assignment.substr(0, assignment.find('='));
  for (const std::string_view table : {"run.", "output."}) {
    if (!name.starts_with(table)) continue;
    name.remove_prefix(table.size());
    name = name.substr(0, name.find('.'));
    static constexpr std::string_view alternatives[] = {"steps", "until", "every", "interval"};
    return options.find(name) != nullptr || std::ranges::find(alternatives, name) != std::end(alternatives);
  }
  return false;
}

void add_settings(const ModelRun& run, Json& options) {
  constexpr std::string_view added_event = "events.+=";
  Json settings = Json::object();
  std::vector<std::string> events;
  for (const std::string& one : run.set) {
    const std::size_t end = one.find('=');
    if (one.starts_with(added_event))
      events.push_back(one.substr(added_event.size()));
    else if (!is_said(one, options))
      settings[one.substr(0, end)] = one.substr(end + 1);
  }
  if (!settings.members().empty()) options["set"] = std::move(settings);
  if (!events.empty()) options["events"] = events;
}

}  // namespace

Json options_of(const ModelRun& run) {
  const RunRequest& request = run.request;
  const Schedule schedule = schedule_of(request);
  Json object = Json::object({{"method", method_as_written(run)}, {"step", schedule.step}});
  if (request.until)
    object["until"] = *request.until;
  else
    object["steps"] = schedule.steps;
  if (schedule.interval)
    object["interval"] = *schedule.interval;
  else if (request.every > 0 || !schedule.varies)
    object["every"] = schedule.every;
  add_ordinary(request, object);
  add_sizes_of_steps(request, object);
  add_solve(request, object);
  if (request.precision != Precision::double_precision) object["precision"] = name_of(request.precision);
  if (const std::vector<double>& at = run.model.dynamics.at; !at.empty()) object["at"] = at;
  return object;
}

Json repeating_options_of(const ModelRun& run) {
  const RunRequest& request = run.request;
  Json object = options_of(run);
  if (request.threads > 0) object["threads"] = request.threads;
  if (request.plain_updates) object["plain-updates"] = true;
  if (request.project_start) object["project-start"] = true;
  if (request.halve_on_failure) object["on-failure"] = "halve";
  if (request.warn_at_jumps) object["on-jump"] = "warn";
  if (run.shows_stage_multiplier()) object["lambda"] = name_of(MultiplierShown::stage);
  if (run.shows_local_error()) object["local-error"] = name_of(LocalErrorShown::estimate);
  add_settings(run, object);
  if (request.start) object["start"] = Json::object({{"q", request.start->q}, {"p", request.start->p}});
  return object;
}

}  // namespace taut
