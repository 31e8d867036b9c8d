#include <taut/measure/periodogram.hpp>
#include <taut/report/run_report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr std::size_t most_portraits = 4;

bool one(const std::vector<RecordedRun>& runs) { return runs.size() == 1; }

Series over_time(const SeriesPoints& points, std::string name) {
  return {.name = std::move(name), .x = points.x, .y = points.y};
}

// Asks whether one axis with even steps would draw the energy error of one run on top of zero.
bool far_apart(const std::vector<RecordedRun>& runs) {
  const auto less = [](const RecordedRun& a, const RecordedRun& b) {
    return a.summary.energy_error < b.summary.energy_error;
  };
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end(), less);
  return most->summary.energy_error > 20 * least->summary.energy_error;
}

}  // namespace

Figure energy_figure(const std::vector<RecordedRun>& runs) {
  Figure figure{.title = "Energy error", .x = {.label = "t"}, .y = {.label = "H − H₀"}};
  if (far_apart(runs)) figure.y = {"|H − H₀|", Axis::logarithmic};
  for (const RecordedRun& run : runs) {
    Series series = over_time(run.record.energy_error(), one(runs) ? "" : run.name);
    if (figure.y.kind == Axis::logarithmic)
      for (double& error : series.y) error = std::abs(error);
    figure.series.push_back(std::move(series));
  }
  return figure;
}

std::vector<Figure> residual_figures(const std::vector<RecordedRun>& runs) {
  Figure g{.title = "Position residual", .x = {.label = "t"}, .y = {"max |g|", Axis::logarithmic}};
  Figure f{.title = "Momentum residual", .x = {.label = "t"}, .y = {"max |G H_p|", Axis::logarithmic}};
  Figure both{.title = "Residuals", .x = {.label = "t"}, .y = {"residual", Axis::logarithmic}};
  for (const RecordedRun& run : runs) {
    g.series.push_back(over_time(run.record.position(), run.name));
    f.series.push_back(over_time(run.record.momentum(), run.name));
    both.series.push_back(over_time(run.record.position(), "max |g|"));
    both.series.push_back(over_time(run.record.momentum(), "max |G H_p|"));
  }
  if (one(runs)) return {both};
  return {g, f};
}

namespace {

// Adds the frame of a run at time t, interpolated between its two neighbours.
void put_frame(const Drawing& drawing, const RecordedFrames& frames, double t, std::size_t& at,
               Animation::Run& out) {
  const double sign = frames.times.back() >= frames.times.front() ? 1 : -1;
  while (at + 1 < frames.times.size() && sign * (frames.times[at + 1] - t) <= 0) ++at;
  std::vector<double> q = frames.q[at], p = frames.p[at];
  if (at + 1 < frames.times.size() && frames.times[at] != t) {
    const double part = (t - frames.times[at]) / (frames.times[at + 1] - frames.times[at]);
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] += part * (frames.q[at + 1][i] - q[i]);
      p[i] += part * (frames.p[at + 1][i] - p[i]);
    }
  }
  drawing.put(q, p, out.places);
  const Reading& reading = frames.readings[at];
  out.energy_error.push_back(reading.energy - out.energy);
  out.position.push_back(reading.position);
  out.momentum.push_back(reading.momentum);
}

Animation animation(const DrawingHints& hints, const std::vector<RecordedRun>& runs) {
  const RecordedRun& longest =
      *std::max_element(runs.begin(), runs.end(), [](const RecordedRun& a, const RecordedRun& b) {
        return a.record.frames().times.size() < b.record.frames().times.size();
      });
  const RecordedFrames& lead = longest.record.frames();
  std::vector<std::vector<double>> some;  // enough to tell what is rigid
  for (std::size_t k = 0; k < 200 && k < lead.q.size(); ++k)
    some.push_back(lead.q[k * lead.q.size() / std::min<std::size_t>(200, lead.q.size())]);
  const Drawing drawing = find_drawing(hints, some);
  Animation animation = drawing.picture;
  animation.title = "Motion";
  animation.times = lead.times;
  const bool whole =
      std::all_of(runs.begin(), runs.end(), [](const RecordedRun& r) { return r.record.frames().whole; });
  if (!whole)
    animation.note += fmt::format(
        "{}The animation shows the beginning of the run, to t = {:.6g}: beyond, frames would lie too far "
        "apart to "
        "look like a motion.",
        animation.note.empty() ? "" : " ", lead.times.back());
  for (const RecordedRun& run : runs) {
    const RecordedFrames& frames = run.record.frames();
    Animation::Run& out =
        animation.runs.emplace_back(Animation::Run{.name = run.name, .energy = run.record.energy()});
    std::size_t at = 0;
    for (const double t : lead.times) {
      if (std::abs(t) > std::abs(frames.times.back())) break;
      put_frame(drawing, frames, t, at, out);
    }
  }
  return animation;
}

