#include <taut/measure/periodogram.hpp>
#include <taut/report/run_report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr std::size_t most_portraits = 4;

bool one(const std::vector<RecordedRun>& runs) { return runs.size() == 1; }

Series over_time(const SeriesPoints& points, std::string name) {
  return {.name = std::move(name), .x = points.x, .y = points.y};
}

Figure energy_figure(const std::vector<RecordedRun>& runs) {
  Figure figure{.title = "Energy error", .x = {.label = "t"}, .y = {.label = "H − H₀"}};
  for (const RecordedRun& run : runs)
    figure.series.push_back(over_time(run.record.energy_error(), one(runs) ? "" : run.name));
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

std::vector<Figure> portraits(const DrawingHints& hints, const std::vector<RecordedRun>& runs) {
  std::vector<Figure> figures;
  const std::size_t n = std::min(most_portraits, runs.front().record.frames().q.front().size());
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& name = hints.coordinates[i];
    const std::string momentum = name == fmt::format("q{}", i + 1) ? fmt::format("p{}", i + 1) : "p_" + name;
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
      ladder.time, ladder.reference, std::max(ladder.doubt, 1e-16));
  Figure against_h{
      .title = "Error against step size", .x = {"h", Axis::logarithmic}, .y = {"error", Axis::logarithmic}};
  Figure against_work{
      .title = "Work and precision", .x = {"seconds", Axis::logarithmic}, .y = {"error", Axis::logarithmic}};
  int colour = 0;
  for (const auto& method : ladder.methods) {
    Series error{.name = method.name, .mark = Mark::line_and_points, .colour = colour};
    Series work = error, clear = error;
    for (const Rung& rung : method.rungs) {
      const double h = std::abs(rung.h);  // a run backwards has an order too
      error.x.push_back(h);
      work.x.push_back(rung.seconds);
      error.y.push_back(rung.error);
      if (!above_doubt(rung, ladder)) continue;
      clear.x.push_back(h);
      clear.y.push_back(rung.error);
    }
    work.y = error.y;
    const auto line = fitted_line(clear);
    if (line) error.mark = Mark::points;  // the dashed line goes through them
    against_h.series.push_back(std::move(error));
    if (line) against_h.series.push_back(*line);
    against_work.series.push_back(std::move(work));
    ++colour;
  }
  section.panels = {std::move(against_h), std::move(against_work)};
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
  }
  return text;
}

}  // namespace

std::string method_label(const RunSummary& s) {
  std::string label = s.formulation.empty() ? s.method : s.method + " on " + s.formulation;
  if (!s.projection.empty() && s.projection != "none") label += ", projected";
  return label;
}

std::int64_t recording_interval(const Schedule& schedule) {
  constexpr std::int64_t most_samples = 2000000;  // a second or two
  std::int64_t interval = std::min(schedule.every, 1 + schedule.steps / most_samples);
  while (schedule.every % interval != 0) --interval;
  return interval;
}

Table comparison(const std::vector<RecordedRun>& runs, const ErrorLadder& ladder) {
  Table table{.title = "Side by side",
              .columns = {"method", "max |H − H₀|", "drift of H", "max |g|", "max |G H_p|",
                          fmt::format("error at t = {:.4g}", ladder.time), "µs a step", "result"}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const RunSummary& s = runs[k].summary;
    const bool rung = k < ladder.methods.size() && !ladder.methods[k].rungs.empty() &&
                      ladder.methods[k].rungs.front().h == s.step;
    const bool failed = !s.error.empty(), drifts = s.trend && s.trend->beyond_its_error();
    const std::string drift = s.trend ? fmt::format("{:.1e} ± {:.1e}", s.trend->total, s.trend->error) : "–";
    table.rows.push_back(
        {runs[k].name,
         fmt::format("{:.2e}", s.energy_error),
         {drift, !s.trend ? Verdict::none
                 : drifts ? Verdict::fair
                          : Verdict::good},
         fmt::format("{:.1e}", s.position_max),
         fmt::format("{:.1e}", s.momentum_max),
         rung ? fmt::format("{:.2e}", ladder.methods[k].rungs.front().error) : "–",
         s.steps > 0 ? fmt::format("{:.3g}", 1e6 * s.seconds / static_cast<double>(s.steps)) : "–",
         s.unstable ? Cell("unstable", Verdict::bad)
         : failed   ? Cell(fmt::format("failed at t = {:.4g}", s.time), Verdict::bad)
                    : Cell("done", Verdict::good)});
  }
  table.note =
      "Maxima are over every step. The drift is that of the energy over the run, with its 95 % interval; it "
      "is "
      "marked where it is beyond it.";
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
  for (Figure& figure : portraits(hints, runs)) phase.panels.emplace_back(std::move(figure));
  report.sections = {std::move(motion), std::move(phase), spectra(hints, runs), orders(ladder)};
  return report;
}

}  // namespace taut
