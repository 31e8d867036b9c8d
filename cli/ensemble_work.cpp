#include "ensemble_work.hpp"

#include <taut/contract/request.hpp>
#include <taut/ensemble/stored_ensemble.hpp>
#include <taut/run/signals.hpp>
#include <taut/words/shell_word.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <utility>

#include "commands.hpp"
#include "progress.hpp"

namespace taut::cli {

namespace {

// Hands out units, keeps and counts what comes back, and shows how far the work is.
class Terminal final : public EnsembleObserver {
 public:
  Terminal(const Ensemble& ensemble, const EnsembleFolder* folder, std::vector<std::int64_t> units,
           EnsembleSummary& summary)
      : ensemble_(ensemble), folder_(folder), units_(std::move(units)), summary_(summary) {
    for (const std::int64_t unit : units_)
      trajectories_ += std::min(ensemble.unit(), ensemble.size() - unit * ensemble.unit());
  }
  std::optional<std::int64_t> next_unit() override {
    return next_ < units_.size() ? std::optional(units_[next_++]) : std::nullopt;
  }
  void take(const Unit& unit) override {
    if (folder_ != nullptr) folder_->write(unit);
    summary_.add(unit);
  }
  void progress(const EnsembleProgress& now) override {
    line_.show(now.steps, trajectories_ * ensemble_.schedule.steps,
               fmt::format("{} of {} ended, {} failed{}", now.ended, trajectories_, now.failed,
                           now.busy > 0 ? fmt::format(", lanes {:.0f} % busy", 100 * now.busy) : ""));
  }
  bool wants_to_stop() override { return StopSignals::caught() != 0; }
  void clear() { line_.clear(); }

 private:
  const Ensemble& ensemble_;
  const EnsembleFolder* folder_;
  std::vector<std::int64_t> units_;
  EnsembleSummary& summary_;
  std::int64_t trajectories_ = 0;
  std::size_t next_ = 0;
  Progress line_;
};

// Returns the units of the part that are missing, and gives those that are there to the summary.
std::vector<std::int64_t> units_to_do(const Ensemble& ensemble, const EnsembleFolder* folder,
                                      const Part& part, EnsembleSummary& summary) {
  std::vector<std::int64_t> to_do;
  for (std::int64_t unit = 0; unit < ensemble.units(); ++unit) {
    if (folder != nullptr) {
      const FoundUnit found = folder->read(unit);
      if (!found.damage.empty()) fmt::print(stderr, "taut: {}: it is made again.\n", found.damage);
      if (found.unit) {
        summary.add(*found.unit);
        continue;
      }
    }
    if (unit % part.of == part.number - 1) to_do.push_back(unit);
  }
  return to_do;
}

void spread(EnsembleSummary& summary, const EnsembleFolder* folder, const EnsembleWanted& wanted) {
  if (folder == nullptr || (wanted.quantiles.empty() && wanted.bins == 0)) return;
  const EachUnit units = [folder](const std::function<void(const Unit&)>& show) {
    for (std::int64_t k = 0; k < folder->manifest().units(); ++k)
      if (const FoundUnit found = folder->read(k); found.unit) show(*found.unit);
  };
  summary.spread(units, wanted.quantiles, wanted.bins);
}

// Says why the first trajectory could not start, if that is what failed first.
void explain_refusal(const Ensemble& ensemble, const EnsembleSummary& summary) {
  const auto& first = summary.totals.first_failed();
  if (!first || first->ending.kind != Ended::start_refused) return;
  const ReadyTrajectory t = Trajectories(ensemble).ready(first->trajectory);
  fmt::print(stderr, "taut: trajectory {} cannot start: {}\n", t.index, harmless_lines(t.refusal));
}

int print(const EnsembleSummary& summary, bool json) {
  printed([&] { fmt::print("{}", json ? to_json(summary) + "\n" : to_text(summary)); });
  return finish_output();
}

std::string how_to_go_on(const EnsembleFolder* folder) {
  if (folder == nullptr) return "  Nothing was kept: with --out DIR an ensemble can be continued.";
  const std::string path = folder->folder().path();
  return fmt::format("  All units that were done are in {}; `taut resume {}` goes on.", path,
                     shell_word(path));
}

}  // namespace

void add_reductions(Command& command, EnsembleWanted& wanted) {
  command.add(flag("--covariance", wanted.covariance, "covariances of all columns, in the JSON object"));
  Option quantile = option(
      "--quantile", "P",
      [&wanted](const std::string& text) {
        const double p = number_of(text, "--quantile");
        if (!(p >= 0 && p <= 1))
          throw InputError(fmt::format("--quantile {}: a probability is between 0 and 1.", text));
        wanted.quantiles.push_back(p);
      },
      "exact quantile of every column, for a probability P");
  quantile.kind = Option::Kind::values;
  command.add(std::move(quantile));
  command.add(option(
      "--histogram", "BINS",
      [&wanted](const std::string& text) {
        const std::int64_t bins = count_of(text, "--histogram");
        if (bins < 1 || bins > 10000)
          throw InputError(fmt::format("--histogram {}: there are 1 to 10000 bins.", text));
        wanted.bins = static_cast<int>(bins);
      },
      "histogram of every column, with so many bins between its extremes"));
  command.add(flag("--json", wanted.json, "print one JSON object instead of the summary"));
}

Part part_of(const std::string& text) {
  Part part;
  const std::size_t slash = text.find('/');
  const auto read = [](std::string_view digits, std::int64_t& into) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  };
  const std::string_view all = text;
  if (slash == text.npos || !read(all.substr(0, slash), part.number) ||
      !read(all.substr(slash + 1), part.of) || part.number < 1 || part.number > part.of)
    throw InputError(fmt::format("--part {}: write K/M, part K of M parts, as in --part 2/8.", text));
  return part;
}