std::string momentum_name(const std::string& coordinate, std::size_t i) {
  return coordinate == fmt::format("q{}", i + 1) ? fmt::format("p{}", i + 1) : "p_" + coordinate;
}

// Returns the extent of a column over the frames.
double extent(const std::vector<std::vector<double>>& frames, std::size_t i) {
  double low = frames.front()[i], high = low;
  for (const auto& frame : frames) {
    low = std::min(low, frame[i]);
    high = std::max(high, frame[i]);
  }
  return high - low;
}

// Asks whether a coordinate or its momentum moves, beside what rounding moves.
bool moves(const RecordedFrames& frames, std::size_t i) {
  double largest_q = 0, largest_p = 0;
  for (std::size_t k = 0; k < frames.q.front().size() && k < 2 * RunRecord::most_state_columns; ++k) {
    largest_q = std::max(largest_q, extent(frames.q, k));
    largest_p = std::max(largest_p, extent(frames.p, k));
  }
  constexpr double rounding = 1e-10;
  return extent(frames.q, i) > rounding * largest_q || extent(frames.p, i) > rounding * largest_p;
}

// The portraits are those of the first coordinates that move; `still` gets the names of others before them.
std::vector<Figure> portraits(const DrawingHints& hints, const std::vector<RecordedRun>& runs,
                              std::vector<std::string>& still) {
  std::vector<Figure> figures;
  const RecordedFrames& first = runs.front().record.frames();
  for (std::size_t i = 0; i < first.q.front().size() && figures.size() < most_portraits; ++i) {
    const std::string &name = hints.coordinates[i], momentum = momentum_name(name, i);
    if (!moves(first, i)) {
      if (still.size() < 12) still.push_back(name);
      continue;
    }
    Figure figure{
        .title = fmt::format("{} and its momentum", name), .x = {.label = name}, .y = {.label = momentum}};
    for (const RecordedRun& run : runs) {
      const RecordedFrames& frames = run.record.frames();
      Series series{.name = one(runs) ? "" : run.name};
      for (std::size_t k = 0; k < frames.times.size(); ++k) {
        series.x.push_back(frames.q[k][i]);
        series.y.push_back(frames.p[k][i]);
      }
      figure.series.push_back(std::move(series));
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

// Names the columns of the record: coordinates, momenta, quantities, and the energy error at the end.
std::vector<std::string> column_names(const DrawingHints& hints, const RecordedRun& run) {
  std::vector<std::string> names;
  const std::size_t n = run.record.state_columns();
  for (std::size_t i = 0; i < n; ++i) names.push_back(hints.coordinates[i]);
  for (std::size_t i = 0; i < n; ++i) names.push_back(momentum_name(hints.coordinates[i], i));
  for (std::size_t i = 0; i < run.record.more_columns(); ++i) names.push_back(run.quantities[i]);
  names.emplace_back("H − H₀");
  return names;
}

Columns::Run columns_of_run(const RecordedRun& run, std::size_t count) {
  constexpr std::size_t most_numbers = 240000;  // about a megabyte of the page
  const RecordedFrames& frames = run.record.frames();
  const std::size_t n = run.record.state_columns(), stride = 1 + frames.times.size() * count / most_numbers;
  Columns::Run out{.name = run.name};
  for (std::size_t f = 0; f < frames.times.size(); f += stride) out.frame_times.push_back(frames.times[f]);
  const auto add = [&](SeriesPoints points, const auto& at_frame) {
    out.times.push_back(std::move(points.x));
    out.values.push_back(std::move(points.y));
    std::vector<float>& values = out.frames.emplace_back();
    for (std::size_t f = 0; f < frames.times.size(); f += stride)
      values.push_back(static_cast<float>(at_frame(f)));
  };
  for (std::size_t k = 0; k + 1 < count; ++k) {
    const auto& source = k < n ? frames.q : k < 2 * n ? frames.p : frames.more;
    const std::size_t i = k < n ? k : k < 2 * n ? k - n : k - 2 * n;
    add(run.record.column(k), [&](std::size_t f) { return source[f][i]; });
  }
  add(run.record.energy_error(),
      [&](std::size_t f) { return frames.readings[f].energy - run.record.energy(); });
  return out;
}

// The first coordinates that move are shown over time, and the second over the first as a path.
Columns columns_of(const DrawingHints& hints, const std::vector<RecordedRun>& runs) {
  const RecordedRun& first = runs.front();
  Columns columns{.title = "Any column", .names = column_names(hints, first)};
  const std::size_t n = first.record.state_columns(), all = first.record.frames().q.front().size();
  std::vector<int> moving;
  for (std::size_t i = 0; i < n; ++i)
    if (moves(first.record.frames(), i)) moving.push_back(static_cast<int>(i));
  if (moving.empty()) moving = {0};
  columns.over_time.assign(moving.begin(), moving.begin() + std::min<std::ptrdiff_t>(3, std::ssize(moving)));
  if (!one(runs)) columns.over_time.resize(1);
  columns.path = {moving.front(), moving.size() > 1 ? moving[1] : static_cast<int>(n) + moving.front()};
  if (n < all)
    columns.note = fmt::format(
        "Here are the first {} of {} coordinates with their momenta; --out keeps the samples of all.", n,
        all);
  for (const RecordedRun& run : runs) columns.runs.push_back(columns_of_run(run, columns.names.size()));
  return columns;
}

Figure spectrum(const std::vector<RecordedRun>& runs, const std::string& title, const std::string& of,
                std::vector<double> RunRecord::Beginning::* values) {
  Figure figure{
      .title = title, .x = {"frequency", Axis::logarithmic}, .y = {"power of " + of, Axis::logarithmic}};
  for (const RecordedRun& run : runs) {
    const auto& beginning = run.record.beginning();
    const Periodogram found = periodogram(beginning.*values, beginning.spacing, Window::hann);
    figure.series.push_back({.name = one(runs) ? "" : run.name, .x = found.frequency, .y = found.power});
  }
  return figure;
}

Section spectra(const DrawingHints& hints, const std::vector<RecordedRun>& runs) {
  const auto& beginning = runs.front().record.beginning();
  Section section{.title = "Spectra"};
  section.text = fmt::format(
      "Periodograms of the first {} samples, {:.6g} apart, with a Hann window: a²/2 where a sine of "
      "amplitude a "
      "stands. Frequencies are cycles per unit of time.",
      beginning.energy_error.size(), beginning.spacing);
  section.panels.emplace_back(spectrum(runs, "Energy error", "H − H₀", &RunRecord::Beginning::energy_error));
  section.panels.emplace_back(
      spectrum(runs, "Motion", hints.coordinates.front(), &RunRecord::Beginning::coordinate));
  return section;
}

// Asks whether an error is the method's own: near the known accuracy of the reference it is not.
bool above_doubt(const Rung& rung, const ErrorLadder& ladder) { return rung.error > 20 * ladder.doubt; }

// Draws how well the reference is known: errors below that line are those of the reference.
void add_reference(const ErrorLadder& ladder, Figure& figure) {
  Series line{
      .name = "the reference itself", .dashed = true, .colour = static_cast<int>(ladder.methods.size())};
  for (const Series& series : figure.series) line.x.insert(line.x.end(), series.x.begin(), series.x.end());
  std::sort(line.x.begin(), line.x.end());
  line.y.assign(line.x.size(), ladder.known_to);
  figure.series.push_back(std::move(line));
}

Section orders(const ErrorLadder& ladder) {
  Section section{.title = "Order and cost"};
  if (!ladder.refusal.empty()) {
    section.text = fmt::format("No errors here: {}.", ladder.refusal);
    return section;
  }
  section.text = fmt::format(
      "The error is the largest difference of a coordinate or momentum at t = {:.6g} from {}, which is known "
      "to "
      "about {:.0e}. Slopes are fitted to the points well above that.",
      ladder.time, ladder.reference, ladder.known_to);
  Figure against_h{
      .title = "Error against step size", .x = {"h", Axis::logarithmic}, .y = {"error", Axis::logarithmic}};
  Figure against_work{.title = "Work and precision",
                      .x = {"CPU seconds", Axis::logarithmic},
                      .y = {"error", Axis::logarithmic}};
  Figure against_gradients{.title = "Gradients and precision",
                           .x = {"gradients of V, or H_q", Axis::logarithmic},
                           .y = {"error", Axis::logarithmic}};
  int colour = 0;
  for (const auto& method : ladder.methods) {
    Series error{.name = method.name, .mark = Mark::line_and_points, .colour = colour};
    Series work = error, clear = error, gradients = error;
    for (const Rung& rung : method.rungs) {
      const double h = std::abs(rung.h);  // a run backwards has an order too
      error.x.push_back(h);
      work.x.push_back(rung.seconds);
      gradients.x.push_back(static_cast<double>(rung.gradients));
      error.y.push_back(rung.error);
      if (!above_doubt(rung, ladder)) continue;
      clear.x.push_back(h);
      clear.y.push_back(rung.error);
    }
    work.y = gradients.y = error.y;
    const auto line = fitted_line(clear);
    if (line) error.mark = Mark::points;  // the dashed line goes through them
    against_h.series.push_back(std::move(error));
    if (line) against_h.series.push_back(*line);
    against_work.series.push_back(std::move(work));
    against_gradients.series.push_back(std::move(gradients));
    ++colour;
  }
  for (Figure* figure : {&against_work, &against_gradients}) add_reference(ladder, *figure);
  section.panels = {std::move(against_h), std::move(against_gradients), std::move(against_work)};
  return section;
}

std::vector<Fact> facts(const std::vector<RecordedRun>& runs) {
  const RunSummary& s = runs.front().summary;
  std::vector<Fact> facts;
  if (one(runs)) facts.push_back({"method", runs.front().name});
  facts.push_back({"step", fmt::format("{}", s.step)});
  if (!one(runs)) {
    facts.push_back({"steps", fmt::format("{}", s.wanted)});
    facts.push_back({"to time", fmt::format("{:.10g}", static_cast<double>(s.wanted) * s.step)});
    return facts;
  }
  facts.push_back({"steps", fmt::format("{}", s.steps)});
  facts.push_back({"to time", fmt::format("{:.10g}", s.time)});
  facts.push_back({"max |H − H₀|", fmt::format("{:.2e}", s.energy_error)});
  if (s.trend)
    facts.push_back({"drift of H", fmt::format("{:.1e} ± {:.1e}", s.trend->total, s.trend->error)});
  facts.push_back({"max |g|", fmt::format("{:.1e}", s.position_max)});
  facts.push_back({"max |G H_p|", fmt::format("{:.1e}", s.momentum_max)});
  facts.push_back({"corrections a step", fmt::format("{:.2f}", s.iterations_mean)});
  facts.push_back({"seconds", fmt::format("{:.3g}", s.seconds)});
  return facts;
}

std::string warnings(const std::vector<RecordedRun>& runs) {
  std::string text;
  for (const RecordedRun& run : runs)
    if (!run.summary.error.empty())
      text += fmt::format("! {}\n\n", run.summary.error);  // it names the method
  for (const RecordedRun& run : runs) {
    const RunSummary& s = run.summary;
    if (s.jumps > 0)
      text += fmt::format(
          "! {}: the energy jumped in {} step{}, first at t = {:.6g}, by {:.1e} at most: this is not one "
          "trajectory.\n\n",
          run.name, s.jumps, s.jumps == 1 ? "" : "s", s.first_jump, s.largest_jump);
    if (s.energy_lost)
      text += fmt::format(
          "! {}: the energy was off by {:.1e}, and changed by {:.1e} in one step; the kinetic energy was "
          "{:.1e} at "
          "most: the step is too long for these forces, or V has no bound here.\n\n",
          run.name, s.energy_error, s.change_max, s.kinetic_max);
    if (s.first_unexplained > 0)
      text += fmt::format(
          "! {}: the first step moved q by {:.1e} beyond what its velocity explains: the start was off.\n\n",
          run.name, s.first_unexplained);
    if (s.nearly_dependent())
      text += fmt::format(
          "! {}: the smallest pivot of G W Gᵀ was {:.1e}, at t = {:.6g}: the constraints are nearly "
          "dependent "
          "there, and another branch of them may be near.\n\n",
          run.name, s.least_pivot, s.least_pivot_time);
    for (const std::string& sentence : s.warnings) text += fmt::format("! {}\n\n", sentence);
  }
  return text;
}

}  // namespace

std::string method_label(const RunSummary& s) {
  std::string label = s.formulation.empty() ? s.method : s.method + " on " + s.formulation;
  if (!s.projection.empty() && s.projection != "none") label += ", projected";
  return label;
}

std::vector<std::string> watched_names(const ModelRun& run) {
  return run.watched().watched(run.coordinates());
}

std::int64_t recording_interval(const Schedule& schedule) {
  constexpr std::int64_t most_samples = 2000000;  // a second or two
  std::int64_t interval = std::min(schedule.every, 1 + schedule.steps / most_samples);
  while (schedule.every % interval != 0) --interval;
  return interval;
}

Table ladder_table(const ErrorLadder& ladder) {
  Table table{.title = "Errors and work",
              .columns = {"method", "step", fmt::format("error at t = {:.4g}", ladder.time), "CPU seconds",
                          "gradients"}};
  for (const auto& method : ladder.methods)
    for (const Rung& rung : method.rungs)
      table.rows.push_back({method.name, fmt::format("{}", rung.h), fmt::format("{:.2e}", rung.error),
                            fmt::format("{:.3g}", rung.seconds), fmt::format("{}", rung.gradients)});
  return table;
}

Table work_table(const ErrorLadder& ladder) {
  Table table{.title = "Work for a precision", .columns = {"error at most"}};
  for (const auto& method : ladder.methods) table.columns.push_back(method.name);
  for (int digits = 2; digits <= 12; digits += 2) {
    const double error = std::pow(10.0, -digits);
    if (error < 10 * ladder.known_to) break;  // below that it is the reference's own error
    std::vector<std::optional<WorkToError>> all;
    double least = 0;
    for (const auto& method : ladder.methods) {
      all.push_back(work_to(error, method));
      if (all.back() && (least == 0 || all.back()->seconds < least)) least = all.back()->seconds;
    }
    if (least == 0) continue;
    std::vector<Cell> row{fmt::format("{:.0e}", error)};
    for (const auto& work : all)
      row.emplace_back(work ? fmt::format("{}{:.3g} ms ({:.2f}), {:.0f} gradients",
                                          work->at_most ? "at most " : "", 1e3 * work->seconds,
                                          work->seconds / least, work->gradients)
                            : std::string("not reached here"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string result_of(const RunSummary& s) {
  if (s.unstable) return "unstable";
  if (s.energy_stays_lost) return "energy lost";
  return s.error.empty() ? "done" : fmt::format("failed at t = {:.4g}", s.time);
}

std::optional<double> error_at_step(const ErrorLadder& ladder, std::size_t k, double step) {
  if (k >= ladder.methods.size()) return std::nullopt;
  for (const Rung& rung : ladder.methods[k].rungs)
    if (rung.h == step) return rung.error;
  return std::nullopt;
}

Table comparison(const std::vector<RecordedRun>& runs, const ErrorLadder& ladder) {
  Table table{.title = "Side by side",
              .columns = {"method", "max |H − H₀|", "drift of H", "max |g|", "max |G H_p|",
                          fmt::format("error at t = {:.4g}", ladder.time), "gradients a step", "µs a step",
                          "result"}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const RunSummary& s = runs[k].summary;
    const auto error = error_at_step(ladder, k, s.step);
    const bool drifts = s.trend && s.trend->beyond_its_error();
    const std::string drift = s.trend ? fmt::format("{:.1e} ± {:.1e}", s.trend->total, s.trend->error) : "–";
    table.rows.push_back(
        {runs[k].name,
         fmt::format("{:.2e}", s.energy_error),
         {drift, !s.trend ? Verdict::none
                 : drifts ? Verdict::fair
                          : Verdict::good},
         fmt::format("{:.1e}", s.position_max),
         fmt::format("{:.1e}", s.momentum_max),
         error ? fmt::format("{:.2e}", *error) : "–",
         s.steps > 0 ? fmt::format("{:.4g}", static_cast<double>(s.gradients) / static_cast<double>(s.steps))
                     : "–",
         runs[k].step_seconds > 0 ? fmt::format("{:.3g}", 1e6 * runs[k].step_seconds) : "–",
         {result_of(s), s.error.empty() ? Verdict::good : Verdict::bad}});
  }
  table.note =
      "Maxima are over every step. The drift is that of the energy over the run, with its 95 % interval; it "
      "is marked where it is beyond it. Gradients are evaluations of ∇V or of H_q. The cost of a step is CPU "
      "time, the least of five measurements in "
      "which "
      "the methods take turns.";
  return table;
}

Report report_of_runs(const DrawingHints& hints, const std::vector<RecordedRun>& runs,
                      const ErrorLadder& ladder) {
  Report report{.title = runs.front().summary.model, .text = warnings(runs), .facts = facts(runs)};
  Section motion{.title = one(runs) ? "The run" : "The runs"};
  if (!one(runs)) motion.panels.emplace_back(comparison(runs, ladder));
  motion.panels.emplace_back(animation(hints, runs));
  motion.panels.emplace_back(energy_figure(runs));
  for (Figure& figure : residual_figures(runs)) motion.panels.emplace_back(std::move(figure));
  Section phase{.title = "Phase portraits"};
  std::vector<std::string> still;
  for (Figure& figure : portraits(hints, runs, still)) phase.panels.emplace_back(std::move(figure));
  if (!still.empty())
    phase.text = fmt::format("Without those that stay constant: {}.", fmt::join(still, ", "));
  motion.panels.emplace_back(columns_of(hints, runs));
  report.sections = {std::move(motion), std::move(phase), spectra(hints, runs), orders(ladder)};
  return report;
}

}  // namespace taut
