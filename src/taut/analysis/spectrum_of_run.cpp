#include <taut/analysis/discrete_map.hpp>
#include <taut/analysis/frequencies.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace taut {

namespace {

// Keeps one or two columns of the samples of a run.
class Listener final : public RunObserver {
 public:
  Listener(const std::vector<std::string>& columns, const std::vector<std::string>& names,
           const Telling& telling)
      : telling_(telling) {
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
    times.push_back(time);
    signal.emplace_back(value[0], value[1]);
  }
  void progress(std::int64_t done, std::int64_t wanted) override {
    tell(telling_, static_cast<double>(done) / static_cast<double>(wanted));
  }
  std::vector<double> times;
  std::vector<std::complex<double>> signal;

 private:
  std::vector<std::size_t> wanted_;
  const Telling& telling_;
};

}  // namespace

SpectrumOfRun spectrum_of(ModelRun run, std::vector<std::string> names, int count, int window,
                          const Telling& telling) {
  if (run.request.every <= 0) run.request.every = 1;
  std::vector<std::string> columns = run.columns();
  for (const std::string& name : run.quantities().columns(run.coordinates())) columns.push_back(name);
  if (names.empty()) names = {columns.front()};
  if (names.size() > 2) throw InputError("--of takes one column, x, or two, x,p_x, for x + i p_x.");
  const Schedule schedule = schedule_of(run.request);
  if (schedule.steps % schedule.every != 0)
    throw InputError("the samples must be equally far apart: --every must divide the number of steps.");
  Listener listener(columns, names, telling);
  const RunSummary summary = run.run(listener, "nowhere");
  if (!summary.error.empty()) throw AnalysisError(summary.error);
  if (listener.signal.size() < 8 * static_cast<std::size_t>(count))
    throw InputError("there are too few samples for so many frequencies: make the run longer.");
  SpectrumOfRun out;
  out.spectrum =
      frequencies_of(listener.signal, schedule.step * static_cast<double>(schedule.every), count, window);
  out.model = summary.model;
  out.method = summary.method;
  out.of = fmt::format("{}", fmt::join(names, " + i "));
  out.time = summary.time;
  out.t = std::move(listener.times);
  out.signal = std::move(listener.signal);
  return out;
}

}  // namespace taut
