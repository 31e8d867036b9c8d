#include <taut/study/history.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Keeps one more mesh point.
void keep(Machine& machine, const Reading& reading, double time, History& to) {
  to.time.push_back(time);
  to.energy.push_back(reading.energy);
  to.position.push_back(reading.position);
  to.momentum.push_back(reading.momentum);
  for (const auto part : {machine.q(), machine.p()})
    to.states.insert(to.states.end(), part.begin(), part.end());
}

void advance(Machine& machine, const Schedule& schedule, History& to) {
  Tally tally(machine.read(), schedule.steps);
  keep(machine, tally.first, 0, to);
  while (tally.steps < schedule.steps && !tally.failed()) {
    const std::int64_t before = tally.steps;
    machine.advance(schedule.step, std::min(schedule.every, schedule.steps - before), tally);
    if (tally.steps > before) keep(machine, tally.now, static_cast<double>(tally.steps) * schedule.step, to);
  }
  to.lambda = machine.multiplier();
  to.last_multiplier = machine.last_multiplier(schedule.step);
  to.steps = tally.steps;
  to.failed = tally.failed();
  if (tally.steps > 0)
    to.iterations_mean = static_cast<double>(tally.iterations) / static_cast<double>(tally.steps);
  to.iterations_max = tally.iterations_max;
  if (tally.steps > 0)
    to.gradients_mean = static_cast<double>(tally.gradients) / static_cast<double>(tally.steps);
  to.projections = machine.projections();
}

}  // namespace

RunRequest run_request(const Study& study, const StudyRun& run, std::size_t k) {
  const StudyConstants constants(study);
  RunRequest request{.method = run.method, .formulation = run.formulation, .projection = run.projection};
  if (run.projection_tolerance) request.projection_tolerance = constants.value(*run.projection_tolerance);
  if (run.tolerance) request.tolerance = constants.value(*run.tolerance);
  if (run.error_tolerance) request.error_tolerance = constants.value(*run.error_tolerance);
  request.step = constants.value(run.steps[k]);
  if (run.count) request.steps = std::llround(constants.value(*run.count));
  if (run.until) request.until = constants.value(*run.until);
  request.every = run.every;
  return request;
}

void refuse(const Study& study, Span at, const std::string& sentence, const std::string& note) {
  throw ModelFileError(study.source->error(at, sentence, note));
}

StudyConstants::StudyConstants(const Study& study) : study_(&study) {
  for (const auto& [name, expression] : study.constants) all_.emplace_back(name, exact(expression));
}

// Returns the exact value; a constant may use those before it.
Float128 StudyConstants::exact(const Expression& expression) const {
  const auto known = [&](std::string_view asked) -> Float128 {
    for (const auto& [name, value] : all_)
      if (name == asked) return value;
    refuse(*study_, expression.place, "unknown name `" + shown(asked) + "`");
  };
  return evaluate(expression.formula, known).back();
}

ModelRun model_run(const Study& study, const StudyRun& run, const RunRequest& request) {
  const StudyConstants constants(study);
  std::vector<std::string> set;
  for (const auto& [name, expression] : run.set)
    set.push_back(fmt::format("{}={}", name, constants.value(expression)));
  const auto text = study_model(study, run.model);
  if (!text) refuse(study, run.place, "there is no model " + run.model + " in " + study.folder + "/models");
  return model_run(*text, study.folder + "/models/" + run.model, request, set);
}

History carry_out(const Study& study, const StudyRun& run, std::size_t k) {
  const RunRequest request = run_request(study, run, k);
  History history;
  try {
    const ModelRun ready = model_run(study, run, request);
    history.names = ready.columns();
    for (const NamedFormula& parameter : ready.model.parameters)
      history.parameters.emplace_back(parameter.name, static_cast<double>(parameter.value));
    const Schedule schedule = schedule_of(request);
    history.step = schedule.step;
    const MethodChoice choice = chosen_method(*ready.mechanism, run.model, request);
    const PlainState start = run.off_manifold
                                 ? ready.mechanism->start()
                                 : ready_start(*ready.mechanism, run.model, choice, run.project_start).x;
    const auto machine = ready.mechanism->bind(choice, start, solve_options(request), false);
    advance(*machine, schedule, history);
  } catch (const ModelFileError&) {
    throw;
  } catch (const InputError& error) {
    refuse(study, run.place, error.what());
  }
  return history;
}

}  // namespace taut
