#include "watcher.hpp"

#include <taut/files/whole_file.hpp>
#include <taut/run/signals.hpp>
#include <taut/store/inputs.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "origin.hpp"

namespace taut::cli {

Watcher::Watcher(const Schedule& schedule, Recording* recording, RunRecord* record)
    : schedule_(schedule), recording_(recording), record_(record) {}

void Watcher::sample(double time, std::span<const double> q, std::span<const double> p,
                     const Reading& reading, std::span<const double> more) {
  if (record_ != nullptr) record_->add(time, q, p, reading, more);
  if (recording_ == nullptr) return;
  // Steps of different sizes: the loop hands out what is to be kept and no more.
  if (schedule_.varies) return recording_->sample(time, q, p, reading, more);
  const std::int64_t index = step_of(time, schedule_);
  if (index % schedule_.every != 0 && index != schedule_.steps) return;
  recording_->sample(time, q, p, reading, more);
}

void Watcher::note(const std::string& sentence) {
  line_.clear();
  fmt::print(stderr, "taut: {}\n", harmless_lines(sentence));
}

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

std::optional<ReportWanted> TypedReport::wanted_in(const std::string& out, Refuse refuse) const {
  const auto typed = wanted();
  if (!typed || out.empty()) return typed;
  if (!typed->path.empty()) refuse(out, typed->path, "--report");
  return typed->kept_in(out);
}

void check_wanted(const ReportWanted& wanted, const std::string& out, const ModelRun& run) {
  origin_of_report();  // throws if the date cannot be told
  if (wanted.page) {
    refuse_inputs(run, wanted.page_path(out), "--report");
    check_whole_file(wanted.page_path(out));
  }
  if (!wanted.figures.empty()) check_whole_file(wanted.figures_path(out) + "/figure.svg");
}

void write_wanted(const ReportWanted& wanted, const Folder* folder, const Report& report) {
  const auto write = [folder](const std::string& path, const std::string& text) {
    if (folder != nullptr && !path.starts_with('/'))
      write_whole_file(*folder, path, text);
    else
      write_whole_file(path, text);
  };
  const std::string shown = folder == nullptr ? "" : folder->path();
  if (wanted.page) {
    write_report(wanted.page_path(""), report, write);
    fmt::print(stderr, "taut: the report is in {}\n", wanted.page_path(shown));
  }
  if (wanted.figures.empty()) return;
  const auto names = write_figures(wanted.figures, report, write);
  fmt::print(stderr, "taut: {} {} in {}\n", names.size(), names.size() == 1 ? "figure is" : "figures are",
             wanted.figures_path(shown));
}

}  // namespace taut::cli
