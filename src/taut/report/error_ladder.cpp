#include <taut/report/error_ladder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr int halvings = 5;                           // h … h/32
constexpr std::string_view reference = "lobatto(4)";  // order 6, for every Hamiltonian
constexpr std::int64_t most_coordinates = 200;
constexpr double short_run = 0.02;  // seconds; the clock of a shorter run is read three times

RunSummary run_with(ModelRun run, double h, std::int64_t steps) {
  run.request.step = h;
  run.request.steps = steps;
  run.request.until.reset();
  // The long rungs must not be compiled and the short ones interpreted: their seconds would not compare.
  if (run.request.backend == Backend::automatic) run.request.backend = Backend::interpret;
  run.request.every = std::max<std::int64_t>(1, steps);
  SilentObserver nobody;
  RunSummary summary = run.run(nobody, "");
  for (int again = 0; again < 2 && summary.seconds < short_run; ++again)
    summary.seconds = std::min(summary.seconds, run.run(nobody, "").seconds);
  return summary;
}

double difference(const RunSummary& a, const RunSummary& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i)
    most = std::max({most, std::abs(a.q[i] - b.q[i]), std::abs(a.p[i] - b.p[i])});
  return most;
}

}  // namespace

ErrorLadder climb(const std::vector<ModelRun>& runs, const std::vector<std::string>& names) {
  ErrorLadder ladder;
  const auto coordinates = static_cast<std::int64_t>(runs.front().mechanism->coordinates());
  const Schedule schedule = schedule_of(runs.front().request);
  const double h = schedule.step;
  const std::int64_t n = std::min(schedule.steps, std::clamp<std::int64_t>(4000 / coordinates, 20, 200));
  ladder.time = static_cast<double>(n) * h;
  if (n == 0) ladder.refusal = "the run has no steps";
  if (coordinates > most_coordinates)
    ladder.refusal = fmt::format("a reference for {} coordinates would take too long", coordinates);
  if (!ladder.refusal.empty()) return ladder;
  ModelRun exact = runs.front();
  exact.request.method = reference;
  exact.request.formulation = exact.request.projection = {};
  exact.request.projection_tolerance.reset();
  exact.request.plain_updates = false;
  exact.request.tolerance = 0;
  exact.request.solver = Iteration::full_newton;
  const std::int64_t finest = std::int64_t{1} << halvings;
  const RunSummary truth = run_with(exact, h / static_cast<double>(2 * finest), n * finest * 2);
  const RunSummary check = run_with(exact, h / static_cast<double>(finest), n * finest);
  ladder.reference = fmt::format("{} with step {:.3g}", reference, truth.step);
  if (!truth.error.empty() || !check.error.empty()) {
    ladder.refusal = fmt::format("the reference, {}, failed", ladder.reference);
    return ladder;
  }
  ladder.doubt = difference(truth, check);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    auto& method = ladder.methods.emplace_back(ErrorLadder::Method{names[k], {}});
    for (std::int64_t part = 1; part <= finest; part *= 2) {
      const RunSummary ran = run_with(runs[k], h / static_cast<double>(part), n * part);
      if (ran.error.empty()) method.rungs.push_back({ran.step, difference(ran, truth), ran.seconds});
    }
  }
  return ladder;
}

}  // namespace taut
