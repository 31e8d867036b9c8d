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

using Count = std::function<void(const Unit&)>;

constexpr std::int64_t most_kept = std::int64_t{1} << 23U;  // numbers, 64 MiB

// Hands out units, keeps and counts what comes back, and shows how far the work is.
class Terminal final : public EnsembleObserver {
 public:
  Terminal(const Ensemble& ensemble, const EnsembleFolder* folder, std::vector<std::int64_t> units,
           Count count)
      : ensemble_(ensemble), folder_(folder), units_(std::move(units)), count_(std::move(count)) {
    for (const std::int64_t unit : units_)
      trajectories_ += std::min(ensemble.unit(), ensemble.size() - unit * ensemble.unit());
  }
  std::optional<std::int64_t> next_unit() override {
    return next_ < units_.size() ? std::optional(units_[next_++]) : std::nullopt;
  }
  void take(const Unit& unit) override {
    if (folder_ != nullptr) folder_->write(unit);
    count_(unit);
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
  Count count_;
  std::int64_t trajectories_ = 0;
  std::size_t next_ = 0;
  Progress line_;
};

// Returns the units of the part that are missing, counts those that are there, and leaves out those of other
// parts.
std::vector<std::int64_t> units_to_do(const Ensemble& ensemble, const EnsembleFolder* folder,
                                      const Part& part, const Count& count, EnsembleSummary& summary) {
  std::vector<std::int64_t> to_do;
  for (std::int64_t unit = 0; unit < ensemble.units(); ++unit) {
    if (folder != nullptr) {
      const FoundUnit found = folder->read(unit);
      if (!found.damage.empty()) fmt::print(stderr, "taut: {}: it is made again.\n", found.damage);
      if (found.unit) {
        count(*found.unit);
        continue;
      }
    }
    if (unit % part.of == part.number - 1)
      to_do.push_back(unit);
    else
      summary.leave_out(unit);
  }
  return to_do;
}

// The units that were kept in memory, or else those of the folder, shown for quantiles and histograms.
void spread(EnsembleSummary& summary, const EnsembleFolder* folder, const std::vector<Unit>& kept,
            const EnsembleWanted& wanted) {
  if (!wanted.goes_through_again()) return;
  const EachUnit units = [&](const std::function<void(const Unit&)>& show) {
    for (const Unit& unit : kept) show(unit);
    for (std::int64_t k = 0; folder != nullptr && k < folder->manifest().units(); ++k)
      if (const FoundUnit found = folder->read(k); found.unit)
        show(*found.unit);
      else if (found.unread)
        throw InputError(found.damage + ".");
  };
  summary.spread(units, wanted.quantiles, wanted.bins);
}

// Reads a unit that was there before.
Unit read_again(const EnsembleFolder& folder, std::int64_t index) {
  FoundUnit found = folder.read(index);
  if (found.unit) return std::move(*found.unit);
  throw InputError(found.damage.empty() ? fmt::format("{} has gone while the ensemble was made.",
                                                      folder.folder().path_of(folder.unit_path(index)))
                                        : found.damage);
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

void refuse_reductions(const EnsembleWanted& wanted, const std::string& name) {
  if (wanted.reduces())
    throw InputError(fmt::format(
        "--covariance, --quantile and --histogram are for the folder of an ensemble, and {} is none.",
        shown(name)));
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

Ensemble made_unless_stopped(const std::function<Ensemble(const std::function<bool()>&)>& make) {
  const StopSignals signals;
  Ensemble made = make([] { return StopSignals::caught() != 0; });
  if (StopSignals::caught() != 0) throw StoppedWhileCompiling("stopped before the first step");
  return made;
}

EnsembleProgress work_in_threads(const EnsembleWork& work) {
  return run_ensemble(work.ensemble, work.layout.threads, work.observer);
}

void explain_refusal(const Ensemble& ensemble, const EnsembleSummary& summary) {
  const auto& first = summary.totals.first_failed();
  if (!first || first->ending.kind != Ended::start_refused) return;
  const ReadyTrajectory t = Trajectories(ensemble).ready(first->trajectory);
  fmt::print(stderr, "taut: trajectory {} cannot start: {}\n", t.index, harmless_lines(t.refusal));
}

int status_of(const EnsembleSummary& summary, int written) {
  const EnsembleTotals& totals = summary.totals;
  if (totals.trajectories() == 0 || totals.ended(Ended::done) > 0) return written;
  constexpr int wrong_input = 2;
  return totals.ended(Ended::start_refused) == totals.trajectories() ? wrong_input : 1;
}

Worked get_done(const Ensemble& ensemble, const EnsembleFolder* folder, const Part& part,
                const Layout& layout, bool covariance, const Workforce& workforce,
                const std::function<void(const Unit&)>& each) {
  Worked worked{EnsembleSummary(about(ensemble), covariance)};
  EnsembleSummary& summary = worked.summary;
  if (folder != nullptr) summary.totals.keep_no_more_than(EnsembleTotals::most_waiting);
  const Count count = [&](const Unit& unit) {
    summary.add(unit);
    if (each) each(unit);
  };
  std::optional<EnsembleLock> alone;
  if (folder != nullptr) alone.emplace(*folder);
  const StopSignals signals;
  std::vector<std::int64_t> to_do = units_to_do(ensemble, folder, part, count, summary);
  if (to_do.empty()) return worked;
  summary.threads = layout.threads > 0 ? layout.threads : workforce.threads;
  summary.processes = workforce.processes;
  Terminal terminal(ensemble, folder, std::move(to_do), count);
  const auto began = std::chrono::steady_clock::now();
  const EnsembleProgress done =
      workforce.work({ensemble, folder, {summary.threads, layout.lanes, layout.device}, terminal, count});
  terminal.clear();
  if (folder != nullptr)
    summary.totals.catch_up([folder](std::int64_t unit) { return read_again(*folder, unit); });
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  summary.busy = done.busy;
  summary.steps_made = done.steps;
  summary.device_steps = done.device_steps;
  summary.device_seconds = done.device_seconds;
  summary.handed_back = done.handed_back;
  summary.messages = done.messages;
  summary.message_bytes = done.message_bytes;
  worked.signal = StopSignals::caught();
  if (worked.signal != 0)
    fmt::print(stderr, "taut: stopped by {}: {} trajectories had ended.\n{}\n",
               StopSignals::name(worked.signal), done.ended, how_to_go_on(folder));
  return worked;
}

int work_on(const Ensemble& ensemble, const EnsembleFolder* folder, const Part& part, const Layout& layout,
            const EnsembleWanted& wanted, const Workforce& workforce) {
  const bool keeps = folder == nullptr && wanted.goes_through_again();
  if (keeps && ensemble.size() > most_kept / static_cast<std::int64_t>(ensemble.columns.size()))
    throw InputError(
        "quantiles and histograms go through all trajectories again, and these are too many to be kept in "
        "memory: add --out DIR.");
  std::vector<Unit> kept;
  const Count keep = [&kept](const Unit& unit) { kept.push_back(unit); };
  Worked worked =
      get_done(ensemble, folder, part, layout, wanted.covariance, workforce, keeps ? keep : Count{});
  if (worked.signal != 0) return 128 + worked.signal;
  spread(worked.summary, folder, kept, wanted);
  explain_refusal(ensemble, worked.summary);
  const int written = print(worked.summary, wanted.json);
  return status_of(worked.summary, written);
}

int resume_ensemble(const std::string& path, const Layout& layout, const EnsembleWanted& wanted,
                    const Workforce& workforce) {
  const EnsembleFolder folder = EnsembleFolder::open(path);
  const Ensemble ensemble = made_unless_stopped([&](const std::function<bool()>& stop) {
    return ensemble_in(folder, layout.lanes, layout.device, stop);
  });
  return work_on(ensemble, &folder, {}, layout, wanted, workforce);
}

void say_damage(const std::string& damage, const std::string& path) {
  fmt::print(stderr, "taut: {}; `taut resume {}` makes it again.\n", damage, shell_word(path));
}

int describe_ensemble(const std::string& path, const EnsembleWanted& wanted) {
  const EnsembleFolder folder = EnsembleFolder::open(path);
  EnsembleSummary summary(about(folder), wanted.covariance);
  summary.totals.keep_no_more_than(EnsembleTotals::most_waiting);
  bool whole = true;
  for (std::int64_t k = 0; k < folder.manifest().units(); ++k) {
    const FoundUnit found = folder.read(k);
    if (!found.damage.empty()) {
      say_damage(found.damage, path);
      whole = false;
    }
    if (found.unit)
      summary.add(*found.unit);
    else
      summary.leave_out(k);
  }
  spread(summary, &folder, {}, wanted);
  const int written = print(summary, wanted.json);
  return whole ? written : 1;
}

}  // namespace taut::cli
