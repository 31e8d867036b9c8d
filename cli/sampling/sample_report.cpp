#include "sample_report.hpp"

#include <taut/sample/step_scan.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taut::cli {

namespace {

constexpr std::size_t most_columns = 12;   // so many are drawn
constexpr std::size_t most_points = 2000;  // in a trace or a scatter

std::size_t bins_for(std::size_t count) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::cbrt(static_cast<double>(count)) * 2), 10, 80);
}

std::string chain_name(std::size_t k) { return fmt::format("chain {}", k + 1); }

Figure trace_of(const std::string& name, const ChainsOfColumn& column) {
  Figure f{.title = "Trace of " + name, .x = {"draw"}, .y = {name}};
  for (std::size_t k = 0; k < column.size(); ++k) {
    Series s{.name = chain_name(k)};
    const std::size_t every = std::max<std::size_t>(1, column[k].size() / most_points);
    for (std::size_t i = 0; i < column[k].size(); i += every) {
      s.x.push_back(static_cast<double>(i));
      s.y.push_back(column[k][i]);
    }
    f.series.push_back(std::move(s));
  }
  return f;
}

// A line in steps: each bin is two points.
void add_bin(Series& s, double from, double to, double height) {
  s.x.insert(s.x.end(), {from, to});
  s.y.insert(s.y.end(), {height, height});
}

Figure marginal_of(const std::string& name, const ChainsOfColumn& column) {
  Figure f{.title = "Marginal of " + name, .x = {name}, .y = {"density"}};
  double low = column.front().front(), high = low;
  for (const auto& chain : column)
    for (const double x : chain) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  if (!(high > low)) return f;
  for (std::size_t k = 0; k < column.size(); ++k) {
    const std::size_t bins = bins_for(column[k].size());
    const double width = (high - low) / static_cast<double>(bins);
    std::vector<double> counts(bins, 0.0);
    for (const double x : column[k])
      ++counts[std::min(bins - 1, static_cast<std::size_t>((x - low) / width))];
    Series s{.name = chain_name(k)};
    for (std::size_t b = 0; b < bins; ++b)
      add_bin(s, low + width * static_cast<double>(b), low + width * static_cast<double>(b + 1),
              counts[b] / width / static_cast<double>(column[k].size()));
    f.series.push_back(std::move(s));
  }
  return f;
}

// How the ranks of each chain among all draws are spread: flat if the chains agree.
Figure ranks_of(const std::string& name, const ChainsOfColumn& column) {
  Figure f{.title = "Ranks of " + name,
           .note = "Each chain's share of all ranks: flat if the chains agree.",
           .x = {"rank"},
           .y = {"relative frequency"}};
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t k = 0; k < column.size(); ++k)
    for (const double x : column[k]) all.emplace_back(x, k);
  std::sort(all.begin(), all.end());
  constexpr std::size_t bins = 20;
  std::vector<std::vector<double>> counts(column.size(), std::vector<double>(bins, 0.0));
  for (std::size_t i = 0; i < all.size(); ++i) ++counts[all[i].second][i * bins / all.size()];
  const double expected = static_cast<double>(column.front().size()) / bins;
  for (std::size_t k = 0; k < column.size(); ++k) {
    Series s{.name = chain_name(k)};
    for (std::size_t b = 0; b < bins; ++b)
      add_bin(s, static_cast<double>(b * all.size() / bins), static_cast<double>((b + 1) * all.size() / bins),
              counts[k][b] / expected);
    f.series.push_back(std::move(s));
  }
  return f;
}

