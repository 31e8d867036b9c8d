#include "carry_out.hpp"

#include <taut/bytes/sha256.hpp>
#include <taut/bytes/wide_text.hpp>
#include <taut/contract/driven_step.hpp>
#include <taut/report/error_ladder.hpp>
#include <taut/run/signals.hpp>
#include <taut/store/files.hpp>
#include <taut/words/few.hpp>
#include <taut/words/shell_word.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "commands.hpp"
#include "origin.hpp"

namespace taut::cli {

namespace {

// Writes 2000000 as "2 000 000".
std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ' ');
  return digits;
}

std::string vector_text(const std::vector<Wide>& x, Precision precision) {
  std::vector<std::string> texts;
  for (const Wide& value : x) texts.push_back(text_of(value, precision));
  return "(" + few(texts, ", ") + ")";
}

std::string vector_text(const std::vector<double>& x, std::string_view format) {
  std::vector<std::string> texts;
  texts.reserve(x.size());
  for (const double value : x) texts.push_back(fmt::format(fmt::runtime(format), value));
  return "(" + few(texts, ", ") + ")";
}

// The time as a coordinate, the last, and its momentum are said already: as t and as the work.
template <class Number>
std::vector<Number> without_time(std::vector<Number> x, const RunSummary& s) {
  if (has_time_coordinate(s)) x.pop_back();
  return x;
}

// Judges the drift. It may be beyond its error bar and yet nothing beside the oscillation of the energy: then
// it is rounding.
std::string drift_verdict(const RunSummary& s) {
  if (!s.trend->is_finite()) return "not to be told from numbers that are not finite";
  if (s.unstable) return "the run is unstable";
  if (s.trend->bent && std::abs(s.trend->total) > s.trend->rounding)
    return "along a curve: a drift, or a part of a slow oscillation; a longer run tells";
  if (std::abs(s.trend->total) <= s.trend->rounding && std::abs(s.trend->total) > s.trend->error)
    return "none beyond rounding";
  if (!s.trend->beyond_its_error()) return "none beyond its error bar";
  return fmt::format("beyond its error bar, {:.2g} % of max |H - H0|",
                     100 * std::abs(s.trend->total) / s.energy_error);
}

void print_events(const RunSummary& s) {
  if (!s.watches_events) return;
  std::vector<std::string> names;
  for (const EventRecord& e : s.events)
    if (std::find(names.begin(), names.end(), e.name) == names.end()) names.push_back(e.name);
  for (const std::string& name : names) {
    const auto is_one = [&](const EventRecord& e) { return e.name == name; };
    const auto count = std::count_if(s.events.begin(), s.events.end(), is_one);
    const double first = std::find_if(s.events.begin(), s.events.end(), is_one)->time;
    const double last = std::find_if(s.events.rbegin(), s.events.rend(), is_one)->time;
    fmt::print("  event     {}: {} time{}, first at t = {:.15g}{}\n", harmless(name), grouped(count),
               count == 1 ? "" : "s", first, count == 1 ? "" : fmt::format(", last at t = {:.15g}", last));
  }
  if (s.events.empty() && s.at.empty()) fmt::print("  event     none came\n");
  if (!s.stopped_by.empty()) fmt::print("  stopped   by the event {}\n", harmless(s.stopped_by));
  for (const EventRecord& e : s.at)
    fmt::print("  at        t = {:.10g}: q = {}, p = {}\n", e.time,
               vector_text(without_time(e.q, s), "{:.10g}"), vector_text(without_time(e.p, s), "{:.10g}"));
}

