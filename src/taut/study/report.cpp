#include <taut/measure/periodogram.hpp>
#include <taut/study/report.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace taut {

namespace {

Verdict cell_colour(const StudyRow& row) {
  if (row.kind != RowKind::statement && row.kind != RowKind::number) return Verdict::none;
  switch (row.verdict) {
    case StudyVerdict::reproduced:
      return Verdict::good;
    case StudyVerdict::under_reading:
      return Verdict::fair;
    case StudyVerdict::not_reproduced:
      return Verdict::bad;
  }
  return Verdict::none;
}

std::string second_text(const StudyRow& row) {
  if (row.independent.empty()) return "";
  return row.independent + (row.differs ? ", which is not what was measured" : "");
}

// Returns where the second computations of a study come from, one sentence each.
std::string origins_of(const StudyResult& result) {
  std::string text;
  for (const StudyRow& row : result.rows)
    if (!row.independent_by.empty() && text.find(row.independent_by) == std::string::npos)
      text += (text.empty() ? "Second computation: " : "; ") + row.independent_by;
  return text;
}

// Returns the rows of some kinds as a table.
template <class Wanted>
Table rows_table(const StudyResult& result, const char* title, const char* said, Wanted wanted) {
  Table table{
      .title = title,
      .columns = {"quantity", said, "measured", "accepted", "second computation", "verdict", "reading"}};
  for (const StudyRow& row : result.rows) {
    if (!wanted(row.kind)) continue;
    const std::string verdict = verdict_text(row) + (row.as_expected() ? "" : " (not the expected result)");
    table.rows.push_back({row.quantity,
                          row.kind == RowKind::statement ? row.statement : row.published,
                          measured_text(row),
                          row.accepted,
                          second_text(row),
                          {verdict, cell_colour(row)},
                          row.reading});
  }
  return table;
}

// Adds the numbers, the statements and what is not counted, each as a table of its own if there are any.
void add_tables(const StudyResult& result, Section& section) {
  const auto number = [](RowKind kind) { return kind == RowKind::number; };
  const auto statement = [](RowKind kind) { return kind == RowKind::statement; };
  const auto other = [&](RowKind kind) { return !number(kind) && !statement(kind); };
  std::array tables = {rows_table(result, "Numbers", "published", number),
                       rows_table(result, "Statements", "the paper says", statement),
                       rows_table(result, "Shown and not counted", "published", other)};
  for (Table& table : tables)
    if (!table.rows.empty()) section.panels.push_back(std::move(table));
}

// Returns "12 reproduced, 3 under a reading, 1 not", without the parts that are zero.
std::string in_words(const VerdictCount& count) {
  static constexpr std::array<const char*, 3> words = {"reproduced", "under a reading", "not"};
  std::string text;
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count[k], words[k]);
  return text;
}

Table overview(const std::vector<StudyResult>& results) {
  Table table{.title = "All studies",
              .columns = {"study", "place", "statements", "numbers", "other rows", "as expected"}};
  for (std::size_t k = 0; k < results.size(); ++k) {
    const StudyTally tally = tally_of(results[k]);
    const auto cell = [](const VerdictCount& count) {
      if (count[0] + count[1] + count[2] == 0) return Cell("");
      return Cell(in_words(count), count[2] > 0   ? Verdict::bad
                                   : count[1] > 0 ? Verdict::fair
                                                  : Verdict::good);
    };
    Cell study(results[k].study.name);
    study.section = static_cast<int>(k) + 2;  // the overview is the first section
    table.rows.push_back(
        {study,
         results[k].study.place,
         cell(tally.statements),
         cell(tally.numbers),
         std::to_string(tally.others),
         {tally.unexpected == 0 ? "yes" : "no", tally.unexpected == 0 ? Verdict::good : Verdict::bad}});
  }
  return table;
}