Figure scatter_of(const std::string& a, const std::string& b, const ChainsOfColumn& x,
                  const ChainsOfColumn& y) {
  Figure f{.title = fmt::format("{} and {}", a, b), .x = {a}, .y = {b}, .equal_scales = true};
  for (std::size_t k = 0; k < x.size(); ++k) {
    Series s{.name = chain_name(k), .mark = Mark::points};
    const std::size_t every = std::max<std::size_t>(1, x[k].size() / (most_points / x.size() + 1));
    for (std::size_t i = 0; i < x[k].size(); i += every) {
      s.x.push_back(x[k][i]);
      s.y.push_back(y[k][i]);
    }
    f.series.push_back(std::move(s));
  }
  return f;
}

std::string words_of(Outcome outcome) {
  std::string name(names_of(outcome)[static_cast<std::size_t>(outcome)]);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// The draws of three coordinates as points in space that can be turned: one picture, in which each chain has
// its colour.
Animation cloud_of(const SamplingSummary& summary, const std::vector<ChainsOfColumn>& columns) {
  Animation cloud{.title = fmt::format("{}, {} and {}", summary.names[0], summary.names[1], summary.names[2]),
                  .note = "Draws of all chains in space. Drag to turn them.",
                  .dimension = 3,
                  .times = {0}};
  const std::size_t chains = columns[0].size(), draws = columns[0].front().size();
  const std::size_t points = std::min(draws, most_points / chains + 1);
  cloud.bodies.assign(points, {.name = {}, .disc = true, .trail = false});
  for (std::size_t k = 0; k < chains; ++k) {
    Animation::Run run{.name = chain_name(k), .energy_error = {0}, .position = {0}, .momentum = {0}};
    for (std::size_t i = 0; i < points; ++i)
      for (std::size_t a = 0; a < 3; ++a)
        run.places.push_back(static_cast<float>(columns[a][k][i * draws / points]));
    cloud.runs.push_back(std::move(run));
  }
  return cloud;
}

// The sizes are drawn on a logarithmic axis; a dashed line is the size that the chains have.
Figure figure_of_steps(const Sampling& sampling, const SamplingResult& result) {
  const StepScan scan = scan_steps(sampling, result);
  Figure f{.title = "How single steps end against their size",
           .note = "Shares of single steps from draws; the dashed line is the step of the first chain.",
           .x = {"step", Axis::logarithmic},
           .y = {"share"}};
  for (const Outcome kind : {Outcome::done, Outcome::refused, Outcome::no_forward, Outcome::no_backward,
                             Outcome::other_solution, Outcome::divergence}) {
    const std::vector<double>& share = scan.shares[static_cast<std::size_t>(kind)];
    if (std::all_of(share.begin(), share.end(), [](double x) { return x == 0; })) continue;
    f.series.push_back({.name = kind == Outcome::done ? "accepted" : words_of(kind),
                        .x = scan.steps,
                        .y = share,
                        .mark = Mark::line_and_points});
  }
  const double h = result.chains.front().step;
  f.series.push_back({.name = {}, .x = {h, h}, .y = {0, 1}, .dashed = true, .colour = 7});
  return f;
}

Table table_of_columns(const SamplingSummary& s) {
  Table table{
      .columns = {"", "mean", "sd", "mcse", "R-hat", "ESS bulk", "ESS tail", "ESS/s", "ESS/gradient"}};
  for (std::size_t k = 0; k < s.of.size(); ++k) {
    const ColumnDiagnostics& d = s.of[k];
    const auto judged = [](bool good) { return good ? Verdict::good : Verdict::bad; };
    table.rows.push_back({s.names[k],
                          fmt::format("{:.5g}", d.mean),
                          fmt::format("{:.4g}", d.sd),
                          fmt::format("{:.2g}", d.mcse),
                          {fmt::format("{:.4f}", d.rhat), judged(d.rhat <= most_rhat)},
                          {fmt::format("{:.0f}", d.ess_bulk), judged(d.ess_bulk >= least_ess)},
                          {fmt::format("{:.0f}", d.ess_tail), judged(d.ess_tail >= least_ess)},
                          fmt::format("{:.4g}", d.ess_bulk / s.draw_seconds),
                          fmt::format("{:.3g}", d.ess_bulk / static_cast<double>(s.gradients))});
  }
  return table;
}

Table table_of_chains(const SamplingSummary& s, const SamplingResult& result) {
  Table table{
      .title = "Chains",
      .note =
          "Steps by how they ended. A step is refused if its equations have no solution, if the way back has "
          "none or leads elsewhere, if the energy leaps, or by Metropolis' decision.",
      .columns = {"chain", "step", "E-BFMI"}};
  for (std::size_t k = 0; k < names_of(Outcome{}).size(); ++k)
    table.columns.push_back(words_of(static_cast<Outcome>(k)));
  for (std::size_t k = 0; k < result.chains.size(); ++k) {
    std::vector<Cell> row{std::to_string(k + 1), fmt::format("{:.4g}", result.chains[k].step),
                          k < s.ebfmi.size() ? fmt::format("{:.2f}", s.ebfmi[k]) : ""};
    for (const std::int64_t count : result.chains[k].counts) row.emplace_back(std::to_string(count));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report report_of_sampling(const Sampling& sampling, const SamplingResult& result, const SamplingSummary& s) {
  Report report{.title = s.model,
                .facts = {{"kernel", s.kernel},
                          {"measure", s.measure},
                          {"chains", std::to_string(s.chains)},
                          {"draws", std::to_string(s.draws)},
                          {"acceptance", fmt::format("{:.3f}", s.accept)},
                          {"step", fmt::format("{:.4g}", s.step)},
                          {"seed", std::to_string(s.seed)}}};
  Section numbers{.title = "What came out"};
  for (const std::string& warning : s.warnings) numbers.text += "!" + warning + "\n\n";
  if (s.draws > 0) numbers.panels.emplace_back(table_of_columns(s));
  numbers.panels.emplace_back(table_of_chains(s, result));
  if (s.draws > 0 && sampling.code->m > 0) numbers.panels.emplace_back(figure_of_steps(sampling, result));
  report.sections.push_back(std::move(numbers));
  if (s.draws < 2) return report;
  const std::size_t first = statistic_names().size();
  const std::size_t shown = std::min(most_columns, s.names.size());
  std::vector<std::size_t> places_of(first + shown);
  std::iota(places_of.begin(), places_of.end(), std::size_t{0});
  const std::vector<ChainsOfColumn> all = result.gather(places_of, s.every);
  const std::vector<ChainsOfColumn> columns(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  Section marginals{.title = "Marginals"}, traces{.title = "Traces"}, ranks{.title = "Rank plots"};
  if (s.names.size() > shown)
    marginals.text = fmt::format("The first {} of {} columns.", shown, s.names.size());
  for (std::size_t k = 0; k < shown; ++k) {
    marginals.panels.emplace_back(marginal_of(s.names[k], columns[k]));
    traces.panels.emplace_back(trace_of(s.names[k], columns[k]));
    ranks.panels.emplace_back(ranks_of(s.names[k], columns[k]));
  }
  Section places{.title = "In space"};
  const std::size_t coordinates = std::min<std::size_t>(3, sampling.code->coordinates.size());
  for (std::size_t a = 0; a < coordinates; ++a)
    for (std::size_t b = a + 1; b < coordinates; ++b)
      places.panels.emplace_back(scatter_of(s.names[a], s.names[b], columns[a], columns[b]));
  if (coordinates == 3) places.panels.emplace_back(cloud_of(s, columns));
  Section energy{.title = "Energy"};
  energy.panels.emplace_back(marginal_of("energy", all[first - 1]));
  energy.panels.emplace_back(trace_of("energy", all[first - 1]));
  energy.panels.emplace_back(trace_of("acceptance", all[1]));
  for (Section* section : {&marginals, &places, &traces, &ranks, &energy})
    if (!section->panels.empty()) report.sections.push_back(std::move(*section));
  return report;
}

}  // namespace taut::cli