void print_summary(const RunSummary& s) {
  fmt::print("{}, {}, step {}: {} step{} to t = {:.10g} in {:.2f} s ({:.2g} steps/s)\n", harmless(s.model),
             s.formulation.empty() ? s.method : s.method + " on " + s.formulation, s.step, grouped(s.steps),
             s.steps == 1 ? "" : "s", s.time, s.seconds, s.steps_per_second());
  if (!s.definition.empty()) fmt::print("  method    {}\n", s.definition);
  if (s.moved)
    fmt::print("  start     moved onto the manifold: q by {:.1e}, p by {:.1e}\n", s.moved->q, s.moved->p);
  if (s.work)
    fmt::print(
        "  energy    H = {:.6g} at the start, {:.6g} at the end; work {:.6g}, max |H - H0 - work| = {:.1e}\n",
        s.energy_initial, s.energy_final, *s.work, s.energy_error);
  else
    fmt::print("  energy    H = {:.6g} at the start, max |H - H0| = {:.1e}\n", s.energy_initial,
               s.energy_error);
  if (s.trend)
    fmt::print("  drift     {:.1e} ± {:.1e} over the run ({})\n", s.trend->total, s.trend->error,
               drift_verdict(s));
  fmt::print("  residual  max |g| = {:.1e}, max |G H_p| = {:.1e}\n", s.position_max, s.momentum_max);
  const double gradients =
      s.steps > 0 ? static_cast<double>(s.gradients) / static_cast<double>(s.steps) : 0.0;
  fmt::print("  solve     {:.2f} iterations a step, {} at most; {:.4g} gradient{} a step\n",
             s.iterations_mean, s.iterations_max, gradients, gradients == 1 ? "" : "s");
  if (s.sizes)
    fmt::print(
        "  steps     from {:.3g} to {:.3g}, {:.3g} on average; the step above is one of fictitious time\n",
        s.sizes->shortest, s.sizes->longest, s.sizes->mean);
  if (s.local_error)
    fmt::print("  error     of a step, by the method's own estimate: {:.1e} at most, {:.1e} in the last\n",
               s.local_error->largest, s.local_error->last);
  if (s.jumps > 0)
    fmt::print(
        "  jumped    the energy, in {} step{}, first at t = {:.6g}, by {:.1e} at most: this is not one "
        "trajectory\n",
        grouped(s.jumps), s.jumps == 1 ? "" : "s", s.first_jump, s.largest_jump);
  if (s.energy_lost && !s.unstable)
    fmt::print(
        "  {}    the energy was off by {:.1e}, and changed by {:.1e} in one step; the kinetic energy was "
        "{:.1e} at most:\n            {}the step is too long for these forces, or V has no bound here; look "
        "at "
        "the run with half the step\n",
        s.energy_stays_lost ? "lost  " : "coarse", s.energy_error, s.change_max, s.kinetic_max,
        s.energy_stays_lost ? "this is not the motion that was started; " : "");
  if (s.first_unexplained > 0)
    fmt::print("  first     step moved q by {:.1e} beyond what its velocity explains: the start was off\n",
               s.first_unexplained);
  if (s.nearly_dependent())
    fmt::print(
        "  pivot     of G W G^T: {:.1e} at t = {:.6g}: the constraints are nearly dependent there, and "
        "another "
        "branch\n            of them may be near; look at max |H - H0| with half the step\n",
        s.least_pivot, s.least_pivot_time);
  if (s.halved > 0)
    fmt::print(
        "  halved    {} step{} failed and {} taken in up to {} parts: the run is no longer of fixed step\n",
        grouped(s.halved), s.halved == 1 ? "" : "s", s.halved == 1 ? "was" : "were", s.parts_max);
  for (std::size_t k = 1; k < s.backends.size(); ++k)
    if (const BackendUse &before = s.backends[k - 1], &after = s.backends[k]; !same_bits(before, after))
      fmt::print("  backend   {} up to step {}, then {}: the digits are not those of one of them\n",
                 name_of(before.backend), grouped(after.from),
                 before.backend == after.backend ? "another object of it" : name_of(after.backend));
  if (!s.projection.empty() && s.projection != "none")
    fmt::print("  projected position {}, momentum {} times\n", grouped(s.position_projections),
               grouped(s.momentum_projections));
  print_events(s);
  for (const auto& [name, value] : s.quantities)
    if (std::isfinite(value))
      fmt::print("  quantity  {} = {:.10g}\n", name, value);
    else
      fmt::print("  quantity  {} has no value at the end: its formula is {} there\n", name,
                 std::isnan(value) ? "not a number" : "infinite");
  // A failed run prints its last good state to the last digit; if that is long, --json and summary.json
  // have all of it.
  const bool failed = !s.error.empty();
  if (s.wide && (failed || s.q.size() <= 4)) {
    fmt::print("  state     q = {}\n            p = {}\n",
               vector_text(without_time(s.wide->q, s), s.precision),
               vector_text(without_time(s.wide->p, s), s.precision));
    if (!s.wide->lambda.empty())
      fmt::print("            lambda = {}\n", vector_text(s.wide->lambda, s.precision));
  } else if (failed || s.q.size() <= 4) {
    const std::string_view format = failed ? "{}" : "{:.10g}";
    fmt::print("  state     q = {}\n            p = {}\n", vector_text(without_time(s.q, s), format),
               vector_text(without_time(s.p, s), format));
    if (!s.lambda.empty()) fmt::print("            lambda = {}\n", vector_text(s.lambda, format));
  }
}

