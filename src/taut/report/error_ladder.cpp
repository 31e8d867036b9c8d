#include <taut/model/particles/particle_model.hpp>
#include <taut/report/cost.hpp>
#include <taut/report/error_ladder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr int halvings = 5;       // h … h/32
constexpr int wide_halvings = 9;  // 2h … h/512
// They are for every Hamiltonian: of order 6, and of order 14 if there are more digits than in a double. If
// velocities are constrained, a composition of order 8 takes their place.
constexpr std::string_view reference_in_double = "lobatto(4)", wide_reference = "lobatto(8)",
                           nonholonomic_reference = "kahan-li8(nonholonomic)";
constexpr std::int64_t most_coordinates = 200;
constexpr double short_run = 0.02;  // seconds; the clock of a shorter run is read three times

// A step and the number of steps that reach the time of the ladder.
struct LadderStep {
  double h = 0;
  std::int64_t steps = 0;
};

ModelRun run_with(ModelRun run, const LadderStep& step) {
  run.request.step = step.h;
  run.request.steps = step.steps;
  run.request.until.reset();
  // The long rungs must not be compiled and the short ones interpreted: their seconds would not compare.
  if (run.request.backend == Backend::automatic && run.request.precision == Precision::double_precision)
    run.request.backend = Backend::interpret;
  run.request.every = std::max<std::int64_t>(1, step.steps);
  run.request.interval.reset();
  if (schedule_of(run.request).varies) {  // the time is the same, the number of steps is not
    run.request.steps.reset();
    run.request.until = static_cast<double>(step.steps) * step.h;
  }
  run.request.watch_multipliers = false;
  return run;
}

TimedRun best_of_a_few(const ModelRun& run) {
  TimedRun best = timed_run(run);
  for (int again = 0; again < 2 && best.cpu_seconds < short_run; ++again)
    best.cpu_seconds = std::min(best.cpu_seconds, timed_run(run).cpu_seconds);
  return best;
}

// Returns the steps by decreasing size. Throws InputError if one does not divide the time.
std::vector<LadderStep> ladder_steps(const LadderRequest& asked, double h, double time) {
  std::vector<double> sizes = asked.steps;
  if (sizes.empty())
    for (int k = asked.wide ? -1 : 0; k <= (asked.wide ? wide_halvings : halvings); ++k)
      sizes.push_back(std::ldexp(h, -k));
  std::sort(sizes.begin(), sizes.end(), [](double a, double b) { return std::abs(a) > std::abs(b); });
  std::vector<LadderStep> steps;
  for (const double size : sizes) {
    const double count = std::round(time / size);
    if (!(count >= 1) || std::abs(count * size - time) > 1e-9 * std::abs(time))
      throw InputError(
          fmt::format("the errors are compared at t = {}, which is no whole number of steps of {}.\n"
                      "  Choose steps that divide the time, or another time with --ladder-time.",
                      time, size));
    steps.push_back({size, static_cast<std::int64_t>(count)});
  }
  return steps;
}

double ladder_time(const LadderRequest& asked, const ModelRun& run) {
  const auto coordinates = static_cast<std::int64_t>(run.mechanism->coordinates());
  const Schedule schedule = schedule_of(run.request);
  const std::int64_t length =
      schedule.end ? std::max<std::int64_t>(1, std::llround(*schedule.end / schedule.step)) : schedule.steps;
  const std::int64_t n = std::min(length, std::clamp<std::int64_t>(4000 / coordinates, 20, 200));
  return asked.time.value_or(static_cast<double>(n) * schedule.step);
}

}  // namespace

std::optional<WorkToError> work_to(double error, const ErrorLadder::Method& method) {
  const auto& rungs = method.rungs;
  std::size_t reached = rungs.size();
  for (std::size_t k = 1; k < rungs.size(); ++k)
    if (rungs[k - 1].error > error && rungs[k].error <= error && rungs[k].error > 0) reached = k;
  if (reached < rungs.size()) {
    const Rung &coarse = rungs[reached - 1], &fine = rungs[reached];
    const double part = std::log(coarse.error / error) / std::log(coarse.error / fine.error);
    const auto between = [&](double a, double b) { return a > 0 && b > 0 ? a * std::pow(b / a, part) : 0; };
    return WorkToError{between(coarse.seconds, fine.seconds),
                       between(static_cast<double>(coarse.gradients), static_cast<double>(fine.gradients))};
  }
  if (rungs.empty() || rungs.front().error > error) return std::nullopt;
  return WorkToError{rungs.front().seconds, static_cast<double>(rungs.front().gradients), true};
}

void check_ladder(const LadderRequest& asked, const ModelRun& run) {
  if (const double time = ladder_time(asked, run); time != 0)
    ladder_steps(asked, schedule_of(run.request).step, time);
}

ErrorLadder climb(const std::vector<ModelRun>& runs, const std::vector<std::string>& names,
                  const LadderRequest& asked) {
  ErrorLadder ladder;
  const auto coordinates = static_cast<std::int64_t>(runs.front().mechanism->coordinates());
  const Schedule schedule = schedule_of(runs.front().request);
  ladder.time = ladder_time(asked, runs.front());
  if (ladder.time == 0) ladder.refusal = "the run has no steps";
  if (coordinates > most_coordinates)
    ladder.refusal = fmt::format("a reference for {} coordinates would take too long", coordinates);
  if (const auto& particles = runs.front().model.particles; particles && particles->thermostat)
    ladder.refusal = "the steps of a [thermostat] are random, and have no reference";
  else if (particles && particles->driving)
    ladder.refusal = "particles with [[forces]] or [damping] have one method, and no reference";
  if (!ladder.refusal.empty()) return ladder;
  const std::vector<LadderStep> steps = ladder_steps(asked, schedule.step, ladder.time);
  ModelRun exact = runs.front();
  const Precision precision = exact.request.precision;
  const std::string_view reference = exact.mechanism->velocity_constraints() > 0 ? nonholonomic_reference
                                     : precision == Precision::double_precision  ? reference_in_double
                                                                                 : wide_reference;
  exact.request.method = reference;
  exact.request.formulation = exact.request.projection = {};
  exact.request.projection_tolerance.reset();
  exact.request.plain_updates = false;
  exact.request.tolerance = 0;
  exact.request.solver = Iteration::full_newton;
  const LadderStep finest = steps.back();
  const RunSummary truth = timed_run(run_with(exact, {finest.h / 2, finest.steps * 2})).summary;
  const RunSummary check = timed_run(run_with(exact, finest)).summary;
  ladder.reference = fmt::format("{} with step {:.3g}", reference, truth.step);
  if (!truth.error.empty() || !check.error.empty()) {
    ladder.refusal = fmt::format("the reference, {}, failed", ladder.reference);
    return ladder;
  }
  // No error is smaller than a rounding error of a state of size 1.
  ladder.doubt = end_difference(truth, check);
  ladder.known_to = std::max(ladder.doubt, epsilon_of(precision) / 2);
  for (const std::string& name : names) ladder.methods.push_back({name, {}});
  // The methods take turns at every rung, so that none of them has the quiet hour to itself.
  for (const LadderStep& step : steps)
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const TimedRun ran = best_of_a_few(run_with(runs[k], step));
      if (ran.summary.error.empty())
        ladder.methods[k].rungs.push_back({step.h, end_difference(ran.summary, truth), ran.summary.steps,
                                           ran.cpu_seconds, ran.summary.gradients});
    }
  return ladder;
}

}  // namespace taut
