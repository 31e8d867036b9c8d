#include <taut/measure/periodogram.hpp>
#include <taut/study/report.hpp>

#include <fmt/format.h>

#include <cmath>

namespace taut {

namespace {

Verdict cell_colour(StudyVerdict verdict) {
  switch (verdict) {
    case StudyVerdict::reproduced:
      return Verdict::good;
    case StudyVerdict::under_reading:
      return Verdict::fair;
    case StudyVerdict::not_reproduced:
      return Verdict::bad;
  }
  return Verdict::none;
}

Table rows_table(const StudyResult& result) {
  Table table{.title = "Published beside measured",
              .columns = {"quantity", "published", "measured", "verdict", "reading"}};
  for (const StudyRow& row : result.rows) {
    const std::string verdict =
        std::string(name(row.verdict)) + (row.as_expected() ? "" : " (not the expected result)");
    table.rows.push_back(
        {row.quantity, row.published, measured_text(row), {verdict, cell_colour(row.verdict)}, row.reading});
  }
  return table;
}

Table overview(const std::vector<StudyResult>& results) {
  Table table{
      .title = "All studies",
      .columns = {"study", "place", "reproduced", "under a reading", "not reproduced", "as expected"}};
  for (const StudyResult& result : results) {
    int count[3] = {0, 0, 0};
    bool expected = true;
    for (const StudyRow& row : result.rows) {
      ++count[static_cast<int>(row.verdict)];
      expected = expected && row.as_expected();
    }
    table.rows.push_back({result.study.name,
                          result.study.place,
                          std::to_string(count[0]),
                          std::to_string(count[1]),
                          std::to_string(count[2]),
                          {expected ? "yes" : "no", expected ? Verdict::good : Verdict::bad}});
  }
  return table;
}

Series along_the_run(const StudyMeasurement& measurement, const StudyPlot::Curve& curve) {
  const History& history = measurement.members(curve.run).back();
  return {.name = curve.label,
          .x = curve.x ? measurement.series(history, *curve.x, curve.reference) : history.time,
          .y = measurement.series(history, *curve.y, curve.reference)};
}

Series over_the_family(const StudyMeasurement& measurement, const StudyPlot::Curve& curve) {
  Series series{.name = curve.label, .mark = Mark::line_and_points};
  for (const History& history : measurement.members(curve.run)) {
    series.x.push_back(std::abs(history.step));
    series.y.push_back(measurement.last(history, *curve.y, curve.reference));
  }
  return series;
}

Series spectrum(const StudyMeasurement& measurement, const StudyPlot& plot, const StudyPlot::Curve& curve) {
  const double interval = measurement.constant(*plot.interval);
  const Periodogram p =
      periodogram(measurement.every(measurement.members(curve.run).back(), *curve.y, interval), interval);
  return {.name = curve.label, .x = p.frequency, .y = p.power};
}

Figure figure_of(const StudyMeasurement& measurement, const StudyPlot& plot) {
  Figure figure{.title = plot.title,
                .x = {plot.x_label, plot.log_x ? Axis::logarithmic : Axis::linear},
                .y = {plot.y_label, plot.log_y ? Axis::logarithmic : Axis::linear}};
  for (const StudyPlot::Curve& curve : plot.curves) {
    if (plot.kind == "spectrum") {
      figure.series.push_back(spectrum(measurement, plot, curve));
    } else if (plot.kind == "series") {
      figure.series.push_back(along_the_run(measurement, curve));
    } else {
      figure.series.push_back(over_the_family(measurement, curve));
      const int colour = colour_of(figure, figure.series.size() - 1);
      if (auto line = fitted_line(figure.series.back())) {
        line->colour = colour;
        figure.series.push_back(std::move(*line));
      }
    }
  }
  return figure;
}

}  // namespace

Report study_report(const std::vector<StudyResult>& results) {
  Report report{.title = "Five papers, reproduced",
                .text =
                    "Every experiment of the papers, published beside "
                    "measured. A number is reproduced when it "
                    "rounds to the digits printed; where the text leaves "
                    "something open, the row says which "
                    "reading or choice of data was taken."};
  int rows = 0;
  for (const StudyResult& result : results) rows += static_cast<int>(result.rows.size());
  report.facts = {{"studies", std::to_string(results.size())}, {"quantities", std::to_string(rows)}};
  report.sections.push_back({.title = "Overview", .text = {}, .panels = {overview(results)}});
  for (const StudyResult& result : results) {
    const StudyMeasurement measurement(result.study, result.runs);
    Section section{
        .title = result.study.name + ": " + result.study.title, .text = result.study.place, .panels = {}};
    section.panels.push_back(rows_table(result));
    for (const StudyPlot& plot : result.study.plots) section.panels.push_back(figure_of(measurement, plot));
    report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace taut