// Says how to continue the run, in the folder as it is called now. If `halves`, a step that fails was taken
// in parts.
std::string how_to_go_on(const std::string& typed, bool halves, const Recording* recording) {
  if (recording == nullptr)
    return StopSignals::caught() == 0 ? "" : "  Nothing was kept: with --out DIR a run can be continued.\n";
  if (!recording->saved()) return "";
  const std::int64_t step = *recording->saved();
  const std::string now = recording->folder()->path_now(), &out = now.empty() ? typed : now;
  const Kept kept = recording->kept();
  if (!kept.state)
    return fmt::format("  The checkpoint of step {} is no longer in {}, or another program changed it.\n",
                       step, out);
  const bool failed = kept.status == RunStatus::failed;
  const std::string what =
      kept.samples
          ? fmt::format("  All up to step {} is safe in {}", step, out)
          : fmt::format("  The state of step {} is safe in {}, the samples before it are not", step, out);
  if (failed && halves) return what + ".\n";  // the same step would fail in the same way
  return fmt::format("{}; `taut resume {}{}{}{}` continues from there.\n", what, shell_word(out),
                     kept.previous ? " --previous" : "", kept.samples ? "" : " --new-samples",
                     failed ? " --on-failure halve" : "");
}

// Makes the page, unless it belongs into a folder that could not be made.
void make_report(const ModelRun& model, const RunSummary& summary, const CarriedOut& how) {
  if (how.recording != nullptr && how.recording->folder() == nullptr) return;
  const std::vector<RecordedRun> runs = {
      {method_label(summary), summary, how.report->record, 0, watched_names(model)}};
  Report report = report_of_runs(drawing_hints(model.model), runs, climb({model}, {runs.front().name}));
  report.computed = computed_by({&model}, {summary}, {how.report->command, origin_of_report().date});
  write_wanted(*how.wanted, how.recording == nullptr ? nullptr : how.recording->folder(), report);
}

// Returns the SHA-256 of q, then p, each number as eight little-endian bytes: as for the trajectories of an
// ensemble.
std::string state_hash(const RunSummary& s) {
  std::string bytes;
  for (const auto* numbers : {&s.q, &s.p})
    for (const double x : *numbers)
      for (int k = 0; k < 64; k += 8)
        bytes.push_back(static_cast<char>(std::bit_cast<std::uint64_t>(x) >> k & 0xff));
  return sha256(bytes);
}

}  // namespace

int carry_out(const ModelRun& model, Watcher& watcher, const CarriedOut& how) {
  const std::string& out = model.request.out;
  const std::string last_good = !out.empty() ? "in " + out + "/summary.json"
                                : how.json   ? "in the JSON object on standard output"
                                             : "on standard output";
  const StopSignals signals;
  RunSummary summary;
  try {
    summary = model.run(watcher, last_good, how.from);
  } catch (const MemoryError& error) {
    // What the machine holds is no state; the last checkpoint stands.
    watcher.clear();
    fmt::print(stderr, "taut: {}\n{}", harmless_lines(error.what()),
               how_to_go_on(out, model.request.halve_on_failure, how.recording));
    return 1;
  } catch (const StoppedWhileCompiling&) {
    watcher.clear();
    const int signal = StopSignals::caught();
    fmt::print(stderr, "taut: stopped by {} while the step was compiled; the run has not begun.\n{}",
               StopSignals::name(signal), how_to_go_on(out, model.request.halve_on_failure, how.recording));
    return 128 + signal;
  }
  watcher.clear();
  const auto write = [&summary](const auto& file) {
    try {
      file();
    } catch (const WriteError& error) {
      if (summary.error.empty()) summary.error = error.what();
    }
  };
  const Folder* folder = how.recording == nullptr ? nullptr : how.recording->folder();
  const std::string folder_now = folder == nullptr ? "" : folder->path_now();
  if (how.recording != nullptr && how.recording->saved() && !folder_now.empty())
    write([&] { write_summary(*folder, summary); });
  if (how.wanted != nullptr) write([&] { make_report(model, summary, how); });
  if (!folder_now.empty() && folder_now != out)
    fmt::print(stderr, "taut: the folder {} was renamed meanwhile: the run is in {}\n", out, folder_now);
  // A summary that finds no room must not keep the words about the run from being read.
  printed([&] {
    if (how.hash)
      fmt::print("{}\n", state_hash(summary));
    else if (how.json)
      fmt::print("{}\n", to_json(summary));
    else
      print_summary(summary);
  });
  const int written = finish_output();
  if (summary.error.empty()) return written;
  // A run that is unstable or has lost its energy is finished: nothing is left to go on with.
  fmt::print(stderr, "taut: {}\n{}", harmless_lines(summary.error),
             summary.unstable || summary.energy_stays_lost
                 ? ""
                 : how_to_go_on(out, model.request.halve_on_failure, how.recording));
  return StopSignals::caught() == 0 ? 1 : 128 + StopSignals::caught();
}

}  // namespace taut::cli
