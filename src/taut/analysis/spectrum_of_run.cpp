#include <taut/analysis/discrete_map.hpp>
#include <taut/analysis/frequencies.hpp>
#include <taut/run/schedule.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Keeps one or two columns of every so many samples of a run, and looks at all of them.
class Listener final : public RunObserver {
 public:
  Listener(const std::vector<std::string>& columns, const std::vector<std::string>& names, std::int64_t every,
           const Telling& telling)
      : every_(every), telling_(telling) {
    for (const std::string& name : names) {
      const auto at = std::find(columns.begin(), columns.end(), name);
      if (at == columns.end())
        throw InputError(
            fmt::format("there is no column `{}`; there are {}.", harmless(name), fmt::join(columns, ", ")));
      wanted_.push_back(static_cast<std::size_t>(at - columns.begin()));
    }
  }
  void sample(double time, std::span<const double> q, std::span<const double> p, const Reading&,
              std::span<const double> more) override {
    double value[2] = {0, 0};
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      const std::size_t at = wanted_[k];
      value[k] = at < q.size() ? q[at] : at < 2 * q.size() ? p[at - q.size()] : more[at - 2 * q.size()];
    }
    const std::complex<double> now(value[0], value[1]);
    if (seen_ > 0) way_ += std::abs(now - before_);
    before_ = now;
    keeps_last = seen_++ % every_ == 0;
    if (!keeps_last) return;
    times.push_back(time);
    signal.push_back(now);
  }
  void progress(std::int64_t done, std::int64_t wanted) override {
    tell(telling_, static_cast<double>(done) / static_cast<double>(wanted));
  }
  // Asks whether the signal goes to and fro between the samples that are kept. A single frequency goes π/2
  // times as far as its samples tell if there are two of them in a period, and farther if there are fewer:
  // then it is taken for a lower one.                                                                  (LY17)
  bool is_sampled_too_rarely() const {
    constexpr double at_two_samples = 1.5707963267948966;
    double told = 0;
    for (std::size_t k = 1; k < signal.size(); ++k) told += std::abs(signal[k] - signal[k - 1]);
    return every_ > 1 && way_ > at_two_samples * told;
  }
  std::vector<double> times;
  std::vector<std::complex<double>> signal;
  bool keeps_last = false;  // the last sample that was seen is the last one here

 private:
  std::int64_t every_, seen_ = 0;
  double way_ = 0;  // the sum of all changes
  std::complex<double> before_;
  std::vector<std::size_t> wanted_;
  const Telling& telling_;
};

// Frequencies are found in samples that are equally far apart. Steps that differ in size have such samples at
// multiples of an interval. Returns how many samples of the run make one of the signal: if its steps are
// equal, all of them are samples.
std::int64_t check_distances(RunRequest& request) {
  if (!schedule_of(request).varies) {
    const std::int64_t every = request.every <= 0 ? 1 : request.every;
    request.every = 1;
    if (schedule_of(request).steps % every != 0)
      throw InputError("the samples must be equally far apart: --every must divide the number of steps.");
    return every;
  }
  const Schedule schedule = schedule_of(request);
  if (!schedule.end || !schedule.interval)
    throw InputError(
        "the samples must be equally far apart, and the steps of this run differ in size: give `until` and "
        "`interval`, and leave `steps` and `every` out.");
  const double parts = std::abs(*schedule.end) / *schedule.interval;
  if (std::abs(parts - std::round(parts)) > 1e-9 * parts)
    throw InputError("the samples must be equally far apart: the interval must divide the end time.");
  return 1;
}

}  // namespace

SpectrumOfRun spectrum_of(ModelRun run, std::vector<std::string> names, int count, int window,
                          const Telling& telling) {
  std::vector<std::string> columns = run.columns();
  for (const std::string& name : run.quantities().columns(run.coordinates())) columns.push_back(name);
  if (names.empty()) names = {columns.front()};
  if (names.size() > 2) throw InputError("--of takes one column, x, or two, x,p_x, for x + i p_x.");
  const std::int64_t every = check_distances(run.request);
  Listener listener(columns, names, every, telling);
  const RunSummary summary = run.run(listener, "nowhere");
  if (!summary.error.empty()) throw AnalysisError(summary.error);
  // A run that an event ended has its last sample there.
  if (!summary.stopped_by.empty() && listener.keeps_last) {
    listener.times.pop_back();
    listener.signal.pop_back();
  }
  if (listener.signal.size() < 8 * static_cast<std::size_t>(count))
    throw InputError("there are too few samples for so many frequencies: make the run longer.");
  SpectrumOfRun out;
  const double apart =
      (listener.times.back() - listener.times.front()) / static_cast<double>(listener.times.size() - 1);
  out.spectrum = frequencies_of(listener.signal, apart, count, window);
  out.warnings = summary.warnings;
  if (listener.is_sampled_too_rarely())
    out.warnings.push_back(fmt::format(
        "`{}` goes to and fro between the samples, which are {:.3g} apart: frequencies above {:.3g} "
        "are taken for lower ones. Take more samples: --every 1.",
        fmt::join(names, " + i "), apart, 3.141592653589793 / std::abs(apart)));
  out.model = summary.model;
  out.method = summary.method;
  out.of = fmt::format("{}", fmt::join(names, " + i "));
  out.time = summary.time;
  out.t = std::move(listener.times);
  out.signal = std::move(listener.signal);
  return out;
}

}  // namespace taut
