#include "watcher.hpp"

#include <taut/run/signals.hpp>
#include <taut/store/whole_file.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace taut::cli {

Watcher::Watcher(const Schedule& schedule, Recording* recording, RunRecord* record)
    : schedule_(schedule), recording_(recording), record_(record) {}

void Watcher::sample(double time, std::span<const double> q, std::span<const double> p,
                     const Reading& reading, std::span<const double> more) {
  if (record_ != nullptr) record_->add(time, q, p, reading);
  if (recording_ == nullptr) return;
  const std::int64_t index = step_of(time, schedule_);
  if (index % schedule_.every != 0 && index != schedule_.steps) return;
  recording_->sample(time, q, p, reading, more);
}

void Watcher::note(const std::string& sentence) { fmt::print(stderr, "taut: {}\n", sentence); }

std::string Watcher::stop_reason() {
  const int signal = StopSignals::caught();
  return signal == 0 ? std::string() : fmt::format("stopped by {}", StopSignals::name(signal));
}

void TypedReport::add(Command& command) {
  const bool keeps = std::any_of(command.options.begin(), command.options.end(),
                                 [](const Option& other) { return other.name == "--out"; });
  Option page = option(
      "--report", "FILE", [this](const std::string& path) { path_ = path; },
      std::string("write a page with plots and an animation; by default report.html") +
          (keeps ? ", in the folder of --out" : ""));
  page.kind = Option::Kind::maybe_value;
  command.add(std::move(page));
  command.add(option("--figures", "DIR", figures_, "folder for the plots of that page as SVG files"));
}

std::optional<ReportWanted> TypedReport::wanted() const {
  if (!path_ && figures_.empty()) return std::nullopt;
  return ReportWanted{path_.has_value(), path_.value_or(""), figures_};
}

void check_wanted(const ReportWanted& wanted, const std::string& out) {
  if (wanted.page) check_whole_file(wanted.page_path(out));
  if (!wanted.figures.empty()) check_whole_file(wanted.figures + "/figure.svg");
}

void write_wanted(const ReportWanted& wanted, const std::string& out, const Report& report) {
  if (wanted.page) {
    const std::string path = wanted.page_path(out);
    write_report(path, report);
    fmt::print(stderr, "taut: the report is in {}\n", path);
  }
  if (wanted.figures.empty()) return;
  const auto names = write_figures(wanted.figures, report);
  fmt::print(stderr, "taut: {} figures are in {}\n", names.size(), wanted.figures);
}

}  // namespace taut::cli
