#include <taut/report/cost.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace taut {

namespace {

constexpr int rounds = 5;
constexpr double long_enough = 0.01;  // seconds of one measurement

double cpu_now() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Reads the clock at the first sample and at the last.
class Stopwatch final : public RunObserver {
 public:
  void sample(double, std::span<const double>, std::span<const double>, const Reading&,
              std::span<const double>) override {
    last_ = cpu_now();
    if (first_ == 0) first_ = last_;
  }
  void progress(std::int64_t, std::int64_t) override {}
  double seconds() const { return last_ - first_; }

 private:
  double first_ = 0, last_ = 0;
};

// Returns the run with as many steps as a measurement needs, by the backend that made it.
ModelRun short_run_of(ModelRun run, const RunSummary& made) {
  const double a_step =
      std::max(1e-8, made.seconds / static_cast<double>(std::max<std::int64_t>(1, made.steps)));
  const auto wanted = static_cast<std::int64_t>(std::clamp(long_enough / a_step, 10.0, 1e6));
  run.request.steps = std::min(made.steps, wanted);
  run.request.until.reset();
  run.request.every = std::max<std::int64_t>(1, *run.request.steps);
  run.request.watch_multipliers = false;
  if (!made.backends.empty()) run.request.backend = made.backends.back().backend;
  return run;
}

}  // namespace

TimedRun timed_run(const ModelRun& run) {
  Stopwatch watch;
  TimedRun timed{.summary = run.run(watch, "")};
  timed.cpu_seconds = watch.seconds();
  return timed;
}

std::vector<double> costs_of_steps(const std::vector<ModelRun>& runs, const std::vector<RunSummary>& made) {
  std::vector<ModelRun> measured;
  for (std::size_t k = 0; k < runs.size(); ++k) measured.push_back(short_run_of(runs[k], made[k]));
  std::vector<double> least(runs.size(), 0);
  for (int round = 0; round <= rounds; ++round)
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (made[k].steps == 0) continue;
      const TimedRun timed = timed_run(measured[k]);
      const double cost =
          timed.cpu_seconds / static_cast<double>(std::max<std::int64_t>(1, timed.summary.steps));
      if (round == 0) continue;  // it warms up
      least[k] = round == 1 ? cost : std::min(least[k], cost);
    }
  return least;
}

}  // namespace taut