Table shortfall_table(const std::vector<StudyResult>& results) {
  Table table{.title = "Not reproduced",
              .columns = {"study", "kind", "published", "why, as far as it is known"}};
  for (const Shortfall& one : shortfalls(results)) {
    Cell study(one.study);
    for (std::size_t k = 0; k < results.size(); ++k)
      if (results[k].study.name == one.study) study.section = static_cast<int>(k) + 2;
    table.rows.push_back({study, std::string(name(one.kind)), one.what, one.why});
  }
  return table;
}

// Returns the part of a run that the figure of the paper shows.
Series along_the_run(const StudyMeasurement& measurement, const StudyPlot& plot,
                     const StudyPlot::Curve& curve) {
  const History& history = measurement.members(curve.run).back();
  const std::vector<double> x =
      curve.x ? measurement.series(history, *curve.x, curve.reference) : history.time;
  const std::vector<double> y = measurement.series(history, *curve.y, curve.reference);
  const double slack = 1e-6 * std::abs(history.step), most = std::numeric_limits<double>::max();
  const double from = plot.from ? measurement.constant(*plot.from) - slack : -most;
  const double to = plot.to ? measurement.constant(*plot.to) + slack : most;
  Series series{.name = curve.label, .mark = plot.points ? Mark::points : Mark::line};
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (history.time[k] < from || history.time[k] > to) continue;
    series.x.push_back(x[k]);
    series.y.push_back(y[k]);
  }
  return series;
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
  const double from = plot.from ? measurement.constant(*plot.from) : 0;
  const double to = plot.to ? measurement.constant(*plot.to) : std::numeric_limits<double>::max();
  Series series{.name = curve.label};
  for (std::size_t k = 0; k < p.frequency.size(); ++k) {
    if (p.frequency[k] < from || p.frequency[k] > to) continue;
    series.x.push_back(p.frequency[k]);
    series.y.push_back(p.power[k]);
  }
  return series;
}

Figure figure_of(const StudyMeasurement& measurement, const StudyPlot& plot) {
  Figure figure{.title = plot.title,
                .x = {plot.x_label, plot.log_x ? Axis::logarithmic : Axis::linear},
                .y = {plot.y_label, plot.log_y ? Axis::logarithmic : Axis::linear}};
  for (const StudyPlot::Curve& curve : plot.curves) {
    if (plot.kind == "spectrum") {
      figure.series.push_back(spectrum(measurement, plot, curve));
    } else if (plot.kind == "series") {
      figure.series.push_back(along_the_run(measurement, plot, curve));
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
  Report report{
      .title = "Five papers, reproduced",
      .text =
          "Every experiment of the papers, published beside measured, with what would have been accepted "
          "and what a second computation found. A printed number is reproduced if the measured one rounds "
          "to its digits. A statement is reproduced if all its rows are; its words are translated by "
          "one table, which is the same for all papers (docs/guide/reproduce.md). If the text "
          "leaves something open, the row says which reading or choice of data was taken. Controls, "
          "rejected readings and values that hold by construction are shown and not counted. \"As expected\" "
          "says "
          "no more than that the verdicts are those which the file of the study has: a row that is not "
          "reproduced may be expected."};
  StudyTally all;
  for (const StudyResult& result : results) all.add(tally_of(result));
  report.facts = {{"statements of the papers", in_words(all.statements)},
                  {"numbers of the papers", in_words(all.numbers)},
                  {"other rows", std::to_string(all.others)},
                  {"studies", std::to_string(results.size())}};
  Section first{.title = "Overview", .text = {}, .panels = {overview(results)}};
  if (Table missing = shortfall_table(results); !missing.rows.empty())
    first.panels.push_back(std::move(missing));
  report.sections.push_back(std::move(first));
  for (const StudyResult& result : results) {
    const StudyMeasurement measurement(result.study, result.runs);
    Section section{
        .title = result.study.name + ": " + result.study.title, .text = result.study.place, .panels = {}};
    if (const std::string origins = origins_of(result); !origins.empty()) section.text += "\n\n" + origins;
    add_tables(result, section);
    for (const StudyPlot& plot : result.study.plots) section.panels.push_back(figure_of(measurement, plot));
    report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace taut
