#include <taut/bytes/json.hpp>
#include <taut/ensemble/summary.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace taut {

namespace {

std::vector<int> all_columns(const EnsembleSummary::About& about) {
  std::vector<int> all(about.columns.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double steps_per_second(const EnsembleSummary& s) {
  return s.seconds > 0 ? static_cast<double>(s.steps_made) / s.seconds : 0;
}

Json json_of(const EnsembleTotals& totals) {
  Json kinds = Json::object();
  for (int k = 1; k < ended_count; ++k)
    if (const auto kind = static_cast<Ended>(k); totals.ended(kind) > 0)
      kinds[name_of(kind)] = totals.ended(kind);
  return kinds;
}

Json json_of(const ColumnSpread& spread, const std::vector<double>& probabilities) {
  Json object = Json::object();
  if (!spread.quantiles.empty()) {
    object["probabilities"] = probabilities;
    object["quantiles"] = spread.quantiles;
  }
  if (spread.histogram) {
    object["edges"] = spread.histogram->edges();
    object["counts"] = spread.histogram->counts();
  }
  return object;
}

std::string table_of(const EnsembleSummary& s) {
  const Moments m = s.moments.result();
  if (m.count == 0) return "";
  std::size_t width = 8;
  for (const std::string& name : s.about.columns) width = std::max(width, name.size());
  constexpr std::size_t most = 40;
  std::string text =
      fmt::format("  {:<{}} {:>13} {:>13} {:>13} {:>13}\n", "column", width, "mean", "sd", "least", "most");
  for (std::size_t k = 0; k < std::min(most, s.about.columns.size()); ++k)
    text += fmt::format("  {:<{}} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g}\n", s.about.columns[k], width,
                        m.mean[k], m.deviation(k), m.least[k], m.most[k]);
  if (s.about.columns.size() > most)
    text += fmt::format("  … and {} more, which --json prints\n", s.about.columns.size() - most);
  return text;
}

std::string text_of(const ColumnSpread& spread, const std::vector<double>& probabilities) {
  std::string text;
  if (!spread.quantiles.empty()) {
    text += fmt::format("  quantiles {}:", spread.name);
    for (std::size_t k = 0; k < probabilities.size(); ++k)
      text += fmt::format("  {:g}: {:.8g}", probabilities[k], spread.quantiles[k]);
    text += '\n';
  }
  if (!spread.histogram) return text;
  const Histogram& h = *spread.histogram;
  const std::int64_t most =
      std::max<std::int64_t>(1, *std::max_element(h.counts().begin(), h.counts().end()));
  text += fmt::format("  histogram {}\n", spread.name);
  constexpr std::int64_t width = 40;
  for (std::size_t k = 0; k < h.counts().size(); ++k)
    text += fmt::format("    {:>13.6g} {:>8} {}\n", h.edges()[k], h.counts()[k],
                        std::string(static_cast<std::size_t>(h.counts()[k] * width / most), '#'));
  return text;
}

}  // namespace

EnsembleSummary::About about(const Ensemble& e) {
  return {.model = e.run.title(),
          .method = e.method.choice.label(),
          .step = e.schedule.step,
          .steps = e.schedule.steps,
          .size = e.size(),
          .unit = e.unit(),
          .seed = e.variations.seed(),
          .coordinates = e.coordinates(),
          .backend = std::string(name_of(e.machines->used().backend)),
          .columns = e.columns,
          .device = e.machines->device_name()};
}

EnsembleSummary::EnsembleSummary(About what, bool covariance)
    : about(std::move(what)),
      totals(about.coordinates, unit_count(about.size, about.unit)),
      moments(about.size, all_columns(about), covariance, about.unit) {}

void EnsembleSummary::add(const Unit& unit) {
  totals.add(unit);
  moments.add(unit);
}

void EnsembleSummary::spread(const EachUnit& units, const std::vector<double>& wanted, int bins) {
  probabilities = wanted;
  const Moments m = moments.result();
  for (std::size_t k = 0; k < about.columns.size(); ++k) {
    ColumnSpread column{.name = about.columns[k]};
    const int at = static_cast<int>(k);
    if (!wanted.empty()) column.quantiles = taut::quantiles(units, at, wanted);
    if (bins > 0 && m.count > 0 && m.least[k] < m.most[k]) {
      column.histogram = Histogram::even(m.least[k], m.most[k], bins);
      units([&](const Unit& unit) { column.histogram->add(unit, at); });
    }
    spreads.push_back(std::move(column));
  }
}

std::string to_text(const EnsembleSummary& s) {
  const EnsembleSummary::About& a = s.about;
  std::string text = fmt::format("{}, {}, step {}: {} trajector{} of {} step{}", harmless(a.model), a.method,
                                 a.step, a.size, a.size == 1 ? "y" : "ies", a.steps, a.steps == 1 ? "" : "s");
  text +=
      s.threads > 0 ? fmt::format(" in {:.2f} s ({:.2g} steps/s)\n", s.seconds, steps_per_second(s)) : "\n";
  if (s.threads > 0)
    text += fmt::format("  work      {}{} thread{}, {}, {}\n",
                        s.processes > 1 ? fmt::format("{} processes of ", s.processes) : std::string(),
                        s.threads, s.threads == 1 ? "" : "s",
                        s.busy > 0 ? fmt::format("lanes {:.0f} % busy", 100 * s.busy)
                                   : std::string("one trajectory at a time in each"),
                        a.backend);
  if (!a.device.empty() && s.threads > 0)
    text +=
        fmt::format("  device    {}: {} steps, {:.2g} s of kernels, {} hard steps left to the processor\n",
                    a.device, s.device_steps, s.device_seconds, s.handed_back);
  if (s.messages > 0) text += fmt::format("  messages  {}, {} bytes\n", s.messages, s.message_bytes);
  if (!s.totals.is_complete())
    text += fmt::format("  missing   {} of {} trajectories\n", a.size - s.totals.trajectories(), a.size);
  for (int k = 1; k < ended_count; ++k)
    if (const auto kind = static_cast<Ended>(k); s.totals.ended(kind) > 0)
      text += fmt::format("  failed    {}: {}\n", s.totals.ended(kind), words_for(kind));
  if (const auto& first = s.totals.first_failed())
    text += fmt::format("  first     trajectory {} ended at t = {:.6g}: {}\n", first->trajectory,
                        first->ending.time, words_for(first->ending.kind));
  text += table_of(s);
  for (const ColumnSpread& spread : s.spreads) text += text_of(spread, s.probabilities);
  if (s.totals.is_complete()) text += fmt::format("  sha256    {}\n", s.totals.sha256());
  return text;
}

std::string to_json(const EnsembleSummary& s) {
  const EnsembleSummary::About& a = s.about;
  Json reductions = to_json(s.moments.result(), a.columns);
  if (!s.spreads.empty()) reductions["spread"] = Json::object();
  for (const ColumnSpread& spread : s.spreads)
    reductions["spread"][spread.name] = json_of(spread, s.probabilities);
  Json object = Json::object({{"model", a.model},
                              {"method", a.method},
                              {"step", a.step},
                              {"steps", a.steps},
                              {"size", a.size},
                              {"seed", a.seed},
                              {"failed", s.totals.failed()},
                              {"failures", json_of(s.totals)},
                              {"missing", a.size - s.totals.trajectories()},
                              {"sha256", s.totals.is_complete() ? Json(s.totals.sha256()) : Json()},
                              {"backend", a.backend},
                              {"threads", s.threads},
                              {"processes", s.processes},
                              {"messages", s.messages},
                              {"message_bytes", s.message_bytes},
                              {"lanes_busy", s.busy},
                              {"seconds", s.seconds},
                              {"steps_per_second", steps_per_second(s)},
                              {"reductions", std::move(reductions)}});
  if (!a.device.empty())
    object["device"] = Json::object({{"name", a.device},
                                     {"steps", s.device_steps},
                                     {"seconds", s.device_seconds},
                                     {"handed_back", s.handed_back}});
  return object.to_text();
}

}  // namespace taut