int work_on(const Ensemble& ensemble, const EnsembleFolder* folder, const Part& part, int threads,
            const EnsembleWanted& wanted) {
  if (folder == nullptr && (!wanted.quantiles.empty() || wanted.bins > 0))
    throw InputError("quantiles and histograms go through all trajectories again: add --out DIR.");
  EnsembleSummary summary(about(ensemble), wanted.covariance);
  std::optional<EnsembleLock> alone;
  if (folder != nullptr) alone.emplace(*folder);
  const StopSignals signals;
  std::vector<std::int64_t> to_do = units_to_do(ensemble, folder, part, summary);
  if (!to_do.empty()) {
    summary.threads = threads > 0 ? threads : usual_threads();
    Terminal terminal(ensemble, folder, std::move(to_do), summary);
    const auto began = std::chrono::steady_clock::now();
    const EnsembleProgress done = run_ensemble(ensemble, summary.threads, terminal);
    terminal.clear();
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    summary.busy = done.busy;
    summary.steps_made = done.steps;
    if (const int signal = StopSignals::caught(); signal != 0) {
      fmt::print(stderr, "taut: stopped by {}: {} trajectories had ended.\n{}\n", StopSignals::name(signal),
                 done.ended, how_to_go_on(folder));
      return 128 + signal;
    }
  }
  spread(summary, folder, wanted);
  explain_refusal(ensemble, summary);
  const int written = print(summary, wanted.json);
  // Some trajectories may fail; if all do, there is nothing to go on with.
  const bool none = summary.totals.trajectories() > 0 && summary.totals.ended(Ended::done) == 0;
  return none ? 1 : written;
}

int describe_ensemble(const std::string& path, const EnsembleWanted& wanted) {
  const EnsembleFolder folder = EnsembleFolder::open(path);
  EnsembleSummary summary(about(folder), wanted.covariance);
  bool whole = true;
  for (std::int64_t k = 0; k < folder.manifest().units(); ++k) {
    const FoundUnit found = folder.read(k);
    if (!found.damage.empty()) {
      fmt::print(stderr, "taut: {}; `taut resume {}` makes it again.\n", found.damage, shell_word(path));
      whole = false;
    }
    if (found.unit) summary.add(*found.unit);
  }
  spread(summary, &folder, wanted);
  const int written = print(summary, wanted.json);
  return whole ? written : 1;
}

}  // namespace taut::cli
