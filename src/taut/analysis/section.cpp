#include <taut/analysis/discrete_map.hpp>
#include <taut/analysis/section.hpp>
#include <taut/bytes/json.hpp>
#include <taut/run/formula_quantities.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace taut {

SectionPoints section_of(const ModelRun& run, const Telling& telling, bool with_quantities) {
  if (run.model.dynamics.events.empty())
    throw InputError("a section needs an event: [[events]] in the model, or --event 'when=x, direction=up'.");
  AwaitedRun awaited(telling);
  const RunSummary summary = run.run(awaited, "nowhere");
  const EventRule& event = run.model.dynamics.events.back();
  SectionPoints out{.model = summary.model, .method = summary.method, .formula = event.when.text};
  // The time stands in the first column; as a coordinate, the last, it and its momentum are left out.
  const std::vector<std::string> names = run.columns();
  const std::size_t n = names.size() / 2, shown = n - (run.mechanism->timed() ? 1 : 0);
  const auto add = [shown](auto& row, auto from) {
    row.insert(row.end(), from, from + static_cast<std::ptrdiff_t>(shown));
  };
  out.columns = {"t"};
  add(out.columns, names.begin());
  add(out.columns, names.begin() + static_cast<std::ptrdiff_t>(n));
  out.coordinates = shown;
  std::optional<FormulaQuantities> quantities;
  if (with_quantities && !run.model.quantities.empty()) quantities.emplace(run.model);
  if (quantities)
    out.columns.insert(out.columns.end(), quantities->names().begin(), quantities->names().end());
  out.begin = {0};
  for (const EventRecord& e : summary.events) {
    if (e.name != event.name) continue;
    std::vector<double> row{e.time};
    add(row, e.q.begin());
    add(row, e.p.begin());
    if (quantities) {
      std::vector<double> lambda;
      if (quantities->use_multipliers()) {
        lambda.resize(static_cast<std::size_t>(run.mechanism->constraints()));
        run.mechanism->evaluate(Evaluated::lambda, {.count = 1, .q = e.q.data(), .p = e.p.data()},
                                lambda.data());
      }
      quantities->add(e.q, e.p, lambda, e.time, row);
    }
    out.points.push_back(std::move(row));
  }
  out.time = summary.time;
  out.energy = summary.energy_initial;
  if (!summary.error.empty()) out.errors.push_back(summary.error);
  out.warnings = summary.warnings;
  return out;
}

void add_column(SectionPoints& points, const std::string& name, double value) {
  if (std::find(points.columns.begin(), points.columns.end(), name) != points.columns.end()) return;
  points.columns.push_back(name);
  for (auto& row : points.points) row.push_back(value);
}

void append(SectionPoints& all, SectionPoints more) {
  for (const std::size_t first : more.begin) all.begin.push_back(all.points.size() + first);
  for (auto& point : more.points) all.points.push_back(std::move(point));
  for (auto& error : more.errors) all.errors.push_back(std::move(error));
  for (auto& warning : more.warnings) all.warnings.push_back(std::move(warning));
}

std::vector<double> velocities_at(const ModelRun& run, const PlainState& x) {
  std::vector<double> v(x.q.size());
  run.mechanism->evaluate(Evaluated::H_p, {.count = 1, .q = x.q.data(), .p = x.p.data()}, v.data());
  return v;
}

double energy_of_start(const ModelRun& run) {
  const DiscreteMap map(run);
  return map.energy(map.start());
}

// H is of second degree in the momenta, or nearly so: along the straight line through the start in the
// direction of one momentum, projected onto the cotangent space, it is a parabola whose larger root is
// bracketed from its lowest point on, and then found by bisection and the secant.
PlainState start_of_energy(const ModelRun& run, double energy, std::size_t column) {
  const DiscreteMap map(run);
  const PlainState x = map.start();
  PlainState unit{std::vector<double>(x.q.size(), 0.0), std::vector<double>(x.q.size(), 0.0)};
  unit.p[column] = 1;
  const auto off = [&](double s) { return map.energy(map.moved(x, unit, s)) - energy; };
  const double e0 = off(0), e1 = off(1), e2 = off(-1);
  const double bend = (e1 + e2) / 2 - e0, slope = (e1 - e2) / 2;
  const std::string name = run.columns()[x.q.size() + column];
  if (!(bend > 0))
    throw InputError(
        fmt::format("the energy does not depend on {} at the start: solve for another momentum.", name));
  double low = -slope / (2 * bend), reach = 1;
  if (off(low) > 0)
    throw NoSuchEnergy(
        fmt::format("no value of {} gives the energy {:.10g} at this start: its least energy is {:.10g}.",
                    name, energy, off(low) + energy));
  while (off(low + reach) <= 0 && reach < 1e12) reach *= 2;
  double high = low + reach;
  for (int k = 0; k < 200 && high - low > 0; ++k) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (off(middle) <= 0 ? low : high) = middle;
  }
  return map.moved(x, unit, low);
}

std::string to_json(const SectionPoints& s) {
  Json list = Json::list();
  for (const auto& row : s.points) list.push_back(Json(row));
  Json object = Json::object({{"model", s.model},
                              {"method", s.method},
                              {"section", s.formula},
                              {"columns", s.columns},
                              {"points", std::move(list)},
                              {"time", s.time}});
  if (s.begin.size() > 1) {
    Json begin = Json::list();
    for (const std::size_t k : s.begin) begin.push_back(Json(static_cast<std::int64_t>(k)));
    object["begin"] = std::move(begin);
  }
  if (!s.errors.empty()) object["error"] = s.errors.front();
  if (!s.warnings.empty()) object["warnings"] = s.warnings;
  return object.to_text(2);
}

}  // namespace taut
