#include "sweep_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace taut::cli {

namespace {

// A number of a row that is drawn.
struct Drawn {
  std::string title;
  bool logarithmic;
  std::function<double(const SweepRow&)> of;
};

std::vector<Drawn> drawn_columns(const Sweep& sweep) {
  std::vector<Drawn> drawn = {
      {"max |H - H₀|", true, [](const SweepRow& r) { return r.energy_error; }},
      {"H - H₀ at the end", false, [](const SweepRow& r) { return r.energy_final - r.energy_initial; }},
      {"max |g|", true, [](const SweepRow& r) { return r.position; }},
      {"max |G H_p|", true, [](const SweepRow& r) { return r.momentum; }}};
  for (std::size_t k = 0; k < sweep.quantities.size(); ++k)
    drawn.push_back(
        {sweep.quantities[k] + " at the end", false, [k](const SweepRow& r) { return r.quantities[k]; }});
  return drawn;
}

// A trajectory that could not start has no numbers; one that failed later has those up to there.
double shown_value(const Drawn& what, const SweepRow& row) {
  return row.ending.kind == Ended::start_refused ? std::numeric_limits<double>::quiet_NaN() : what.of(row);
}

std::vector<std::string> endings() {
  std::vector<std::string> names;
  for (int k = 0; k < ended_count; ++k) names.emplace_back(words_for(static_cast<Ended>(k)));
  return names;
}

// The rows as cells over two names, if they fill a grid.
struct Grid {
  std::vector<double> x, y;         // values of the first name and of the second
  std::vector<std::size_t> row_of;  // for each cell, row by row of y
};

std::vector<double> different(const Sweep& sweep, std::size_t name) {
  std::vector<double> values;
  for (const SweepRow& r : sweep.rows) values.push_back(r.values[name]);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::optional<Grid> grid_of(const Sweep& sweep) {
  if (sweep.names.size() != 2) return std::nullopt;
  Grid grid{different(sweep, 0), different(sweep, 1), {}};
  if (grid.x.size() < 2 || grid.y.size() < 2 || grid.x.size() * grid.y.size() != sweep.rows.size())
    return std::nullopt;
  grid.row_of.assign(sweep.rows.size(), sweep.rows.size());
  const auto place = [](const std::vector<double>& in, double value) {
    return static_cast<std::size_t>(std::lower_bound(in.begin(), in.end(), value) - in.begin());
  };
  for (std::size_t k = 0; k < sweep.rows.size(); ++k) {
    const std::vector<double>& at = sweep.rows[k].values;
    std::size_t& cell = grid.row_of[place(grid.y, at[1]) * grid.x.size() + place(grid.x, at[0])];
    if (cell != sweep.rows.size()) return std::nullopt;  // two rows have the same values
    cell = k;
  }
  return grid;
}

HeatMap map_over(const Sweep& sweep, const Grid& grid, const std::function<double(const SweepRow&)>& value) {
  HeatMap map{.x_label = sweep.names[0], .y_label = sweep.names[1], .x = grid.x, .y = grid.y};
  for (const std::size_t row : grid.row_of) map.values.push_back(value(sweep.rows[row]));
  return map;
}

// The x axis: the one name that varies, or the number of the row.
struct Abscissa {
  Axis axis;
  std::vector<std::size_t> order;  // the rows in the order in which x grows
  std::vector<double> x;
};

Abscissa abscissa_of(const Sweep& sweep) {
  Abscissa a;
  a.order.resize(sweep.rows.size());
  std::iota(a.order.begin(), a.order.end(), std::size_t{0});
  const bool one = sweep.names.size() == 1;
  const auto x_of = [&](std::size_t k) { return one ? sweep.rows[k].values[0] : static_cast<double>(k); };
  std::stable_sort(a.order.begin(), a.order.end(),
                   [&](std::size_t i, std::size_t j) { return x_of(i) < x_of(j); });
  for (const std::size_t k : a.order) a.x.push_back(x_of(k));
  a.axis.label = one ? sweep.names[0] : "set";
  const bool ratios = one && !a.x.empty() && a.x.front() > 0 && a.x.back() > 50 * a.x.front();
  if (ratios) a.axis.kind = Axis::logarithmic;
  return a;
}

void add_curves(Section& section, const Sweep& sweep, const Abscissa& a) {
  for (const Drawn& what : drawn_columns(sweep)) {
    Figure f{.title = what.title,
             .x = a.axis,
             .y = {what.title, what.logarithmic ? Axis::logarithmic : Axis::linear}};
    Series done{.x = a.x, .mark = a.x.size() > 200 ? Mark::line : Mark::line_and_points};
    Series failed{.name = "up to a failure", .mark = Mark::points, .colour = 1};
    for (std::size_t k = 0; k < a.x.size(); ++k) {
      const SweepRow& row = sweep.rows[a.order[k]];
      const double y = shown_value(what, row);
      done.y.push_back(row.ending.failed() ? std::numeric_limits<double>::quiet_NaN() : y);
      if (!row.ending.failed() || !std::isfinite(y)) continue;
      failed.x.push_back(a.x[k]);
      failed.y.push_back(y);
    }
    f.series.push_back(std::move(done));
    if (!failed.x.empty()) f.series.push_back(std::move(failed));
    section.panels.emplace_back(std::move(f));
  }
}

// How long the trajectories lasted, a colour for each way in which they ended.
Figure lifetimes(const Sweep& sweep, const Abscissa& a) {
  Figure f{.title = "Steps done", .x = a.axis, .y = {"steps"}};
  for (int kind = 0; kind < ended_count; ++kind) {
    Series s{.name = std::string(words_for(static_cast<Ended>(kind))), .mark = Mark::points};
    for (std::size_t k = 0; k < a.x.size(); ++k) {
      const Ending& ending = sweep.rows[a.order[k]].ending;
      if (ending.kind != static_cast<Ended>(kind)) continue;
      s.x.push_back(a.x[k]);
      s.y.push_back(static_cast<double>(ending.steps));
    }
    if (!s.x.empty()) f.series.push_back(std::move(s));
  }
  return f;
}

Table table_of(const Sweep& sweep) {
  constexpr std::size_t most = 400;
  Table table{.columns = sweep.names};
  for (const char* name : {"max |H - H₀|", "max |g|", "max |G H_p|", "steps", "ended"})
    table.columns.emplace_back(name);
  if (sweep.rows.size() > most)
    table.note = fmt::format("The first {} of {} sets; --csv prints all of them.", most, sweep.rows.size());
  for (std::size_t k = 0; k < std::min(most, sweep.rows.size()); ++k) {
    const SweepRow& r = sweep.rows[k];
    std::vector<Cell> cells;
    for (const double x : r.values) cells.emplace_back(fmt::format("{:.6g}", x));
    for (const double x : {r.energy_error, r.position, r.momentum})
      cells.emplace_back(fmt::format("{:.3g}", x));
    cells.emplace_back(std::to_string(r.ending.steps));
    cells.emplace_back(std::string(words_for(r.ending.kind)),
                       r.ending.failed() ? Verdict::bad : Verdict::none);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

Report report_of_sweep(const Sweep& sweep, const EnsembleSummary& summary) {
  const EnsembleSummary::About& about = summary.about;
  Report report{.title = about.model,
                .facts = {{"method", about.method},
                          {"step", fmt::format("{:g}", about.step)},
                          {"steps", std::to_string(about.steps)},
                          {"sets of values", std::to_string(about.size)},
                          {"failed", std::to_string(summary.totals.failed())},
                          {"backend", about.backend}}};
  const auto grid = grid_of(sweep);
  const Abscissa a = abscissa_of(sweep);
  Section numbers{.title = "What came out"};
  if (grid) {
    for (const Drawn& what : drawn_columns(sweep)) {
      HeatMap map = map_over(sweep, *grid, [&](const SweepRow& r) { return shown_value(what, r); });
      map.title = what.title;
      map.logarithmic = what.logarithmic;
      numbers.panels.emplace_back(std::move(map));
    }
  } else {
    add_curves(numbers, sweep, a);
  }
  report.sections.push_back(std::move(numbers));
  Section failures{.title = "How they ended"};
  if (grid) {
    HeatMap map =
        map_over(sweep, *grid, [](const SweepRow& r) { return static_cast<double>(r.ending.kind); });
    map.title = "How they ended";
    map.kinds = endings();
    failures.panels.emplace_back(std::move(map));
    HeatMap steps =
        map_over(sweep, *grid, [](const SweepRow& r) { return static_cast<double>(r.ending.steps); });
    steps.title = "Steps done";
    failures.panels.emplace_back(std::move(steps));
  } else {
    failures.panels.emplace_back(lifetimes(sweep, a));
  }
  report.sections.push_back(std::move(failures));
  report.sections.push_back({.title = "All sets", .panels = {table_of(sweep)}});
  return report;
}

}  // namespace taut::cli
